// @ts-check
/** The table: where everything lies, and how it moves from one moment to the next. */

import { headIcon } from "./cards.js";
import { h, say } from "./dom.js";
import { Movement, prefersCalm, spotOf } from "./flip.js";
import { PileField, PoolField, Tray } from "./fields.js";
import { SeatPanel } from "./seat.js";
import { Deck, Zone } from "./zones.js";

/**
 * @typedef {import("./model.js").Moment} Moment
 * @typedef {import("./model.js").Payload} Payload
 * @typedef {import("./flip.js").Spot} Spot
 */

/** @type {readonly number[]} */
const NOTHING = Object.freeze([]);

export class Board {
  /** @param {Payload} payload */
  constructor({ meta, heads }) {
    this.meta = meta;
    this.deck = new Deck(heads);
    this.movement = new Movement();
    /** How much later each card of a movement starts, as a share of its time. */
    this.stagger = 0.06;
    /** @type {readonly (number | null)[]} */
    this.outs = [];
    /** @type {Map<string, Zone>} */
    this.zones = new Map();
    /** @type {SeatPanel[]} */
    this.seats = meta.players.map((/** @type {any} */ player) => this.makeSeat(player));
    this.tray = meta.table.rows.length ? new Tray(this.seats.length, this.deck, this.zones) : null;
    const { window } = meta.table;
    this.piles = window ? new PileField(window, this.deck, this.zones, meta.players) : null;
    this.pool = meta.options.advanced ? new PoolField(this.deck) : null;
    const centre = h("div", { class: "centre" });
    if (meta.table.rows.length) centre.append(this.rows(meta.table.rows));
    if (this.pool) centre.append(this.pool.element);
    if (this.piles) centre.append(this.piles.element);
    this.element = this.layOut(centre);
    this.element.style.setProperty("--players", String(this.seats.length));
  }

  /**
   * @param {import("./model.js").Player} player
   * @returns {SeatPanel}
   */
  makeSeat(player) {
    return new SeatPanel(player, this.meta, this.deck, this.zones);
  }

  /**
   * Where the parts stand.
   * @param {HTMLElement} centre
   * @returns {HTMLElement}
   */
  layOut(centre) {
    const { meta } = this;
    const seats = h("div", { class: "seats" }, ...this.seats.map((seat) => seat.element));
    seats.style.setProperty("--players", String(this.seats.length));
    // Only a table with rows has room for seats beside it.
    const crossed = (meta.table.seat.includes("xrow") ? " crossed" : "") + (this.seats.length > 4 ? " crowd" : "");
    // In how many lines the seats stand where they stand below the table.
    const across = this.seats.length > 6 ? 4 : this.seats.length > 4 ? 3 : 2;
    seats.style.setProperty("--seat-rows", String(Math.ceil(this.seats.length / across)));
    seats.style.setProperty("--across", String(across));
    const side = (!this.tray ? "piled" : this.seats.length <= 4 ? "few" : "many") + crossed;
    const felt = h("div", { class: `felt ${side}` }, centre, this.tray?.element ?? null, seats);
    felt.style.setProperty("--seat-rows", String(Math.ceil(this.seats.length / across)));
    return felt;
  }

  /**
   * @param {readonly number[]} holds how many cards each row holds
   * @returns {HTMLElement}
   */
  rows(holds) {
    const rows = holds.map((size, row) => {
      const cards = h("div", { class: "row-cards" });
      const sum = h("span", { class: "row-sum" });
      const slots = Array.from({ length: size }, () => h("span", { class: "slot" }));
      // The card that would be laid here takes the row.
      const last = h("span", { class: "slot takes" }, headIcon());
      const zone = new Zone(cards, this.deck, (list) => say(sum, String(this.deck.count(list))));
      this.zones.set(`row:${row}`, zone);
      return h(
        "div",
        { class: "row", role: "group", "aria-label": `Row ${row + 1}` },
        h("span", { class: "row-label", "aria-hidden": "true" }, String(row + 1)),
        h("div", { class: "row-place" }, h("div", { class: "slots" }, ...slots, last), cards),
        h("span", { class: "row-heads", title: "Bullheads in this row" }, sum, headIcon()),
      );
    });
    return h("div", { class: "rows" }, ...rows);
  }

  /**
   * Put up what must stay the same size all game long, so that nothing jumps.
   * @param {readonly Moment[]} moments
   * @param {readonly (number | null)[]} outs since when each seat is out
   */
  prepare(moments, outs) {
    this.outs = outs;
    this.pool?.prepare(moments);
  }

  /** The window has another size. */
  resized() {
    this.piles?.fit();
  }

  /**
   * Show a moment.
   * @param {Moment} moment
   * @param {number} duration in ms of the movement that leads to it; 0 shows it at once
   */
  show(moment, duration) {
    const { zones } = moment.table;
    const moving = duration > 0 && !prefersCalm();
    this.movement.settle();
    const before = moving ? this.spots(this.changed(zones)) : new Map();
    const sources = moving ? this.sources(moment) : new Map();
    this.piles?.arrange(zones, moving ? this.movement : null, duration);
    const changed = this.changed(zones);
    for (const [name, zone] of changed) zone.show(zones[name] ?? NOTHING);
    this.pool?.show(zones.pool ?? NOTHING, moment.round);
    this.piles?.label(zones, moment.table);
    this.tray?.order(zones);
    this.element.classList.toggle("drafting", "pool" in zones);
    const acting = actingSeats(moment);
    this.seats.forEach((seat, at) => {
      seat.show(moment.table, acting.has(at), this.meta, moment.index >= (this.outs[at] ?? Infinity));
    });
    if (moving) this.move(changed, before, sources, moment, duration);
  }

  /**
   * States share what did not change, so one comparison a zone tells.
   * @param {import("./model.js").Zones} zones
   * @returns {[string, Zone][]}
   */
  changed(zones) {
    return [...this.zones].filter(([name, zone]) => zone.cards !== (zones[name] ?? NOTHING));
  }

  /**
   * @param {readonly [string, Zone][]} zones
   * @returns {Map<HTMLElement, Spot>}
   */
  spots(zones) {
    const cards = zones.flatMap(([, { element }]) => [...element.children]);
    const drafted = this.pool ? this.pool.cards() : [];
    return new Map([...cards, ...drafted].map((card) => [/** @type {HTMLElement} */ (card), spotOf(card)]));
  }

  /**
   * Where cards come from that had no face before: a hidden hand, or the draw deck.
   * @param {Moment} moment
   * @returns {Map<number, Spot>}
   */
  sources(moment) {
    /** @type {Map<number, Spot>} */
    const spots = new Map();
    const note = (/** @type {number} */ card, /** @type {string} */ zone) => {
      const place = this.zones.get(zone)?.element;
      if (place) spots.set(card, spotOf(place.lastElementChild ?? place));
    };
    for (const event of moment.events) {
      if (event.event === "move") event.cards.forEach((/** @type {number} */ card) => note(card, event.src));
      if (event.event === "reveal") {
        event.cards.forEach((/** @type {number} */ card, /** @type {number} */ seat) => note(card, `hand:${seat}`));
      }
    }
    return spots;
  }

  /**
   * @param {readonly [string, Zone][]} zones
   * @param {Map<HTMLElement, Spot>} before
   * @param {Map<number, Spot>} sources
   * @param {Moment} moment
   * @param {number} duration
   */
  move(zones, before, sources, moment, duration) {
    const order = cardOrder(moment);
    // All are measured before any moves: reading and writing by turns would lay out each time.
    const ends = zones.flatMap(([, { cards, element }]) =>
      [...element.children].map((child, at) => ({
        element: /** @type {HTMLElement} */ (child),
        card: cards[at],
        to: spotOf(child),
      })),
    );
    ends.forEach(({ element, card, to }, at) => {
      const known = before.get(element);
      const from = known ?? sources.get(card);
      const place = order.get(card) ?? 0;
      const delay = Math.min(place * duration * this.stagger, duration * 0.4);
      const pace = { duration: duration * 0.6, delay };
      if (from && card) this.movement.glide(element, from, to, { ...pace, turn: !known });
      else if (known) this.movement.glide(element, known, to, pace);
      else if (card) this.movement.arrive(element, { duration: duration * 0.4, delay: Math.min(at * 6, duration * 0.5) });
    });
  }
}

/**
 * The seats that do something in this moment.
 * @param {Moment} moment
 * @returns {Set<number>}
 */
export function actingSeats({ events }) {
  const seats = new Set();
  for (const event of events) {
    if (event.event === "bull_card") seats.add(event.seat);
    if (event.event !== "move" || event.src === "box") continue;
    for (const zone of [event.src, event.dst]) {
      const found = /^(?:hand|play|bull|taken|xrow|xpile):(\d+)$/.exec(zone);
      if (found) seats.add(Number(found[1]));
    }
  }
  return seats;
}

/**
 * Which card goes first when several move in one moment.
 * @param {Moment} moment
 * @returns {Map<number, number>}
 */
function cardOrder({ events }) {
  /** @type {Map<number, number>} */
  const order = new Map();
  for (const event of events) {
    // Cards that are turned up together lie down in the order in which they will be placed.
    const cards = event.event === "reveal" ? [...event.cards].sort((a, b) => a - b) : (event.cards ?? []);
    for (const card of cards) order.set(card, order.size);
  }
  return order;
}
