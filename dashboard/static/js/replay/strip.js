// @ts-check
/** All numbers in one line: what the piles take, and what the seat to play holds. */

import { h, say } from "./dom.js";

/**
 * @typedef {import("./model.js").Table} Table
 * @typedef {import("./model.js").Zones} Zones
 */

export class NumberStrip {
  /**
   * @param {number} reach how many numbers above its top a pile takes
   * @param {number} highest after which counting starts again
   * @param {readonly {name: string, you?: boolean}[]} players
   */
  constructor(reach, highest, players) {
    this.reach = reach;
    this.highest = highest;
    this.players = players;
    const ticks = h("div", { class: "ticks" });
    for (let number = 10; number <= highest; number += 10) {
      ticks.append(this.place(h("span", {}, String(number)), number - 0.5));
    }
    this.windows = h("div", { class: "windows" });
    this.cards = h("div", { class: "dots" });
    this.label = h("p", { class: "small" });
    const picture = h("div", { class: "numbers", "aria-hidden": "true" }, this.windows, this.cards, ticks);
    this.element = h("div", { class: "strip" }, this.label, picture);
  }

  /**
   * @param {HTMLElement} element
   * @param {number} from in numbers
   * @param {number} length
   */
  place(element, from, length = 0) {
    element.style.left = `${(100 * from) / this.highest}%`;
    if (length) element.style.width = `${(100 * length) / this.highest}%`;
    return element;
  }

  /**
   * @param {Zones} zones
   * @param {Table} table
   */
  show(zones, table) {
    const tops = Object.entries(zones)
      .filter(([name]) => name.startsWith("pile:"))
      .map(([, cards]) => cards[cards.length - 1]);
    this.windows.replaceChildren(...tops.flatMap((top) => this.window(top)));
    const { seat } = table;
    const hand = (seat === null ? undefined : zones[`hand:${seat}`]) ?? [];
    const known = hand.filter((card) => card > 0);
    const fits = known.filter((card) => tops.some((top) => this.fits(card, top)));
    this.cards.replaceChildren(
      ...known.map((card) => {
        const kind = fits.includes(card) ? "dot fits" : "dot";
        return this.place(h("span", { class: `${kind} seat-${seat}` }), card - 0.5);
      }),
    );
    say(this.label, this.words(seat, hand.length, known.length, fits.length));
  }

  /**
   * @param {number | null} seat
   * @param {number} held
   * @param {number} known how many of those are not hidden
   * @param {number} fitting
   */
  words(seat, held, known, fitting) {
    if (seat === null || !known) return "What the piles take";
    const { name, you } = this.players[seat];
    if (you) return `What the piles take · your hand: ${fitting} of ${held} fit`;
    if (known < held) return `What the piles take · known cards of ${name}`;
    return `What the piles take · hand of ${name}: ${fitting} of ${held} fit`;
  }

  /**
   * @param {number} card
   * @param {number} top
   */
  fits(card, top) {
    const gap = (card - top + this.highest) % this.highest;
    return gap >= 1 && gap <= this.reach;
  }

  /**
   * A window that runs over the highest number comes in two parts.
   * @param {number} top
   */
  window(top) {
    const from = top % this.highest;
    const first = Math.min(this.reach, this.highest - from);
    const parts = [[from, first]];
    if (first < this.reach) parts.push([0, this.reach - first]);
    return parts.map(([start, length]) => this.place(h("span"), start, length));
  }
}
