// @ts-check
/** Places for cards: each zone of the table has one element that holds its cards in order. */

import { backElement, cardElement } from "./cards.js";
import { fill } from "./dom.js";

/** The most cards of a hand in one line, so that every number can be read. */
export const LINE = 13;

/** Makes each card once and hands out the same element wherever the card goes. */
export class Deck {
  /** @param {readonly number[]} heads bullheads by card */
  constructor(heads) {
    this.heads = heads;
    /** @type {Map<number, HTMLElement>} */
    this.elements = new Map();
  }

  /**
   * @param {number} card
   * @returns {HTMLElement}
   */
  element(card) {
    let element = this.elements.get(card);
    if (!element) {
      element = cardElement(card, this.heads[card]);
      this.elements.set(card, element);
    }
    return element;
  }

  /** @param {readonly number[]} cards */
  count(cards) {
    return cards.reduce((sum, card) => sum + this.heads[card], 0);
  }
}

/** What a zone holds before it is first shown; equal to no list of cards. @type {readonly number[]} */
const UNSEEN = [];

/** One zone's element. Cards face down have no identity, so each zone keeps some backs. */
export class Zone {
  /**
   * @param {HTMLElement} element
   * @param {Deck} deck
   * @param {((cards: readonly number[]) => void) | null} changed
   * @param {number} line the most cards that lie in one line
   */
  constructor(element, deck, changed = null, line = LINE) {
    this.line = line;
    this.element = element;
    this.deck = deck;
    this.changed = changed;
    /** @type {readonly number[]} */
    this.cards = UNSEEN;
    /** @type {HTMLElement[]} */
    this.backs = [];
  }

  /**
   * @param {readonly number[]} cards
   */
  show(cards) {
    let hidden = 0;
    const elements = cards.map((card) => (card ? this.deck.element(card) : this.back(hidden++)));
    fill(this.element, elements);
    // A large hand is laid in two lines of about the same length.
    const lines = cards.length > this.line ? 2 : 1;
    this.element.classList.toggle("two-lines", lines > 1);
    // The last card of a line keeps its width; the others give way.
    this.element.style.setProperty("--columns", String(Math.max(1, Math.ceil(cards.length / lines) - 1)));
    this.cards = cards;
    this.changed?.(cards);
  }

  /** @param {number} at */
  back(at) {
    this.backs[at] ??= backElement();
    return this.backs[at];
  }
}
