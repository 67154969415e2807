// @ts-check
/** The table as one who sits at it sees it: the others above, the cards between, the own hand below. */

import { Board } from "../replay/board.js";
import { h, say } from "../replay/dom.js";
import { prefersCalm, spotOf } from "../replay/flip.js";
import { SeatPanel } from "../replay/seat.js";
import { Zone } from "../replay/zones.js";

/**
 * @typedef {import("../replay/model.js").Moment} Moment
 * @typedef {import("../replay/model.js").Player} Player
 * @typedef {import("../replay/flip.js").Spot} Spot
 * @typedef {import("../replay/zones.js").Deck} Deck
 */

const NARROW = 640;
/** The most cards of the own hand in one line, on a phone and on a desk. */
const OWN_LINE = { narrow: 10, wide: 17 };

/** A hand that nobody else sees: one back, and how many there are. */
class CountedZone extends Zone {
  /** @param {readonly number[]} cards */
  show(cards) {
    super.show(cards.length ? [0] : []);
    this.cards = cards;
    this.changed?.(cards);
  }
}

/** Somebody else at the table, in little room. */
export class OtherSeat extends SeatPanel {
  header() {
    const header = super.header();
    // A link would lead away from the game.
    header.querySelector("a.who")?.replaceWith(h("span", { class: "who" }, this.player.name));
    return header;
  }

  /** @param {HTMLElement | null} things */
  panel(things) {
    const { seat, name } = this.player;
    this.count = h("span", { class: "hand-count", title: "Cards in hand" });
    return h(
      "div",
      { class: `seat other seat-${seat}`, role: "group", "aria-label": name },
      this.header(),
      h("div", { class: "holding" }, h("div", { class: "counted" }, this.hand, this.count), things),
    );
  }

  /**
   * @param {any} meta
   * @param {Deck} deck
   */
  handZone(meta, deck) {
    if (meta.options.advanced) return new Zone(this.hand, deck);
    return new CountedZone(this.hand, deck, (cards) => {
      if (this.count) say(this.count, String(cards.length));
    });
  }
}

/** The one who plays. */
export class OwnSeat extends SeatPanel {
  /** @param {HTMLElement | null} things */
  panel(things) {
    const { seat } = this.player;
    this.hand.setAttribute("aria-label", "Your hand");
    this.info = h("div", { class: "own-info" }, this.header(), things);
    return h("section", { class: `mine seat-${seat}`, "aria-label": "Your place" }, this.info, this.hand);
  }

  /**
   * @param {any} _meta
   * @param {Deck} deck
   */
  handZone(_meta, deck) {
    return new Zone(this.hand, deck, null, innerWidth < NARROW ? OWN_LINE.narrow : OWN_LINE.wide);
  }
}

export class PlayBoard extends Board {
  /** @param {import("../replay/model.js").Payload} payload */
  constructor(payload) {
    super(payload);
    this.stagger = 0.1;
    if (this.pool) this.pool.shape = innerWidth >= NARROW ? 3.4 : 1.3;
  }

  /** @returns {number} */
  get me() {
    return this.meta.seat;
  }

  get own() {
    return /** @type {OwnSeat} */ (this.seats[this.me]);
  }

  /** @param {Player} player */
  makeSeat(player) {
    const kind = player.seat === this.meta.seat ? OwnSeat : OtherSeat;
    return new kind(player, this.meta, this.deck, this.zones);
  }

  /** @param {HTMLElement} centre */
  layOut(centre) {
    const count = this.seats.length;
    // Round the table, from the one who sits to the left.
    const others = Array.from({ length: count - 1 }, (_, at) => this.seats[(this.me + 1 + at) % count]);
    const strip = h("div", { class: "others" }, ...others.map((seat) => seat.element));
    strip.style.setProperty("--others", String(count - 1));
    const { meta } = this;
    const names = [
      this.tray ? "laid-out" : "piled",
      meta.table.seat.includes("xrow") ? "crossed" : "",
      meta.options.advanced ? "open-hands" : "",
      count > 5 ? "crowd" : "",
      count > 2 ? "" : "pair",
    ];
    const felt = h("div", { class: `felt seated ${names.filter(Boolean).join(" ")}` },
      strip, h("div", { class: "middle" }, centre, this.tray?.element ?? null), this.own.element);
    felt.style.setProperty("--other-lines", String(Math.ceil((count - 1) / 3)));
    felt.style.setProperty("--rows", String(meta.table.rows.length || 1));
    felt.style.setProperty("--slots", String(1 + Math.max(0, ...meta.table.rows)));
    return felt;
  }

  /** The elements of rows, by number. @returns {HTMLElement[]} */
  rowElements() {
    return [...this.element.querySelectorAll(".row")].map((row) => /** @type {HTMLElement} */ (row));
  }

  /**
   * The own card lies on the table before the others turn up theirs.
   * @param {number} card
   * @param {number} duration in ms
   */
  lay(card, duration) {
    const hand = this.zones.get(`hand:${this.me}`);
    const place = this.zones.get(`play:${this.me}`);
    if (!hand || !place || !hand.cards.includes(card)) return;
    const element = this.deck.element(card);
    const moving = duration > 0 && !prefersCalm();
    const before = moving ? new Map([...hand.element.children].map((one) => [one, spotOf(one)])) : new Map();
    hand.show(hand.cards.filter((one) => one !== card));
    place.show([card]);
    this.tray?.order({ [`play:${this.me}`]: [card] });
    element.classList.add("secret");
    for (const [one, from] of before) {
      this.movement.glide(/** @type {HTMLElement} */ (one), from, spotOf(one), { duration, delay: 0 });
    }
  }

  /**
   * All have chosen: a card face down lies before everybody else.
   * @param {number} duration in ms
   */
  cover(duration) {
    const moving = duration > 0 && !prefersCalm();
    /** @type {Record<string, readonly number[]>} */
    const shown = {};
    const own = this.zones.get(`play:${this.me}`);
    if (own?.cards.length) shown[`play:${this.me}`] = own.cards;
    this.seats.forEach((seat, at) => {
      if (at === this.me) return;
      const place = this.zones.get(`play:${at}`);
      if (!place) return;
      const from = spotOf(seat.hand.lastElementChild ?? seat.hand);
      place.show([0]);
      shown[`play:${at}`] = [1000 + at];
      this.tray?.order(shown);
      const back = /** @type {HTMLElement} */ (place.element.firstElementChild);
      if (moving) this.movement.glide(back, from, spotOf(back), { duration, delay: 0 });
    });
  }

  /**
   * A card that is turned up comes from where it lay face down.
   * @param {Moment} moment
   */
  sources(moment) {
    const spots = super.sources(moment);
    for (const { event, cards } of moment.events) {
      if (event !== "reveal") continue;
      cards.forEach((/** @type {number} */ card, /** @type {number} */ seat) => {
        const back = this.zones.get(`play:${seat}`)?.element.firstElementChild;
        if (back?.classList.contains("back")) spots.set(card, spotOf(back));
      });
    }
    return spots;
  }

  /**
   * @param {Moment} moment
   * @param {number} duration
   */
  show(moment, duration) {
    for (const card of this.element.querySelectorAll(".card.secret")) card.classList.remove("secret");
    super.show(moment, duration);
  }
}
