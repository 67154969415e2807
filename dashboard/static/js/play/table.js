// @ts-check
/** A table to play at, as an element: what comes from the table goes to where it is shown or asked. */

import { h } from "../replay/dom.js";
import { PlayBoard } from "./board.js";
import { afterwards, costliest, endingPanel } from "./ending.js";
import { pressed } from "./keys.js";
import { Line } from "./line.js";
import { leaveLobby, sayWaiting, showLobby } from "./lobby.js";
import { keepSettings, readSettings } from "./settings.js";
import { Showing } from "./showing.js";
import { Surround } from "./surround.js";
import { Turn } from "./turn.js";

/**
 * @typedef {import("../replay/model.js").Payload} Payload
 * @typedef {import("./line.js").Frame} Frame
 * @typedef {import("./plan.js").Ask} Ask
 */

/** How long frames that come together are waited for, in ms. */
const TOGETHER_MS = 60;
const QUICK = 2;
const LOST = "The connection is lost; it is tried again.";

export class BullTable extends HTMLElement {
  /** @type {Payload | undefined} */ payload;
  /** @type {Line | undefined} */ line;
  /** @type {Surround | undefined} */ around;
  /** @type {Showing | undefined} */ showing;
  /** @type {Turn | undefined} */ turn;
  settings = readSettings();
  /** @type {any} */ result = null;
  /** For those who cannot wait: how many times as fast as usual. */
  haste = 1;
  byKeys = false;
  lost = false;
  /** Whether the game is for practice because of a hint. */
  assisted = false;
  /** Whether the game, as it stands, counts for a rating. */
  counts = false;
  /** The bots with their memory, in words. @type {NonNullable<import("./line.js").State["bots"]>} */
  bots = [];
  /** The people whose choices are awaited. @type {string[]} */
  awaited = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */ gathering;

  connectedCallback() {
    if (this.line) return;
    this.line = new Line(this.getAttribute("base") ?? "", this.getAttribute("token") ?? "", {
      frame: (frame) => this.take(frame),
      state: (state) => this.told(state),
      lost: (lost) => this.setLost(lost),
    });
    this.line.open();
    document.addEventListener("keydown", this.onKey);
    document.addEventListener("pointerdown", this.onPointer, { passive: true });
    addEventListener("resize", this.onResize);
    addEventListener("pagehide", this.onLeave);
    addEventListener("pageshow", this.onBack);
  }

  disconnectedCallback() {
    this.onLeave();
    document.removeEventListener("keydown", this.onKey);
    document.removeEventListener("pointerdown", this.onPointer);
    removeEventListener("resize", this.onResize);
    removeEventListener("pagehide", this.onLeave);
    removeEventListener("pageshow", this.onBack);
  }

  onLeave = () => this.line?.close();

  /** @param {PageTransitionEvent} event */
  onBack = (event) => {
    if (event.persisted && !this.line?.over) this.line?.open();
  };

  onPointer = () => this.setByKeys(false);
  onResize = () => this.around?.measure();

  /** @param {KeyboardEvent} event */
  onKey = (event) => {
    const { turn } = this;
    if (!turn) return;
    // The focus is led from here on, so this is known before the key acts.
    const before = this.byKeys;
    this.setByKeys(true);
    if (!pressed(event, turn)) this.setByKeys(before);
  };

  /** Whether the player uses the keyboard just now: then the focus is led. @param {boolean} byKeys */
  setByKeys(byKeys) {
    this.byKeys = byKeys;
    this.classList.toggle("by-keys", byKeys);
  }

  // What comes from the table.

  /** @param {Frame} frame */
  take(frame) {
    const { turn, around } = this;
    switch (frame.type) {
      case "start":
        this.begin(frame.game);
        break;
      case "events":
        this.showing?.extend(frame.steps);
        break;
      case "ask":
        if (turn) turn.pending = /** @type {Ask} */ (/** @type {unknown} */ (frame));
        if (around?.passing) around.toast("");
        break;
      case "answered":
        turn?.answered(frame.ask);
        if (frame.by === "platform") around?.toast("Time was up, so the platform chose for you.", true);
        break;
      case "over":
        this.result = frame;
        break;
      case "closed":
        turn?.end();
        around?.toast(frame.text, true);
        this.line?.end();
        break;
      default:
        around?.toast(frame.text ?? "", frame.type === "warning");
        if (around) around.passing = frame.type === "paused";
    }
    // Frames that come together are shown together.
    clearTimeout(this.gathering);
    this.gathering = setTimeout(() => this.showing?.goOn(), TOGETHER_MS);
  }

  /** @param {import("./line.js").State} state */
  told(state) {
    this.assisted = state.assisted ?? false;
    this.counts = state.counts ?? false;
    this.awaited = state.waiting_for ?? [];
    this.bots = state.bots ?? [];
    this.around?.bots.show(this.bots);
    this.around?.sayCounts(this.counts);
    const { turn } = this;
    if (turn) {
      turn.stand(this.assisted, this.counts);
      turn.awaited = this.awaited;
      if (turn.idling && !this.showing?.moving) turn.idle();
    }
    showLobby(state, this.getAttribute("seat"), this.payload !== undefined);
  }

  /** @param {boolean} lost */
  setLost(lost) {
    if (lost === this.lost) return;
    this.lost = lost;
    this.classList.toggle("lost", lost);
    this.around?.toast(lost ? `${LOST} Your place is kept.` : "Connected again.", lost);
    if (lost) sayWaiting(LOST);
  }

  /** @param {Payload} game */
  begin(game) {
    this.showing?.stop();
    this.payload = game;
    this.result = null;
    this.build(game);
    leaveLobby();
    this.classList.add("ready");
    this.around?.measure();
  }

  /** @param {Payload} payload */
  build(payload) {
    const line = /** @type {Line} */ (this.line);
    const board = new PlayBoard(payload);
    const around = new Surround(this, payload, board, {
      settings: this.settings,
      changed: (settings) => {
        this.settings = settings;
        keepSettings(settings);
      },
      leave: () => this.form("leave", "Leave the table", "danger"),
    });
    const showing = new Showing(payload, board, {
      speed: () => this.haste * (this.settings.quick ? QUICK : 1),
      moving: () => turn.asking.close(),
      cover: () => turn.bar.say("All have chosen", "The cards are turned up."),
      shown: (moment) => {
        around.tell(moment);
        if (!turn.asking.ask) turn.bar.say("", "");
        turn.bar.offer("", "…");
      },
      rest: () => this.rest(),
    });
    const turn = new Turn({
      board, line, around, showing,
      atOnce: () => this.settings.atOnce,
      byKeys: () => this.byKeys,
      lost: () => this.lost,
    }, this.assisted, this.counts);
    turn.awaited = this.awaited;
    around.bots.show(this.bots);
    around.sayCounts(this.counts);
    Object.assign(this, { around, showing, turn });
  }

  /** Everything has been shown. */
  rest() {
    const { turn } = this;
    if (!turn) return;
    if (turn.due && turn.pending) turn.open(turn.pending);
    else if (this.result) this.finish();
    else if (!turn.asking.ask) turn.idle();
  }

  finish() {
    const { payload, showing, turn, result } = this;
    if (!payload || !showing || !turn || this.classList.contains("over")) return;
    this.classList.add("over");
    turn.end();
    this.line?.end();
    const offers = (this.getAttribute("offers") ?? "").split(" ");
    const panel = endingPanel(result, payload.meta, turn.assisted, (action, label, kind) =>
      offers.includes(action) ? this.form(action, label, kind) : null, this.getAttribute("compare"));
    showing.board.own.element.replaceChildren(panel);
    // Of an old table only the beginning and the end are kept.
    const costly = showing.moments.length ? costliest(showing.moments, payload.meta.seat) : null;
    this.classList.toggle("without-moves", costly === null);
    this.after(afterwards(result.replay, this.getAttribute("review") ?? "", payload.meta, costly));
    panel.focus({ preventScroll: true });
  }

  /**
   * A button that sends a form of this table.
   * @param {string} action
   * @param {string} label
   * @param {string} kind
   */
  form(action, label, kind) {
    return h("form", { method: "post", action: `${this.getAttribute("base")}/${action}` },
      h("input", { type: "hidden", name: "csrf", value: this.getAttribute("token") }),
      h("button", { type: "submit", class: kind }, label));
  }
}
