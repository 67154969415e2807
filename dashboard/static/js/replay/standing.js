// @ts-check
/** Who is where: all seats in one line, the best first. */

import { fill, h, say } from "./dom.js";
import { seatChip } from "./fields.js";

/**
 * @typedef {import("./model.js").Player} Player
 * @typedef {import("./model.js").Table} Table
 */

/**
 * Points with those of the present round; where these are hidden, of the finished rounds alone.
 * @param {Table} table
 * @param {number} seat
 */
export function pointsNow(table, seat) {
  return table.totals[seat] + (table.roundOver ? 0 : (table.points[seat] ?? 0));
}

/**
 * Places from 1, fewest points first; seats with equal points share one.
 * @param {readonly number[]} points
 */
export function placesBy(points) {
  return points.map((own) => 1 + points.filter((other) => other < own).length);
}

export class Standing {
  /** @param {readonly Player[]} players */
  constructor(players) {
    this.lines = players.map(({ seat, name }) => {
      const place = h("span", { class: "rank" });
      const points = h("b", {});
      const line = h("li", {}, place, seatChip(seat), h("span", { class: "name", title: name }, name), points);
      return { line, place, points };
    });
    this.list = h("ol", { "aria-label": "Standing, fewest points first" });
    this.element = h("div", { class: ["standing", "standing crowd", "standing crowd throng"][Number(players.length > 4) + Number(players.length > 7)] }, this.list);
    this.element.style.setProperty("--players", String(players.length));
  }

  /**
   * @param {Table} table
   * @param {readonly number[] | null} places at the end of the game, which count those who are out last
   */
  show(table, places) {
    const points = this.lines.map((_, seat) => pointsNow(table, seat));
    const ranks = places ?? placesBy(points);
    const order = [...ranks.keys()].sort((a, b) => ranks[a] - ranks[b] || points[a] - points[b] || a - b);
    fill(this.list, order.map((seat) => this.lines[seat].line));
    this.lines.forEach(({ line, place, points: cell }, seat) => {
      say(place, `${ranks[seat]}.`);
      const hidden = table.points[seat] === null && !table.roundOver;
      say(cell, hidden ? `${points[seat]}+?` : String(points[seat]));
      line.classList.toggle("first", ranks[seat] === 1);
      line.classList.toggle("won", places !== null && ranks[seat] === 1);
    });
  }
}
