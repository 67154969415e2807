// @ts-check
/** Expected points over time of one seat: upright strokes are its decisions, the line between is luck. */

import { svg } from "./dom.js";

/** @typedef {import("./review.js").Stretch} Stretch */

const WIDTH = 340;
const HEIGHT = 120;
const LEFT = 24;
const RIGHT = 10;
const TOP = 8;
const BOTTOM = 8;

export class ExpectedChart {
  /** @param {(index: number) => void} jump */
  constructor(jump) {
    this.last = 1;
    this.element = svg("svg", { class: "expected-chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
    this.marker = svg("line", { class: "marker", y1: TOP - 4, y2: HEIGHT - BOTTOM });
    this.element.addEventListener("click", (event) => {
      const box = this.element.getBoundingClientRect();
      const at = ((/** @type {MouseEvent} */ (event).clientX - box.left) / box.width) * WIDTH;
      jump(Math.round(Math.min(1, Math.max(0, (at - LEFT) / (WIDTH - LEFT - RIGHT))) * this.last));
    });
  }

  /**
   * @param {readonly Stretch[]} stretches
   * @param {number} last the last moment of the game, where the chart ends
   * @param {string} name of the seat
   */
  draw(stretches, last, name) {
    this.last = Math.max(1, last);
    const values = stretches.flatMap(({ before, after }) => [before, after]);
    const low = Math.min(0, ...values);
    const high = Math.max(5, ...values);
    const y = (/** @type {number} */ value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - low) / (high - low));
    const now = stretches.at(-1)?.after ?? 0;
    this.element.setAttribute("aria-label", `What ${name} could expect, in heads. Now: ${now.toFixed(1)}.`);
    this.element.replaceChildren(...this.grid(low, high, y), ...stretches.map((one) => this.stretch(one, y)), this.marker);
  }

  /**
   * @param {number} low
   * @param {number} high
   * @param {(value: number) => number} y
   */
  grid(low, high, y) {
    const step = [2, 5, 10, 20, 50, 100, 200].find((size) => (high - low) / size <= 4) ?? 500;
    const parts = [];
    for (let value = Math.ceil(low / step) * step; value <= high; value += step) {
      parts.push(svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }));
      parts.push(svg("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, String(value)));
    }
    return parts;
  }

  /**
   * @param {Stretch} stretch
   * @param {(value: number) => number} y
   */
  stretch({ from, to, before, after, what }, y) {
    const kind = what === "luck" ? "luck" : after > before ? "cost" : "gain";
    return svg("line", { class: `stretch ${kind}`, x1: this.x(from), x2: this.x(to), y1: y(before), y2: y(after) });
  }

  /** @param {number} index */
  x(index) {
    return (LEFT + (WIDTH - LEFT - RIGHT) * (index / this.last)).toFixed(1);
  }

  /** @param {number} index */
  mark(index) {
    this.marker.setAttribute("x1", this.x(index));
    this.marker.setAttribute("x2", this.x(index));
  }
}
