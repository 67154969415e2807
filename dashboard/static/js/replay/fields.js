// @ts-check
/** Parts of the table that only some games have: turned-up cards, draft pool, piles with windows. */

import { headIcon } from "./cards.js";
import { counted, fill, h, say } from "./dom.js";
import { spotOf } from "./flip.js";
import { NumberStrip } from "./strip.js";
import { Zone } from "./zones.js";

/**
 * @typedef {import("./model.js").Moment} Moment
 * @typedef {import("./model.js").Table} Table
 * @typedef {import("./model.js").Zones} Zones
 * @typedef {import("./zones.js").Deck} Deck
 * @typedef {import("./flip.js").Movement} Movement
 */

/** What a pile needs beside its card: its number above, what it takes below, and the gap, in px. */
const PILE_MORE = { width: 22, height: 44 };
const PILE_SIZES = { least: 20, most: 84 };
const PILE_ROWS = [1, 2, 3, 4, 5, 6, 7, 8];
const CARD_SHAPE = 1.38;

/**
 * @param {number} seat
 * @returns {HTMLElement}
 */
export function seatChip(seat) {
  return h("span", { class: `chip seat-${seat}`, title: `Seat ${seat + 1}` }, String(seat + 1));
}

/** The cards turned up in this turn, lowest first, and cards just taken. */
export class Tray {
  /**
   * @param {number} players
   * @param {Deck} deck
   * @param {Map<string, Zone>} zones
   */
  constructor(players, deck, zones) {
    this.laid = Array.from({ length: players }, (_, seat) => {
      const play = h("div", { class: "laid-cards" });
      const taken = h("div", { class: "laid-cards taken" });
      zones.set(`play:${seat}`, new Zone(play, deck));
      zones.set(`taken:${seat}`, new Zone(taken, deck));
      return h("div", { class: "laid", hidden: true }, play, taken, seatChip(seat));
    });
    this.element = h(
      "div",
      { class: "tray", role: "group", "aria-label": "Turned up" },
      h("span", { class: "tray-label", "aria-hidden": "true" }, "Turned up"),
      ...this.laid,
    );
  }

  /** @param {Zones} zones */
  order(zones) {
    this.laid.forEach((place, seat) => {
      const card = zones[`play:${seat}`]?.[0] ?? zones[`taken:${seat}`]?.[0];
      place.hidden = card === undefined;
      if (card !== undefined) place.style.order = String(card);
    });
  }
}

/** The open cards of the draft; each keeps its place until somebody picks it. */
export class PoolField {
  /** @param {Deck} deck */
  constructor(deck) {
    this.deck = deck;
    this.label = h("span", { class: "pool-label", "aria-hidden": "true" });
    this.element = h("div", { class: "pool", role: "group", "aria-label": "Open to the draft" });
    /** @type {Map<number, readonly number[]>} */
    this.pools = new Map();
    /** @type {Map<number, HTMLElement>} */
    this.slots = new Map();
    this.round = -1;
    /** How much wider than high the cards lie, in cards. */
    this.shape = 1.8;
  }

  /** @param {readonly Moment[]} moments */
  prepare(moments) {
    for (const { round, table } of moments) {
      if (table.zones.pool && !this.pools.has(round)) this.pools.set(round, table.zones.pool);
    }
    this.round = -1;
  }

  cards() {
    return [...this.slots.values()].flatMap((slot) => [...slot.children]);
  }

  /**
   * @param {readonly number[]} cards
   * @param {number} round
   */
  show(cards, round) {
    if (round !== this.round) {
      this.round = round;
      const all = this.pools.get(round) ?? [];
      this.slots = new Map(all.map((card) => [card, h("span", { class: "slot" })]));
      this.element.replaceChildren(this.label, ...this.slots.values());
      const columns = Math.ceil(Math.sqrt(all.length * this.shape));
      this.element.style.setProperty("--pool-columns", String(columns));
      this.element.style.setProperty("--pool-rows", String(Math.ceil(all.length / columns)));
    }
    for (const card of cards) {
      const slot = this.slots.get(card);
      const element = this.deck.element(card);
      if (slot && element.parentElement !== slot) slot.append(element);
    }
    say(this.label, `Open to the draft: ${counted(cards.length, "card")}`);
  }
}

/** The piles of 11 nimmt! with what each takes, the draw deck and the bull cards left. */
export class PileField {
  /**
   * @param {[number, number]} window how many numbers above its top a pile takes, and where
   *   counting starts again
   * @param {Deck} deck
   * @param {Map<string, Zone>} zones
   * @param {readonly {name: string}[]} players
   */
  constructor([reach, highest], deck, zones, players) {
    this.reach = reach;
    this.highest = highest;
    this.deck = deck;
    this.zones = zones;
    /** @type {Map<string, {element: HTMLElement, label: HTMLElement, count: HTMLElement}>} */
    this.piles = new Map();
    this.draw = h("div", { class: "stack draw-cards" });
    this.drawCount = h("b");
    this.bulls = h("b");
    // The deck shows one back; which cards lie in it is for nobody to see.
    zones.set("draw", new DrawZone(this.draw, deck));
    const side = h(
      "div",
      { class: "pile-side" },
      h("div", { class: "draw", role: "group", "aria-label": "Draw deck" }, this.draw,
        h("span", { class: "small" }, this.drawCount, " in the deck")),
      h("div", { class: "bull-pool" }, h("span", { class: "bull-card" }, headIcon()),
        h("span", { class: "small" }, this.bulls, " bull cards left")),
    );
    this.list = h("div", { class: "piles", role: "group", "aria-label": "Piles" });
    this.strip = new NumberStrip(reach, highest, players);
    this.element = h("div", { class: "pile-field" }, side, this.list, this.strip.element);
  }

  /**
   * Make and drop piles, and let those that stay move together.
   * @param {Zones} zones
   * @param {Movement | null} movement
   * @param {number} duration
   */
  arrange(zones, movement, duration) {
    const names = pileNames(zones);
    const stays = [...this.piles.keys()].filter((name) => names.includes(name));
    const same = stays.length === this.piles.size && names.length === stays.length;
    if (same && this.list.childElementCount) return;
    const before = movement ? stays.map((name) => spotOf(this.pile(name).element)) : [];
    const elements = names.map((name) => this.pile(name).element);
    fill(this.list, elements);
    this.fit();
    for (const name of [...this.piles.keys()]) {
      if (!names.includes(name)) this.drop(name);
    }
    if (!movement) return;
    const after = stays.map((name) => spotOf(this.pile(name).element));
    stays.forEach((name, at) => {
      movement.glide(this.pile(name).element, before[at], after[at], { duration: duration * 0.5, delay: 0 });
    });
  }

  /** Piles share one place, however many there are: their cards are as large as it allows. */
  fit() {
    const { clientWidth, clientHeight } = this.list;
    const count = Math.max(1, this.list.childElementCount);
    const sizes = PILE_ROWS.map((rows) => Math.min(
      clientWidth / Math.ceil(count / rows) - PILE_MORE.width,
      (clientHeight / rows - PILE_MORE.height) / CARD_SHAPE,
    ));
    const best = Math.max(...sizes);
    const size = Math.min(PILE_SIZES.most, Math.max(PILE_SIZES.least, Math.floor(best)));
    this.list.style.setProperty("--w", `${size}px`);
    this.list.style.setProperty("--pile-columns", String(Math.ceil(count / (1 + sizes.indexOf(best)))));
  }

  /** @param {string} name */
  drop(name) {
    this.piles.delete(name);
    this.zones.delete(name);
  }

  /** @param {string} name */
  pile(name) {
    let pile = this.piles.get(name);
    if (!pile) {
      const cards = h("div", { class: "stack" });
      const label = h("span", { class: "window" });
      const count = h("span", { class: "count" });
      const number = String(Number(name.slice(5)) + 1);
      const element = h(
        "div",
        { class: "pile", role: "group", "aria-label": `Pile ${number}` },
        h("span", { class: "pile-number", "aria-hidden": "true" }, number),
        cards, count, label,
      );
      this.zones.set(name, new Zone(cards, this.deck));
      pile = { element, label, count };
      this.piles.set(name, pile);
    }
    return pile;
  }

  /**
   * @param {Zones} zones
   * @param {Table} table
   */
  label(zones, table) {
    for (const [name, { label, count }] of this.piles) {
      const cards = zones[name] ?? [];
      const top = cards[cards.length - 1];
      const from = (top % this.highest) + 1;
      const to = ((top + this.reach - 1) % this.highest) + 1;
      say(label, `${from}–${to}`);
      label.title = `Takes ${from} to ${to}`;
      say(count, cards.length > 1 ? `×${cards.length}` : "");
      count.title = counted(cards.length, "card");
    }
    say(this.drawCount, String(zones.draw?.length ?? 0));
    say(this.bulls, String(table.bullPool));
    this.strip.show(zones, table);
  }
}

/** A deck of which only one back is seen. */
class DrawZone extends Zone {
  /** @param {readonly number[]} cards */
  show(cards) {
    super.show(cards.length ? [0] : []);
    this.cards = cards;
  }
}

/**
 * @param {Zones} zones
 * @returns {string[]} in the order in which the piles came to the table
 */
function pileNames(zones) {
  return Object.keys(zones)
    .filter((name) => name.startsWith("pile:"))
    .sort((a, b) => Number(a.slice(5)) - Number(b.slice(5)));
}
