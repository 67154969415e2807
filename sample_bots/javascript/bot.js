"use strict";
// Plays the card that lies closest above a row's end, as the Python sample `gap` does.

const { Bot, heads, lowestBy, run, widestPlay } = require("bullring");

/** How many cards a resting row holds; the next one takes it. */
const ROW_HOLDS = { "six-nimmt": [5, 5, 5, 5], "x-nimmt": [2, 3, 4] };

class GapBot extends Bot {
  chooseCard(view) {
    // What a card would cost comes first, a small gap second: gaps are below 1000.
    return lowestBy(view.hand, (card) => this.risk(card, view));
  }

  risk(card, view) {
    const below = view.rows.map((row) => card - row.at(-1)).map((gap) => (gap > 0 ? gap : Infinity));
    const gap = Math.min(...below);
    if (gap === Infinity) return 1000 * Math.min(...view.rows.map(heads)) + card;
    const index = below.indexOf(gap);
    const full = view.rows[index].length >= ROW_HOLDS[this.rules.name][index];
    return 1000 * (full ? heads(view.rows[index]) : 0) + gap;
  }

  chooseDraft(view) {
    // A hand that is spread out has an answer to most rows, so take what lies farthest from it.
    const held = view.hand.length > 0 ? view.hand : [0];
    return lowestBy(view.pool, (card) => -Math.min(...held.map((other) => Math.abs(card - other))));
  }

  chooseXCard(view) {
    // The X row must rise. The card just above its end leaves the most room for later ones.
    const end = view.xRows[view.seat].at(-1) ?? 0;
    const fitting = view.taken.filter((card) => card > end);
    return Math.min(...(fitting.length > 0 ? fitting : view.taken));
  }

  chooseTurn(view) {
    const widest = widestPlay(this.turns);
    return widest !== null && this.turns.many ? widest : super.chooseTurn(view);
  }
}

if (require.main === module) run(GapBot);

module.exports = { GapBot };
