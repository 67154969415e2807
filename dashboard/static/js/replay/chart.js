// @ts-check
/** Points over time as an SVG: one line a seat, a marker at the present moment, click to jump. */

import { svg } from "./dom.js";
import { pointsOverTime } from "./model.js";

/** @typedef {import("./model.js").Moment} Moment */

const WIDTH = 340;
const HEIGHT = 160;
const LEFT = 24;
const RIGHT = 14;
const TOP = 10;
const BOTTOM = 18;

export class PointsChart {
  /**
   * @param {readonly {name: string}[]} players
   * @param {(index: number) => void} jump
   */
  constructor(players, jump) {
    this.players = players;
    this.last = 1;
    this.scale = (/** @type {number} */ _points) => 0;
    this.element = svg("svg", { class: "points-chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
    this.marker = svg("line", { class: "marker", y1: TOP - 6, y2: HEIGHT - BOTTOM });
    this.element.addEventListener("click", (event) => {
      const box = this.element.getBoundingClientRect();
      const at = ((/** @type {MouseEvent} */ (event).clientX - box.left) / box.width) * WIDTH;
      const share = (at - LEFT) / (WIDTH - LEFT - RIGHT);
      jump(Math.round(Math.min(1, Math.max(0, share)) * this.last));
    });
  }

  /**
   * Draw what is known; nothing in it tells of later moments.
   * @param {readonly Moment[]} moments
   * @param {number} last the last moment of the game, where the chart ends
   */
  draw(moments, last) {
    this.last = Math.max(1, last);
    const lines = pointsOverTime(moments);
    const highest = lines.flat().reduce((most, points) => Math.max(most, points), 5);
    this.scale = (/** @type {number} */ points) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - points / highest);
    const label = this.players.map(({ name }, seat) => `${name} ${lines[seat].at(-1)}`).join(", ");
    this.element.setAttribute("aria-label", `Points over time, fewest is best. So far: ${label}.`);
    this.element.replaceChildren(
      ...this.grid(highest),
      ...this.rounds(moments),
      ...lines.map((points, seat) => this.line(points, seat)),
      ...this.names(lines),
      this.marker,
    );
  }

  /** @param {number} index */
  x(index) {
    return LEFT + (WIDTH - LEFT - RIGHT) * (index / this.last);
  }

  /** @param {number} highest */
  grid(highest) {
    const step = [1, 2, 5, 10, 20, 50, 100, 200].find((size) => highest / size <= 4) ?? 500;
    const parts = [];
    for (let points = 0; points <= highest; points += step) {
      const y = this.scale(points);
      parts.push(svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y }));
      parts.push(svg("text", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }, String(points)));
    }
    return parts;
  }

  /** @param {readonly Moment[]} moments */
  rounds(moments) {
    /** @type {SVGElement[]} */
    const parts = [];
    moments.forEach(({ round, index }) => {
      if (index > 0 && moments[index - 1].round === round) return;
      const x = this.x(index);
      parts.push(svg("line", { class: "round-line", x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM + 4 }));
      parts.push(svg("text", { x: x + 3, y: HEIGHT - 4 }, `R${round + 1}`));
    });
    return parts;
  }

  /**
   * @param {readonly number[]} points
   * @param {number} seat
   */
  line(points, seat) {
    let path = `M${LEFT} ${this.scale(points[0]).toFixed(1)}`;
    points.forEach((value, index) => {
      if (index > 0 && value !== points[index - 1]) {
        path += `H${this.x(index).toFixed(1)}V${this.scale(value).toFixed(1)}`;
      }
    });
    path += `H${this.x(points.length - 1).toFixed(1)}`;
    return svg("path", { class: `seat-line seat-${seat}`, d: path });
  }

  /**
   * The seats at the ends of their lines, moved apart where lines end together.
   * @param {readonly (readonly number[])[]} lines
   */
  names(lines) {
    // Before anyone has points, all lines are one.
    if (!lines.some((points) => points.some((value) => value > 0))) return [];
    const ends = lines.map((points, seat) => ({ seat, y: this.scale(points.at(-1) ?? 0) + 4 }));
    ends.sort((a, b) => a.y - b.y);
    ends.forEach((end, at) => {
      if (at > 0) end.y = Math.max(end.y, ends[at - 1].y + 10);
    });
    // Those that would reach the names of the rounds below push the others up.
    ends.forEach((end, at) => {
      end.y = Math.min(end.y, HEIGHT - BOTTOM + 4 - 10 * (ends.length - 1 - at));
    });
    const x = this.x(lines[0].length - 1);
    return ends.map(({ seat, y }) =>
      svg("text", { class: `seat-line seat-${seat}`, x: x + 4, y }, String(seat + 1)),
    );
  }

  /** @param {number} index */
  mark(index) {
    const x = this.x(index).toFixed(1);
    this.marker.setAttribute("x1", x);
    this.marker.setAttribute("x2", x);
  }
}
