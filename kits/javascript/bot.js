"use strict";
// The class that authors write. It knows nothing of connections: client.js feeds it.

/** Bullheads printed on a card. */
function bulls(card) {
  if (card === 55) return 7;
  if (card % 11 === 0) return 5;
  if (card % 10 === 0) return 3;
  return card % 5 === 0 ? 2 : 1;
}

/** Bullheads on all the cards together. */
function heads(cards) {
  return cards.reduce((sum, card) => sum + bulls(card), 0);
}

/** How far a card lies above a top card of 11 nimmt!, where 1 follows 100. */
function gap(card, top) {
  return (card - top + 100) % 100;
}

/** The item for which `key` is smallest; the first one of several. */
function lowestBy(items, key) {
  let best;
  let bestKey = Infinity;
  for (const item of items) {
    const value = key(item);
    if (best === undefined || value < bestKey) {
      best = item;
      bestKey = value;
    }
  }
  return best;
}

/** A small random generator (sfc32): same seed, same numbers from 0 up to 1, on every machine. */
function generator(seed) {
  let a = Number(seed & 0xffffffffn) | 0;
  let b = Number((seed >> 32n) & 0xffffffffn) | 0;
  let c = 0x9e3779b9 | 0;
  let count = 1;
  const draw = () => {
    const sum = (((a + b) | 0) + count) | 0;
    count = (count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum | 0;
    return (sum >>> 0) / 4294967296;
  };
  for (let round = 0; round < 12; round++) draw();
  return draw;
}

/** The most cards a turn of 11 nimmt! can get rid of, or null when no card fits. */
function widestPlay(turns) {
  let left = Object.entries(turns.plays).map(([pile, cards]) => [Number(pile), cards]);
  const play = {};
  for (let count = 0; count < turns.maxPiles && left.length > 0; count++) {
    const [pile, fits] = lowestBy(left, ([number, cards]) => number / 1e6 - cards.length);
    if (fits.length === 0) break;
    play[pile] = turns.many ? fits : fits.slice(0, 1);
    left = left
      .filter(([number]) => number !== pile)
      .map(([number, cards]) => [number, cards.filter((card) => !play[pile].includes(card))]);
  }
  return Object.keys(play).length > 0 ? { play } : null;
}

/**
 * One bot in one game: a fresh instance plays each game, so `this` remembers that game alone.
 * Override the decisions you care about; the others are made as the house would make them.
 *
 * Before onGameStart these are set: `rules` ({name, options, version}), `gameNo`, `seat`, `players`
 * and `rng`, a function that draws from 0 up to 1 and is seeded for this game. Before every decision
 * `legal` holds the legal answers, or `turns` ({plays, maxPiles, many, takes}) for a turn of 11
 * nimmt!.
 */
class Bot {
  /** A game begins. */
  onGameStart() {}

  /** Something happened at the table. Events are sent only to bots that override this. */
  onEvent(_event) {}

  /** The game is over; both lists are by seat. */
  onGameOver(_points, _places) {}

  /** Which card of `view.hand` to lay. */
  chooseCard(_view) {
    return Math.min(...this.legal);
  }

  /** Which row to take: an index into `view.rows`. */
  chooseRow(view) {
    return lowestBy(this.legal, (row) => heads(view.rows[row]));
  }

  /** Which card of `view.pool` to draft (advanced game). */
  chooseDraft(_view) {
    return Math.min(...this.legal);
  }

  /** Which card of `view.taken` to put into the own X row. */
  chooseXCard(_view) {
    return Math.min(...this.legal);
  }

  /** From which seat of `this.legal` to steal a bull card. */
  chooseSteal(_view) {
    return Math.min(...this.legal);
  }

  /** `{take: pile}` or `{play: {pile: [cards]}}`: what is possible is in `this.turns`. */
  chooseTurn(view) {
    const piles = Object.keys(this.turns.plays).map(Number).sort((a, b) => a - b);
    if (piles.length === 0) return { take: Math.min(...this.turns.takes) };
    const tops = new Map(view.piles.map((pile) => [pile.number, pile.top]));
    // Cards stand by ascending gap, so the first of each pile is its closest.
    const best = lowestBy(piles, (pile) => gap(this.turns.plays[pile][0], tops.get(pile)));
    return { play: { [best]: [this.turns.plays[best][0]] } };
  }

  /** Say a word (up to 200 bytes) on the choice you are making; only you will read it. */
  note(text) {
    this._note = String(text);
  }

  /** Time left for all asks of the current message together, the whole bank included. */
  get timeLeftMs() {
    return this._clock.freeMs + this._clock.bankMs - (performance.now() - this._clock.came);
  }

  /** Time left for all asks of the current message before the bank is touched. */
  get freeTimeMs() {
    return this.timeLeftMs - this._clock.bankMs;
  }

  /** How many asks share that time, this one included. */
  get asksLeft() {
    return this._clock.asksLeft;
  }
}

module.exports = { Bot, bulls, gap, generator, heads, lowestBy, widestPlay };
