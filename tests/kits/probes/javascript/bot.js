"use strict";
// The probe of the conformance suite in JavaScript: the first argument says how it behaves.

const { Bot, run } = require("bullring");

class Slow extends Bot {
  async chooseCard(view) {
    await new Promise((done) => setTimeout(done, 30));
    return Math.min(...view.hand);
  }
}

class Nonsense extends Bot {
  chooseCard() {
    return "nonsense";
  }

  chooseTurn() {
    return { play: 3 };
  }
}

class Throws extends Bot {
  chooseCard() {
    throw new Error("no idea");
  }
}

class ThrowsAtStart extends Bot {
  onGameStart() {
    throw new Error("no start");
  }
}

const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function renamed(value) {
  if (Array.isArray(value)) return value.map(renamed);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [snake(name), renamed(part)]));
}

/** Prints everything it hears. */
class Mirror extends Bot {
  tell(what) {
    console.log(JSON.stringify({ game_no: this.gameNo, ...what }));
  }

  onGameStart() {
    const { name, options } = this.rules;
    this.tell({ rules: { name, options }, seat: this.seat, players: this.players });
  }

  onEvent({ kind, ...event }) {
    this.tell({ kind: snake(kind), event: renamed(event) });
  }

  onGameOver(points, places) {
    this.tell({ points, places });
  }

  mirror(ask, view, legal) {
    this.tell({ ask, view: renamed(view), legal: renamed(legal), asks_left: this.asksLeft });
    this.note("ä".repeat(150));
  }
}
for (const method of ["chooseCard", "chooseRow", "chooseDraft", "chooseXCard", "chooseSteal", "chooseTurn"]) {
  Mirror.prototype[method] = function (view) {
    const kind = snake(method).replace("choose_", "");
    this.mirror(kind, view, kind === "turn" ? this.turns : this.legal);
    return Bot.prototype[method].call(this, view);
  };
}

const STYLES = { plain: Bot, slow: Slow, nonsense: Nonsense, throws: Throws, "throws-at-start": ThrowsAtStart };
if (process.argv[2] === "mirror") {
  run(Mirror, { rules: ["six-nimmt", "eleven-nimmt", "x-nimmt"], maxBatch: 7 });
} else {
  run(STYLES[process.argv[2]]);
}
