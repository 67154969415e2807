// @ts-check
/**
 * What a person has chosen but not yet confirmed. No DOM, and no rule of any game: what may be
 * chosen comes with the ask.
 */

/**
 * @typedef {{kind: "card" | "row" | "pile" | "seat", id: number}} Target
 * @typedef {{plays: Record<string, number[]>, max_piles: number, many: boolean, takes: number[]}} TurnLegal
 * @typedef {{text: string, row?: number | null, piles?: number[], heads?: number}} ChoiceWords
 * @typedef {{title: string, help: string, choices: Record<string, ChoiceWords>,
 *   blocked: Record<string, string>, takes?: Record<string, ChoiceWords>}} Words
 * @typedef {{ask: number, kind: string, legal: number[] | TurnLegal, move_ms: number, deadline: string, words: Words}} Ask
 *
 * @typedef {object} Plan
 * @property {(target: Target) => string} touch choose or put back; says why where that cannot be
 * @property {() => void} clear
 * @property {() => any} choice what would be sent; null while nothing is chosen
 * @property {() => string} label of the button that sends it
 * @property {() => string} words what it would do
 * @property {(target: Target) => boolean} has whether this is chosen
 * @property {(target: Target) => boolean} may whether this can be chosen at all
 */

/** What is touched for each kind of ask. @type {Record<string, "card" | "row" | "seat">} */
const TOUCHED = { card: "card", draft: "card", x_card: "card", row: "row", steal: "seat" };

/** @param {readonly (string | number)[]} items */
export function listed(items) {
  const last = items.at(-1) ?? "";
  return items.length > 1 ? `${items.slice(0, -1).join(", ")} and ${last}` : String(last);
}

/**
 * @param {Ask} ask
 * @param {readonly string[]} names by seat
 * @returns {Plan}
 */
export function planFor(ask, names) {
  return ask.kind === "turn" ? new TurnPlan(ask) : new NumberPlan(ask, names);
}

/** One of some numbers: a card, a row, a seat. @implements {Plan} */
export class NumberPlan {
  /**
   * @param {Ask} ask
   * @param {readonly string[]} names
   */
  constructor(ask, names) {
    this.ask = ask;
    this.names = names;
    this.legal = /** @type {number[]} */ (ask.legal);
    /** @type {number | null} */
    this.picked = null;
  }

  /** @param {Target} target */
  may({ kind, id }) {
    return kind === TOUCHED[this.ask.kind] && this.legal.includes(id);
  }

  /** @param {Target} target */
  has({ kind, id }) {
    return kind === TOUCHED[this.ask.kind] && this.picked === id;
  }

  /** @param {Target} target */
  touch(target) {
    if (!this.may(target)) return this.ask.words.blocked[target.id] ?? `Not now. ${this.ask.words.title}.`;
    this.picked = this.picked === target.id ? null : target.id;
    return "";
  }

  clear() {
    this.picked = null;
  }

  choice() {
    return this.picked;
  }

  label() {
    const { picked } = this;
    if (picked === null) return "";
    switch (this.ask.kind) {
      case "row": return `Take row ${picked + 1}`;
      case "draft": return `Pick ${picked}`;
      case "x_card": return `${picked} to the X row`;
      case "steal": return `Steal from ${this.names[picked]}`;
      default: return `Play ${picked}`;
    }
  }

  words() {
    return this.picked === null ? "" : this.ask.words.choices[this.picked].text;
  }
}

/** A turn of 11 nimmt!: some cards on some piles, or a pile to take. @implements {Plan} */
export class TurnPlan {
  /** @param {Ask} ask */
  constructor(ask) {
    this.ask = ask;
    this.legal = /** @type {TurnLegal} */ (ask.legal);
    /** Cards by the pile they are meant for. @type {Map<number, number>} */
    this.laid = new Map();
    /** @type {number | null} */
    this.taken = null;
    /** The card touched last: a pile that is touched next is meant for it. @type {number | null} */
    this.last = null;
  }

  /** @param {number} card */
  piles(card) {
    return Object.keys(this.legal.plays).map(Number).filter((pile) => this.legal.plays[pile].includes(card));
  }

  /** @param {Target} target */
  may({ kind, id }) {
    if (kind === "pile") return this.legal.takes.includes(id);
    return kind === "card" && this.piles(id).length > 0;
  }

  /** @param {Target} target */
  has({ kind, id }) {
    if (kind === "card") return this.laid.has(id);
    return kind === "pile" && (this.taken === id || [...this.laid.values()].includes(id));
  }

  /** @param {Target} target */
  touch(target) {
    if (target.kind === "card") return this.touchCard(target.id);
    if (target.kind === "pile") return this.last === null ? this.take(target.id) : this.aim(this.last, target.id);
    return `Not now. ${this.ask.words.title}.`;
  }

  /** @param {number} card */
  touchCard(card) {
    const fits = this.piles(card);
    if (!fits.length) return this.ask.words.blocked[card] ?? `${card} fits on no pile now.`;
    this.taken = null;
    if (this.laid.delete(card)) {
      this.last = [...this.laid.keys()].at(-1) ?? null;
      return "";
    }
    if (!this.legal.many) this.laid.clear();
    const used = new Set(this.laid.values());
    const free = used.size < this.legal.max_piles;
    const pile = fits.find((one) => used.has(one)) ?? (free ? fits[0] : undefined);
    if (pile === undefined) return this.tooMany(card);
    this.laid.set(card, pile);
    this.last = card;
    return "";
  }

  /** @param {number} card */
  tooMany(card) {
    const most = this.legal.max_piles;
    return `${card} would need another pile, and you may play on ${most === 1 ? "one pile" : `${most} piles`} in this turn: as many as you have bull cards.`;
  }

  /**
   * Mean a card for this pile.
   * @param {number} card
   * @param {number} pile
   */
  aim(card, pile) {
    if (this.laid.get(card) === pile) return "";
    if (!this.piles(card).includes(pile)) {
      return `${card} does not fit on pile ${pile + 1}. Put it back (Esc) if you want to take that pile.`;
    }
    const others = new Set([...this.laid].filter(([other]) => other !== card).map(([, on]) => on));
    if (!others.has(pile) && others.size >= this.legal.max_piles) return this.tooMany(card);
    this.laid.set(card, pile);
    return "";
  }

  /** @param {number} pile */
  take(pile) {
    if (!this.legal.takes.includes(pile)) return "This pile cannot be taken now.";
    this.taken = this.taken === pile ? null : pile;
    return "";
  }

  clear() {
    this.laid.clear();
    this.taken = null;
    this.last = null;
  }

  choice() {
    if (this.taken !== null) return { take: this.taken };
    if (!this.laid.size) return null;
    /** @type {Record<string, number[]>} */
    const play = {};
    for (const [pile, cards] of this.byPile()) play[pile] = cards;
    return { play };
  }

  /** Cards by pile, in the order in which they are laid. @returns {[number, number[]][]} */
  byPile() {
    const piles = [...new Set(this.laid.values())].sort((a, b) => a - b);
    return piles.map((pile) => [pile, this.legal.plays[pile].filter((card) => this.laid.get(card) === pile)]);
  }

  label() {
    if (this.taken !== null) return `Take pile ${this.taken + 1}`;
    const cards = this.byPile().flatMap(([, some]) => some);
    return cards.length ? `Play ${listed(cards)}` : "";
  }

  words() {
    if (this.taken !== null) return this.ask.words.takes?.[this.taken]?.text ?? "";
    const parts = this.byPile().map(([pile, cards]) => `${listed(cards)} on pile ${pile + 1}`);
    if (!parts.length) return "";
    const other = this.last !== null && this.piles(this.last).length > 1 ? ` ${this.last} fits on another pile too: touch that pile to move it.` : "";
    const more = this.legal.many ? " You may add more cards." : "";
    return `${listed(parts)}.${other || more}`;
  }
}
