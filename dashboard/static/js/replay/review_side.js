// @ts-check
/** Brings a review into the viewer: fetches or asks for it, and shows no more of it than may be told. */

import { h } from "./dom.js";
import { Reviewed, SIZE_NAMES } from "./review.js";
import { ReviewPanel } from "./review_panel.js";
import { ReviewSource } from "./review_source.js";

/**
 * @typedef {import("./viewer.js").BullReplay} BullReplay
 * @typedef {import("./model.js").Decision} Decision
 * @typedef {import("./review_source.js").Status} Status
 */

export class ReviewSide {
  /**
   * @param {BullReplay} viewer
   * @param {any} meta
   * @param {readonly HTMLElement[]} game what stands beside the table otherwise
   */
  constructor(viewer, meta, game) {
    this.viewer = viewer;
    this.meta = meta;
    this.game = game;
    /** @type {Reviewed | undefined} */
    this.reviewed = undefined;
    /** @type {Map<Decision, import("./review.js").Placed>} */
    this.judged = new Map();
    this.source = new ReviewSource(meta.links.review, (status) => this.take(status), () => viewer.isConnected);
    this.panel = new ReviewPanel(meta.players, {
      ask: () => this.source.ask(), jump: (index) => viewer.jump(index), next: () => this.next(),
    });
    this.panel.onPick = () => this.show();
    const tab = (/** @type {string} */ label, /** @type {boolean} */ review) =>
      h("button", { type: "button", class: "tab", "aria-pressed": String(!review), click: () => this.open(review) }, label);
    this.buttons = [tab("Points and moves", false), tab("Review", true)];
    this.tabs = h("div", { class: "side-tabs", role: "group", "aria-label": "Beside the table" }, ...this.buttons);
  }

  /** Show the review, or the game's own panels. @param {boolean} review */
  open(review) {
    this.buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(review === (at === 1))));
    for (const element of this.game) element.hidden = review;
    this.panel.element.hidden = !review;
  }

  /** Show the review of one seat's decisions. @param {number} seat */
  openAt(seat) {
    this.panel.picked = seat;
    this.open(true);
  }

  load() {
    return this.source.load();
  }

  /** @param {Status} status */
  take(status) {
    if (status.state === "done" && this.viewer.payload) {
      this.reviewed = new Reviewed(this.viewer.payload, status.review, this.viewer.moments);
      for (const step of this.reviewed.steps) if (step.entry) this.judged.set(step.entry, step);
      this.panel.open(this.reviewed);
      if (this.viewer.decisions) this.viewer.decisions.judge = (decision) => this.judge(decision);
      this.viewer.decisions?.renew();
      this.viewer.show(this.viewer.index, 0);
      this.tell();
      this.viewer.measure();
      return;
    }
    this.panel.offer.show(status);
  }

  /** The last moment that may be told. */
  told() {
    return this.viewer.spoils ? this.viewer.moments.length - 1 : this.viewer.head;
  }

  /** @param {Decision} decision */
  judge(decision) {
    const step = this.judged.get(decision);
    if (!step || (this.viewer.seat !== null && step.seat !== this.viewer.seat)) return null;
    return { size: step.size, cost: `+${step.loss.toFixed(1)}`, words: this.words(step) };
  }

  /** @param {import("./review.js").Placed} step */
  words({ seat, size, loss }) {
    return `${this.meta.players[seat].name}: ${SIZE_NAMES[size]}, ${loss.toFixed(1)} heads`;
  }

  /** Marks on the time line, as far as they may be told. */
  tell() {
    if (!this.reviewed) return;
    const marks = this.reviewed.marks(this.told(), this.viewer.seat);
    this.viewer.controls?.mark(marks.map((step) => ({ ...step, words: this.words(step) })), (index) => this.viewer.jump(index));
  }

  /** What the review says of the moment on screen. */
  show() {
    this.panel.show(this.viewer.index, this.told(), this.viewer.lastTold(), this.viewer.seat);
  }

  /** Go to the next turning point. */
  next() {
    const index = this.reviewed?.next(this.viewer.index, this.viewer.seat) ?? null;
    if (index === null) return;
    this.open(true);
    this.viewer.jump(index);
  }
}
