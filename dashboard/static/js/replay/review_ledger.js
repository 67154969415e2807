// @ts-check
/** The ledger as a table: what the cards promised, what choices changed, what luck did, the points. */

import { h } from "./dom.js";
import { seatChip } from "./fields.js";

/** @typedef {import("./review.js").SeatReview} SeatReview */

const DOCS = "/docs/review";

/** Heads with a sign. @param {number} value */
export function signed(value) {
  const text = Math.abs(value).toFixed(1);
  return text === "0.0" ? "0.0" : `${value < 0 ? "−" : "+"}${text}`;
}

/**
 * One line of the ledger as a sentence.
 * @param {SeatReview} line
 * @param {string} name
 */
export function ledgerWords({ points, ledger }, name) {
  const you = name === "You";
  const changed = (/** @type {string} */ what, /** @type {number} */ heads) => {
    const size = Math.abs(heads).toFixed(1);
    if (size === "0.0") return `${what} changed nothing`;
    return heads > 0 ? `${what} cost ${size} more` : `${what} saved ${size}`;
  };
  const parts = [
    `an ordinary player could expect ${ledger.hand.toFixed(1)} heads with these cards`,
    changed(`${you ? "your" : "its"} own choices`, ledger.decisions),
    ledger.faults ? changed("the platform's choices after faults", ledger.faults) : "",
    changed("luck and the others", ledger.luck),
  ].filter(Boolean);
  return `${name}: ${parts.join("; ")}. That makes ${points} ${points === 1 ? "point" : "points"}; fewer are better.`;
}

/**
 * @param {readonly SeatReview[]} lines
 * @param {(seat: number) => string} name
 * @param {number} marked the seat whose line stands out, and is told in words
 * @param {string} after how much of the game it is about; empty: all
 */
export function ledgerTable(lines, name, marked, after = "") {
  const faults = lines.some(({ ledger }) => ledger.faults !== 0);
  const told = lines.find(({ seat }) => seat === marked);
  const cell = (/** @type {string} */ text) => h("td", { class: "number" }, text);
  const rows = lines.map(({ seat, points, ledger }) =>
    h("tr", { class: seat === marked ? "now" : null },
      h("th", { scope: "row" }, seatChip(seat), h("span", { class: "name" }, name(seat))),
      cell(ledger.hand.toFixed(1)), cell(signed(ledger.decisions)), faults ? cell(signed(ledger.faults)) : null,
      cell(signed(ledger.luck)), h("td", { class: "number points" }, String(points))));
  const head = (/** @type {string} */ sign, /** @type {string} */ text, /** @type {string} */ title) =>
    h("th", { scope: "col", class: "number", title }, sign ? h("span", { class: "sign" }, `${sign} `) : null, text);
  return [
    told ? h("p", { class: "ledger-words" }, ledgerWords(told, name(marked)), after) : null,
    h("table", { class: "ledger" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Player"),
        head("", "hand", "What an ordinary player could expect of these cards, right after the deal"),
        head("+", "decisions", "What its own choices changed, compared with an ordinary player; below 0 is a gain"),
        faults ? head("+", "faults", "The same for choices that the platform made because the bot had failed") : null,
        head("+", "luck and the others", "All that it did not decide: cards that came, and what the others did"),
        head("=", "points", "As played; fewer are better"))),
      h("tbody", {}, ...rows)),
    h("p", { class: "small" }, "In heads, the points of this game: below 0 saved some, above 0 cost some. ", h("a", { href: DOCS }, "How it is worked out")),
  ].filter((part) => part !== null);
}
