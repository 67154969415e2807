// @ts-check
/** One seat at the table: who it is, its points, its hand and what it has taken. */

import { headIcon } from "./cards.js";
import { h, say } from "./dom.js";
import { seatChip } from "./fields.js";
import { LINE, Zone } from "./zones.js";

/**
 * @typedef {import("./model.js").Player} Player
 * @typedef {import("./model.js").Table} Table
 * @typedef {import("./zones.js").Deck} Deck
 */

export class SeatPanel {
  /**
   * @param {Player} player
   * @param {any} meta
   * @param {Deck} deck
   * @param {Map<string, Zone>} zones
   */
  constructor(player, meta, deck, zones) {
    this.player = player;
    this.total = h("b", { class: "total" });
    this.gain = h("span", { class: "gain", title: "Points of this round" });
    this.place = h("span", { class: "place" });
    this.out = h("span", { class: "out", hidden: true, title: "Out after faults: the referee chooses for it" }, "out");
    this.hand = h("div", { class: "hand", role: "group", "aria-label": "Hand" });
    zones.set(`hand:${player.seat}`, this.handZone(meta, deck));
    this.bulls = meta.table.window ? h("span", { class: "bull-cards" }) : null;
    const things = h("div", { class: "things" }, ...this.things(meta, deck, zones));
    /** @type {HTMLElement} */
    this.element = this.panel(things.childElementCount ? things : null);
  }

  /** @param {HTMLElement | null} things */
  panel(things) {
    const { seat, name } = this.player;
    return h(
      "section",
      { class: `seat seat-${seat}`, "aria-label": `Seat ${seat + 1}: ${name}` },
      this.header(),
      h("div", { class: "holding" }, this.hand, things),
    );
  }

  /**
   * @param {any} meta
   * @param {Deck} deck
   * @returns {Zone}
   */
  handZone(meta, deck) {
    // Where hands grow, a line holds as many cards as the width of a seat leaves readable.
    const line = !meta.table.window ? LINE : meta.players.length > 4 ? 5 : 10;
    return new Zone(this.hand, deck, null, line);
  }

  header() {
    const { seat, name, bot, version, href } = this.player;
    const label = h("span", { class: "name", title: bot }, name);
    return h(
      "header",
      {},
      seatChip(seat),
      href ? h("a", { href, class: "who" }, label) : h("span", { class: "who" }, label),
      version === null ? null : h("span", { class: "version" }, `v${version}`),
      this.out,
      this.bulls,
      h("span", { class: "score" }, this.place, this.gain, this.total, headIcon()),
    );
  }

  /**
   * @param {any} meta
   * @param {Deck} deck
   * @param {Map<string, Zone>} zones
   * @returns {HTMLElement[]}
   */
  things(meta, deck, zones) {
    const { seat } = this.player;
    if (meta.table.seat.includes("bull")) return [this.heap("bull", "Bull pile", deck, zones)];
    if (!meta.table.seat.includes("xrow")) return [];
    const row = h("div", { class: "x-row" });
    zones.set(`xrow:${seat}`, new Zone(row, deck));
    return [
      h("div", { class: "x-place", role: "group", "aria-label": "X row" },
        h("span", { class: "x-label", "aria-hidden": "true" }, "X"), row),
      this.heap("xpile", "X pile", deck, zones),
    ];
  }

  /**
   * @param {string} kind
   * @param {string} label
   * @param {Deck} deck
   * @param {Map<string, Zone>} zones
   */
  heap(kind, label, deck, zones) {
    const cards = h("div", { class: "stack" });
    const sum = h("span", { class: "heap-sum" });
    const zone = new Zone(cards, deck, (list) => say(sum, list.length ? String(deck.count(list)) : ""));
    zones.set(`${kind}:${this.player.seat}`, zone);
    return h("div", { class: `heap ${kind}`, role: "group", "aria-label": label, title: label }, cards, sum);
  }

  /**
   * @param {Table} table
   * @param {boolean} acting
   * @param {any} meta
   * @param {boolean} out
   */
  show(table, acting, meta, out) {
    const { seat } = this.player;
    const now = table.roundOver ? 0 : table.points[seat];
    say(this.total, now === null ? `${table.totals[seat]}+?` : String(table.totals[seat] + now));
    const gain = table.points[seat];
    say(this.gain, gain ? `+${gain}` : "");
    const places = table.places ? meta.places : null;
    say(this.place, places ? ordinal(places[seat]) : "");
    this.element.classList.toggle("won", places?.[seat] === 1);
    this.element.classList.toggle("acting", acting);
    this.out.hidden = !out;
    this.element.classList.toggle("turn", table.seat === seat && !table.places);
    if (this.bulls) {
      const held = table.bullCards[seat];
      if (held !== this.bulls.childElementCount) {
        const cards = Array.from({ length: held }, () => h("span", { class: "bull-card" }, headIcon()));
        this.bulls.replaceChildren(...cards);
        this.bulls.title = `Bull cards: ${held}`;
      }
    }
  }
}

/** @param {number} place */
export function ordinal(place) {
  return `${place}${["", "st", "nd", "rd"][place] ?? "th"}`;
}
