// @ts-check
/** What a card looks like: its number, its bullheads, its back. Our own drawing throughout. */

import { counted, h, svg } from "./dom.js";

/** The head with horns, in a box of 44 by 48. */
const HEAD =
  "M22 25c5.2 0 8.4-1.3 11.5-4.1C37.2 17.6 38.8 10.3 36.6 1 43.4 7.8 44 16.3 39.6 22.9c-2.3 3.4-5.2 5.4-8.3 6.4L28.4 41.5C27.3 45.3 25 47.4 22 47.4s-5.3-2.1-6.4-5.9L12.7 29.3c-3.1-1-6-3-8.3-6.4C0 16.3.6 7.8 7.4 1c-2.2 9.3-.6 16.6 3.1 19.9C13.6 23.7 16.8 25 22 25Z";
const WIDE = 50;
const HIGH = 50;

/** How many heads stand in each line. @type {Record<number, number[]>} */
const LINES = { 1: [1], 2: [2], 3: [3], 4: [4], 5: [3, 2], 6: [3, 3], 7: [4, 3] };

/** @type {Map<number, SVGElement>} */
const drawn = new Map();

/**
 * Some heads as one picture; decoration only, the words say it too.
 * @param {number} count
 * @returns {SVGElement}
 */
export function headsPicture(count) {
  let picture = drawn.get(count);
  if (!picture) {
    const lines = LINES[count] ?? [Math.max(1, count)];
    const widest = Math.max(...lines);
    picture = svg("svg", {
      class: "heads",
      viewBox: `0 0 ${Math.max(widest, 3) * WIDE} ${Math.max(lines.length, 1) * HIGH}`,
      "aria-hidden": "true",
    });
    lines.forEach((length, line) => {
      const left = ((Math.max(widest, 3) - length) * WIDE) / 2;
      for (let at = 0; at < length; at += 1) {
        const place = `translate(${left + at * WIDE + 3} ${line * HIGH + 1})`;
        picture?.append(svg("path", { d: HEAD, transform: place }));
      }
    });
    drawn.set(count, picture);
  }
  return /** @type {SVGElement} */ (picture.cloneNode(true));
}

/** One head, for labels. @returns {SVGElement} */
export function headIcon() {
  const path = svg("path", { d: HEAD });
  return svg("svg", { class: "icon head", viewBox: "0 0 44 48", "aria-hidden": "true" }, path);
}

/**
 * @param {number} card
 * @param {number} heads
 * @returns {HTMLElement}
 */
export function cardElement(card, heads) {
  const label = `${card}, ${counted(heads, "bullhead")}`;
  return h(
    "div",
    { class: `card heads-${heads}${card > 99 ? " long" : ""}`, role: "img", "aria-label": label, title: label },
    h("span", { class: "number", "aria-hidden": "true" }, String(card)),
    headsPicture(heads),
  );
}

/** A card face down. @returns {HTMLElement} */
export function backElement() {
  return h("div", { class: "card back", "aria-hidden": "true" }, headIcon());
}
