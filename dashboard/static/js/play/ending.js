// @ts-check
/** When the game is over: places, points, why, and what to do next. */

import "../replay/review_box.js";
import { h } from "../replay/dom.js";
import { seatChip } from "../replay/fields.js";
import { ordinal } from "../replay/seat.js";
import { listed } from "./plan.js";

/**
 * @param {{points: number[], places: number[], replay: string}} result
 * @param {any} meta
 * @param {boolean} assisted whether somebody took a hint
 * @param {(action: string, label: string, kind: string) => HTMLElement | null} form a button that sends a form, where it is offered
 * @param {string | null} compare where both games of this board stand side by side
 * @returns {HTMLElement}
 */
export function endingPanel({ points, places, replay }, meta, assisted, form, compare) {
  const me = meta.seat;
  const order = [...places.keys()].sort((a, b) => places[a] - places[b] || a - b);
  const lines = order.map((seat) => h("li", { class: seat === me ? "me" : "" },
    h("span", { class: "place" }, ordinal(places[seat])), seatChip(seat),
    h("span", { class: "name" }, meta.players[seat].name),
    h("b", {}, String(points[seat]))));
  return h(
    "section",
    { class: "outcome", "aria-labelledby": "outcome-title", tabindex: "-1" },
    h("div", { class: "outcome-words" },
      h("h2", { id: "outcome-title" }, verdict(places[me], places.filter((place) => place === places[me]).length, points[me])),
      h("p", {}, distance(points, places, meta.players, me)),
      assisted ? h("p", { class: "small" }, "Played with hints, so it does not count for a rating.") : null),
    h("ol", { class: "outcome-places", "aria-label": "Places", tabindex: "0" }, ...lines),
    h("div", { class: "outcome-next" },
      form("again", "Play again", "confirm") ?? h("a", { class: "button-like confirm", href: "/play" }, "Another game"),
      form("other-seat", "Same board, another seat", ""),
      h("a", { class: "button-like", href: replay }, "Watch the replay"),
      compare ? h("a", { class: "button-like", href: compare }, "Both games side by side") : null),
  );
}

/**
 * @param {number} place
 * @param {number} sharing how many have that place
 * @param {number} points
 */
function verdict(place, sharing, points) {
  const own = `${points} ${points === 1 ? "point" : "points"}`;
  if (place === 1) return sharing > 1 ? `You share the win with ${own}` : `You win with ${own}`;
  return `You ${sharing > 1 ? "tied for" : "finished"} ${ordinal(place)} with ${own}`;
}

/**
 * @param {readonly number[]} points
 * @param {readonly number[]} places
 * @param {readonly {name: string}[]} players
 * @param {number} me
 */
function distance(points, places, players, me) {
  if (places[me] === 1) {
    const next = Math.min(...points.filter((_, seat) => places[seat] > 1));
    return Number.isFinite(next) ? `${next - points[me]} fewer than the next. The fewest points win.` : "Everyone has the same points.";
  }
  const winners = [...places.keys()].filter((seat) => places[seat] === 1);
  const names = listed(winners.map((seat) => players[seat].name));
  const least = points[winners[0]];
  return `${names} ${winners.length > 1 ? "share the win" : "wins"} with ${least}, ${points[me] - least} fewer than you. The fewest points win.`;
}

const COSTLIEST = 3;

/**
 * The moments in which the points of a seat grew the most.
 * @param {readonly import("../replay/model.js").Moment[]} moments
 * @param {number} seat
 * @returns {{where: string, text: string, cost: number}[]} the costliest first
 */
export function costliest(moments, seat) {
  const rounds = new Set(moments.map(({ round }) => round)).size;
  return moments.flatMap(({ round, turn, text, table }, at) => {
    const before = moments[at - 1]?.table;
    const cost = before && before.round === table.round ? (table.points[seat] ?? 0) - (before.points[seat] ?? 0) : 0;
    const number = `turn ${(turn ?? 0) + 1}`;
    return cost > 0 && !table.roundOver ? [{ where: rounds > 1 ? `Round ${round + 1}, ${number}` : `T${number.slice(1)}`, text, cost }] : [];
  }).sort((one, other) => other.cost - one.cost).slice(0, COSTLIEST);
}

/** @param {readonly {where: string, text: string, cost: number}[]} costly */
function costlyPanel(costly) {
  const lines = costly.map(({ where, text, cost }) => h("li", {}, h("b", {}, `+${cost}`), h("span", {}, h("span", { class: "muted" }, `${where}: `), text)));
  return h("div", { class: "panel" },
    h("h2", {}, lines.length ? "What cost you the most" : "Nothing cost you a point"),
    h("ol", { class: "costly" }, ...lines));
}

/** A table keeps its moves for some days; the replay has them for good. @param {string} replay */
function gonePanel(replay) {
  return h("div", { class: "panel" },
    h("h2", {}, "The moves are no longer kept here"),
    h("p", {}, "This game ended some time ago. ", h("a", { href: replay }, "The replay"), " still shows it card by card."));
}

/** @param {Record<string, any>} attributes */
function review(attributes) {
  const box = document.createElement("bull-review");
  for (const [name, value] of Object.entries(attributes)) box.setAttribute(name, value === true ? "" : String(value));
  return box;
}

/**
 * What stands below the table when the game is over: what cost the most, and the review.
 * @param {string} replay
 * @param {string} source of the review
 * @param {any} meta
 * @param {readonly {where: string, text: string, cost: number}[] | null} costly null: the moves are gone
 */
export function afterwards(replay, source, meta, costly) {
  return h("section", { class: "after", "aria-label": "Why it ended so" },
    costly ? costlyPanel(costly) : gonePanel(replay),
    h("div", { class: "panel" },
      h("h2", {}, "Your decisions, reviewed"),
      review({
        src: source, seat: meta.seat, game: replay, you: true,
        names: JSON.stringify(meta.players.map((/** @type {any} */ player) => player.name)),
      })));
}
