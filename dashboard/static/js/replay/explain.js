// @ts-check
/** "How to play": the rules of the game on screen in five small pictures. */

import { headIcon, headsPicture } from "./cards.js";
import { counted, h, svg } from "./dom.js";
import { endingOf, lessonsFor } from "./lessons.js";

/** @typedef {import("./lessons.js").Part} Part */

const WIDE = 34;
const HIGH = 46;

/**
 * @param {any} meta
 * @param {readonly number[]} heads bullheads by card
 * @returns {HTMLDialogElement}
 */
export function explainDialog(meta, heads) {
  const figures = lessonsFor(meta).map(({ title, text, parts }, at) =>
    h("li", {}, h("figure", {},
      picture(parts, heads, title),
      h("figcaption", {}, h("b", {}, `${at + 1}. ${title}. `), text))));
  const close = h("button", { type: "button", click: () => dialog.close() }, "Back to the game");
  const dialog = h("dialog", { class: "dialog explain", "aria-label": `How to play ${meta.rules_title}` },
    h("header", {}, h("h2", {}, `How to play ${meta.rules_title}`), close),
    h("ol", { class: "lessons" }, ...figures, h("li", { class: "ending" }, h("p", {}, endingOf(meta), " ",
      meta.links.rules ? h("a", { href: meta.links.rules }, "All rules") : null))));
  return dialog;
}

/**
 * @param {readonly Part[]} parts
 * @param {readonly number[]} heads
 * @param {string} label
 */
function picture(parts, heads, label) {
  return svg("svg", { class: "lesson", viewBox: "0 0 270 150", role: "img", "aria-label": label },
    ...parts.map((part) => draw(part, heads)));
}

/**
 * @param {Part} part
 * @param {readonly number[]} heads
 * @returns {SVGElement}
 */
function draw(part, heads) {
  const [kind, x, y] = part;
  switch (kind) {
    case "card":
      return card(x, y, part[3], heads[part[3]], part[4] ?? "");
    case "slot":
      return svg("rect", { class: "l-slot", x, y, width: WIDE, height: HIGH, rx: 4 });
    case "back":
      return svg("g", { class: "l-back" },
        svg("rect", { x, y, width: WIDE, height: HIGH, rx: 4 }), sized(headIcon(), x + 9, y + 14, 16, 18));
    case "bull":
      return svg("g", { class: "l-bull" }, svg("circle", { cx: x, cy: y, r: 15 }), sized(headIcon(), x - 9, y - 10, 18, 20));
    case "arrow":
      return arrow(x, y, part[3], part[4]);
    default:
      return svg("text", { class: `l-say ${part[4] ?? ""}`, x, y, "text-anchor": "middle" }, part[3]);
  }
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} number
 * @param {number} heads
 * @param {string} how
 */
function card(x, y, number, heads, how) {
  return svg("g", { class: `l-card heads-${heads} ${how}` },
    svg("title", {}, `${number}, ${counted(heads, "bullhead")}`),
    svg("rect", { x, y, width: WIDE, height: HIGH, rx: 4 }),
    svg("text", { x: x + WIDE / 2, y: y + 22, "text-anchor": "middle" }, String(number)),
    sized(headsPicture(heads), x + 5, y + 27, WIDE - 10, 15));
}

/**
 * @param {SVGElement} element
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
function sized(element, x, y, width, height) {
  for (const [name, value] of Object.entries({ x, y, width, height })) element.setAttribute(name, String(value));
  return element;
}

/**
 * @param {number} x1
 * @param {number} y1
 * @param {number} x2
 * @param {number} y2
 */
function arrow(x1, y1, x2, y2) {
  const angle = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
  return svg("g", { class: "l-arrow" },
    svg("path", { class: "shaft", d: `M${x1} ${y1}L${x2} ${y2}` }),
    svg("path", { d: "M2 0L-7 -4.5V4.5Z", transform: `translate(${x2} ${y2}) rotate(${angle.toFixed(1)})` }));
}
