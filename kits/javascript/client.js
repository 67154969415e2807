"use strict";
// The connection of a bot: one call to the referee, batches hidden, errors said plainly.

const fs = require("node:fs");
const path = require("node:path");
const util = require("node:util");
const { Bot, generator } = require("./bot.js");
const { KINDS, choiceFields, cutNote, eventOf, optionsOf, turnsOf, viewOf } = require("./messages.js");

const SDK = "javascript kit 0.1.0";
const PROTOCOL = 1;
/** A batch that takes longer is answered in parts, so that others need not wait for all of it. */
const FLUSH_MS = 20;
/** How long to wait for the referee to have heard our last words. */
const LAST_WORDS_MS = 1000;
const EXIT = {
  FINE: 0, // The referee said Goodbye.
  AUTHOR: 1, // The author's code threw; the stack is on stderr.
  NOT_CONNECTED: 2, // There is no referee at the address, or no address.
  TOO_NEW: 3, // The referee speaks a newer protocol than this kit.
  LOST: 4, // The connection broke in the middle of a pass.
};

/** The author's code threw while it was at `askId`. */
class AuthorError extends Error {
  constructor(askId, thrown) {
    super("the bot's own code threw");
    this.askId = askId;
    this.thrown = thrown;
  }
}

function quit(code, text) {
  // Standard error is a pipe here: only a synchronous write is sure to arrive before the exit.
  if (text) fs.writeSync(2, `bullring kit: ${text}\n`);
  process.exit(code);
}

/** The contract: beside this file where the kit was copied to, else where the checkout has it. */
function contract() {
  const places = ["bot.proto", "../../proto/wire/v1/bot.proto"];
  const found = places.map((place) => path.join(__dirname, place)).find(fs.existsSync);
  if (!found) quit(EXIT.NOT_CONNECTED, `there is no bot.proto in ${__dirname}; copy it there`);
  return found;
}

function libraries() {
  try {
    return [require("@grpc/grpc-js"), require("@grpc/proto-loader")];
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
    return quit(EXIT.NOT_CONNECTED, `gRPC is not installed. Type\n    make -C "${__dirname}"`);
  }
}

/**
 * Play everything the referee asks, then exit. A fresh `new Kind()` is made for every game.
 * `rules` names the rules the bot can play (none means all); `maxBatch` is how many asks may come in
 * one message, 1 to 256.
 */
function run(Kind, { rules = [], maxBatch = 64 } = {}) {
  const address = process.env.BULLRING_REFEREE;
  if (!address) {
    quit(
      EXIT.NOT_CONNECTED,
      "BULLRING_REFEREE is not set: a bot is started by a referee. To play with it at home, type\n" +
        `    ./bullring play six-nimmt ${path.dirname(process.argv[1])} random random random`,
    );
  }
  new Client(Kind, address).play({
    sdk: SDK,
    rules,
    maxBatch,
    events: Kind.prototype.onEvent !== Bot.prototype.onEvent,
    protocol: PROTOCOL,
  });
}

/** One pass of one bot. */
class Client {
  constructor(Kind, address) {
    this.Kind = Kind;
    this.address = address;
    this.rules = null;
    this.games = new Map();
    this.leaving = null;
  }

  play(hello) {
    const [grpc, loader] = libraries();
    const definition = loader.loadSync(contract(), {
      defaults: true, arrays: true, objects: true, oneofs: true, enums: String, longs: String,
    });
    const Referee = grpc.loadPackageDefinition(definition).bullring.v1.Referee;
    warmUp(Referee.service.Play);
    const client = new Referee(this.address, grpc.credentials.createInsecure(), {
      "grpc.max_receive_message_length": 64 << 20,
      "grpc.enable_http_proxy": 0,
    });
    const metadata = new grpc.Metadata();
    const token = process.env.BULLRING_TOKEN;
    if (token) metadata.set("bullring-token", token);
    this.call = client.play(metadata);
    // Messages are handled one after the other, also while an author's promise is awaited.
    let line = Promise.resolve();
    this.call.on("data", (message) => {
      line = line.then(() => this.leaving === null && this.handle(message)).catch((error) => this.fail(error));
    });
    this.call.on("error", () => {}); // The status says the same and always comes.
    this.call.on("status", (status) => {
      line.then(() => this.ended(status, grpc.status[status.code]));
    });
    this.call.write({ hello });
  }

  ended(status, name) {
    if (this.leaving !== null) quit(this.leaving);
    const detail = `${name}: ${status.details}`;
    if (this.rules === null) {
      quit(EXIT.NOT_CONNECTED, `cannot talk to a referee at '${this.address}' (${detail})`);
    }
    quit(EXIT.LOST, `the connection to the referee ended without Goodbye (${detail})`);
  }

  /** Close our side; the process ends when the referee has heard it, or a little later. */
  leave(code) {
    this.leaving = code;
    this.call.end();
    setTimeout(() => quit(code), LAST_WORDS_MS);
  }

  /** All parts of one message in their order. */
  async handle(message) {
    if (message.welcome) this.welcome(message.welcome);
    for (const start of message.gameStarts) this.start(start);
    for (const { gameNo, events } of message.events) {
      const bot = this.games.get(gameNo);
      for (const event of events.map(eventOf)) if (event) author(0, () => bot.onEvent(event));
    }
    for (const over of message.gameOvers) {
      const bot = this.games.get(over.gameNo);
      this.games.delete(over.gameNo);
      author(0, () => bot.onGameOver(over.points, over.places));
    }
    if (message.asks && message.asks.asks.length > 0) await this.answer(message.asks);
    if (message.goodbye) {
      const { reason, text } = message.goodbye;
      if (reason === "OUT") fs.writeSync(2, `bullring kit: out of this pass: ${text}\n`);
      this.leave(EXIT.FINE);
    }
  }

  welcome(welcome) {
    if (welcome.protocol > PROTOCOL) {
      const known = `this kit knows up to ${PROTOCOL}. Get a newer kit.`;
      quit(EXIT.TOO_NEW, `the referee speaks protocol ${welcome.protocol}, ${known}`);
    }
    this.rules = { name: welcome.rules, options: optionsOf(welcome), version: welcome.rulesVersion };
  }

  start({ gameNo, seat, players, botSeed }) {
    const bot = author(0, () => new this.Kind());
    Object.assign(bot, { rules: this.rules, gameNo, seat, players, rng: generator(BigInt(botSeed)) });
    this.games.set(gameNo, bot);
    author(0, () => bot.onGameStart());
  }

  async answer({ asks, bankMs }) {
    const freeMs = asks.reduce((sum, ask) => sum + ask.moveMs, 0);
    const clock = { freeMs, bankMs, asksLeft: asks.length, came: performance.now() };
    let answers = [];
    let flushed = clock.came;
    for (const ask of asks) {
      answers.push(await this.decide(ask, clock));
      clock.asksLeft--;
      if (clock.asksLeft > 0 && performance.now() - flushed > FLUSH_MS) {
        this.call.write({ answers: { answers } });
        // Node writes only when we let it.
        await new Promise(setImmediate);
        answers = [];
        flushed = performance.now();
      }
    }
    this.call.write({ answers: { answers } });
  }

  async decide(ask, clock) {
    const kind = KINDS[ask.kind];
    if (!kind) throw new AuthorError(ask.askId, new Error(`this kit knows no ask of kind ${ask.kind}`));
    const bot = this.games.get(ask.gameNo);
    bot._clock = clock;
    bot._note = "";
    if (ask.turn) bot.turns = turnsOf(ask.turn);
    else bot.legal = ask.legal;
    let choice = author(ask.askId, () => bot[kind.method](viewOf(ask)));
    if (choice instanceof Promise) {
      choice = await choice.catch((thrown) => { throw new AuthorError(ask.askId, thrown); });
    }
    const fields = choiceFields(kind, choice);
    if (fields === null) {
      // It goes out without a choice, which the referee counts as an illegal one.
      const shown = util.inspect(choice).slice(0, 80);
      fs.writeSync(2, `bullring kit: ${kind.method} returned ${shown}, which is no choice\n`);
    }
    return { askId: ask.askId, note: cutNote(bot._note), ...fields };
  }

  /** Tell the referee which ask failed, and exit. */
  fail(error) {
    if (!(error instanceof AuthorError)) error = new AuthorError("0", error);
    const { askId, thrown } = error;
    const stack = (thrown && thrown.stack) || util.inspect(thrown);
    fs.writeSync(2, `${stack}\nbullring kit: the bot's own code threw, see above\n`);
    const place = /([^/\\(]+\.[cm]?js:\d+):\d+\)?$/m.exec(stack);
    const text = `${String(thrown).slice(0, 300)}${place ? ` (${place[1]})` : ""}`;
    this.call.write({ failure: { askId, error: text } });
    this.leave(EXIT.AUTHOR);
  }
}

/** The loader makes its code at the first message; make it before the clock runs. */
function warmUp({ requestSerialize, responseSerialize, responseDeserialize }) {
  const rows = [{ cards: [1] }];
  const views = [{ sixNimmt: { rows } }, { elevenNimmt: { piles: [{}] }, turn: {} }, { xNimmt: { rows } }];
  for (let round = 0; round < 20; round++) {
    responseDeserialize(responseSerialize({ asks: { asks: views } }));
    requestSerialize({ answers: { answers: [{ card: 1 }, { play: { piles: [{ cards: [1] }] } }] } });
  }
}

/** Run the author's code; what it throws is known as the author's. */
function author(askId, work) {
  try {
    return work();
  } catch (thrown) {
    throw new AuthorError(String(askId), thrown);
  }
}

module.exports = { run };
