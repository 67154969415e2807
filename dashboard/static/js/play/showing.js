// @ts-check
/** What has happened, shown one moment after another and never faster than it can be followed. */

import { timeline } from "../replay/model.js";
import { paceOf } from "../replay/pace.js";

/**
 * @typedef {import("../replay/model.js").Moment} Moment
 * @typedef {import("../replay/model.js").Payload} Payload
 * @typedef {object} Watcher
 * @property {() => number} speed how many times as fast as usual
 * @property {() => void} moving before something is shown
 * @property {() => void} cover all have chosen, and nobody sees what
 * @property {(moment: Moment) => void} shown
 * @property {() => void} rest everything has been shown
 */

/** So many moments that come at once are not played one by one: the page was opened in mid-game. */
const BACKLOG = 4;
/** How long the cards lie face down before they are turned up, in ms. */
const TENSION_MS = 750;
/** How long cards glide at most, in ms. */
const GLIDE_MS = 900;
const HURRIED = 5;

export class Showing {
  /**
   * @param {Payload} payload
   * @param {import("./board.js").PlayBoard} board
   * @param {Watcher} watcher
   */
  constructor(payload, board, watcher) {
    this.payload = payload;
    this.board = board;
    this.watcher = watcher;
    /** @type {Moment[]} */
    this.moments = [];
    this.index = -1;
    /** Whether what is left of this turn is shown quickly. */
    this.hurried = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  get moving() {
    return this.timer !== undefined;
  }

  /** @param {import("../replay/model.js").Step[]} steps */
  extend(steps) {
    const { payload } = this;
    payload.steps.push(...steps);
    for (const { events } of steps) {
      for (const event of events) if (event.event === "game_end") payload.meta.places = event.places;
    }
    this.moments = timeline(payload, null, this.moments);
    this.board.prepare(this.moments, payload.meta.players.map(() => null));
  }

  /** Show what has happened, then rest. */
  goOn() {
    if (this.moving) return;
    const last = this.moments.length - 1;
    if (this.index < 0 && last > BACKLOG) this.show(last, 0);
    if (this.index < last) {
      this.watcher.moving();
      this.advance();
    } else {
      this.hurried = false;
      this.watcher.rest();
    }
  }

  advance() {
    const next = this.index + 1;
    const reveals = this.moments[next].events[0].event === "reveal";
    if (reveals && !this.hurried) {
      this.board.cover(TENSION_MS * 0.5 / this.speed());
      this.watcher.cover();
      this.timer = setTimeout(() => this.step(next), TENSION_MS / this.speed());
    } else this.step(next);
  }

  /** @param {number} next */
  step(next) {
    const pace = paceOf(this.moments[next]) / this.speed();
    this.show(next, Math.min(pace, GLIDE_MS));
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.goOn();
    }, pace);
  }

  speed() {
    return this.watcher.speed() * (this.hurried ? HURRIED : 1);
  }

  /** Whoever cannot wait. */
  hurry() {
    if (this.moving) this.hurried = true;
  }

  /**
   * @param {number} index
   * @param {number} duration
   */
  show(index, duration) {
    this.index = index;
    this.board.show(this.moments[index], duration);
    this.watcher.shown(this.moments[index]);
  }

  /** Put everything back where it lies. */
  restore() {
    if (this.index >= 0) this.board.show(this.moments[this.index], 0);
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
