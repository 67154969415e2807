// @ts-check
/** A table to play at, as an element: what happens is shown as it comes, and what is asked can be touched. */

import { keyName } from "../replay/controls.js";
import { h, say } from "../replay/dom.js";
import { explainDialog } from "../replay/explain.js";
import { timeline } from "../replay/model.js";
import { paceOf } from "../replay/pace.js";
import { helpDialog } from "../replay/share.js";
import { Asking } from "./asking.js";
import { Bar } from "./bar.js";
import { PlayBoard } from "./board.js";
import { afterwards, costliest, endingPanel } from "./ending.js";
import { hintWords } from "./hint.js";
import { Line } from "./line.js";
import { KEYS, tableMenu } from "./menu.js";
import { keepSettings, readSettings } from "./settings.js";

/**
 * @typedef {import("../replay/model.js").Moment} Moment
 * @typedef {import("../replay/model.js").Payload} Payload
 * @typedef {import("./line.js").Frame} Frame
 * @typedef {import("./plan.js").Ask} Ask
 * @typedef {import("./plan.js").Target} Target
 */

/** So many moments that come at once are not played one by one: the page was opened in mid-game. */
const BACKLOG = 4;
/** How long frames that come together are waited for, in ms. */
const TOGETHER_MS = 60;
/** How long the cards lie face down before they are turned up, in ms. */
const TENSION_MS = 750;
const QUICK = 2;
const HURRIED = 5;
const SEND_AGAIN_MS = 2000;
const LEAST_ROOM = 420;
const FOOT = 8;
/** How often, and by how many px at least, the middle is made smaller until all fits. */
const LOOKS = 10;
const LEAST_STEP = 16;
/** Lines of what was said, for screen readers. */
const SPOKEN = 12;

export class BullTable extends HTMLElement {
  /** @type {Payload | undefined} */ payload;
  /** @type {Moment[]} */ moments = [];
  index = -1;
  settings = readSettings();
  /** What is asked as soon as all that has happened has been shown. @type {Ask | null} */ pending = null;
  /** What was sent and is not yet confirmed by the table. @type {number | null} */ sent = null;
  /** @type {any} */ result = null;
  hurried = false;
  /** For those who cannot wait: how many times as fast as usual. */
  haste = 1;
  byKeys = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ timer;

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
    addEventListener("resize", this.measure);
    addEventListener("pagehide", this.onLeave);
    addEventListener("pageshow", this.onBack);
  }

  disconnectedCallback() {
    this.onLeave();
    document.removeEventListener("keydown", this.onKey);
    document.removeEventListener("pointerdown", this.onPointer);
    removeEventListener("resize", this.measure);
    removeEventListener("pagehide", this.onLeave);
    removeEventListener("pageshow", this.onBack);
  }

  onLeave = () => this.line?.close();

  /** @param {PageTransitionEvent} event */
  onBack = (event) => {
    if (event.persisted && !this.line?.over) this.line?.open();
  };

  onPointer = () => this.setByKeys(false);

  /** Whether the player uses the keyboard just now: then the focus is led. @param {boolean} byKeys */
  setByKeys(byKeys) {
    this.byKeys = byKeys;
    this.classList.toggle("by-keys", byKeys);
  }

  // What comes from the table.

  /** @param {Frame} frame */
  take(frame) {
    switch (frame.type) {
      case "start":
        this.begin(frame.game);
        break;
      case "events":
        this.extend(frame.steps);
        break;
      case "ask":
        this.pending = /** @type {Ask} */ (/** @type {unknown} */ (frame));
        if (this.passing) this.toast("");
        break;
      case "answered":
        this.answered(frame);
        break;
      case "over":
        this.result = frame;
        break;
      case "closed":
        this.pending = null;
        this.asking?.close();
        this.toast(frame.text, true);
        this.line?.end();
        break;
      default:
        this.toast(frame.text ?? "", frame.type === "warning");
        this.passing = frame.type === "paused";
    }
    // Frames that come together are shown together.
    clearTimeout(this.gathering);
    this.gathering = setTimeout(() => this.goOn(), TOGETHER_MS);
  }

  /** @type {ReturnType<typeof setTimeout> | undefined} */ gathering;
  /** Whether the notice has served its purpose when something is asked. */
  passing = false;

  /** @param {Payload} game */
  begin(game) {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.payload = game;
    this.moments = [];
    this.index = -1;
    this.pending = null;
    this.result = null;
    this.sent = null;
    this.build(game);
    for (const part of document.querySelectorAll("[data-lobby]")) part.remove();
    this.classList.add("ready");
    document.body.classList.add("at-table");
    this.measure();
  }

  /** @param {import("../replay/model.js").Step[]} steps */
  extend(steps) {
    const { payload } = this;
    if (!payload) return;
    payload.steps.push(...steps);
    for (const { events } of steps) {
      for (const event of events) if (event.event === "game_end") payload.meta.places = event.places;
    }
    this.moments = timeline(payload, null, this.moments);
    this.board?.prepare(this.moments, payload.meta.players.map(() => null));
  }

  /** @param {Frame} frame */
  answered({ ask, by }) {
    if (this.pending?.ask === ask) this.pending = null;
    if (this.asking?.ask?.ask === ask) this.asking?.close();
    this.bar?.stopClock();
    this.sent = null;
    if (by === "platform") this.toast("Time was up, so the platform chose for you.", true);
  }

  /** @param {import("./line.js").State} state */
  told(state) {
    this.assisted = state.assisted ?? false;
    const places = document.querySelector("[data-people]");
    if (places) {
      const own = this.getAttribute("seat");
      places.replaceChildren(...(state.people ?? []).map(({ seat, name }) =>
        h("li", { class: name ? "here" : "" }, String(seat) === own ? "You" : name || "a free seat")));
    }
    const where = document.querySelector("[data-waiting]");
    if (where) say(where, waitingWords(state));
    // The lobby has other buttons for other states.
    const lobby = /** @type {HTMLElement | null} */ (document.querySelector("[data-lobby]"));
    if (lobby?.dataset.state === "lobby" && state.state !== "lobby") location.reload();
    if (state.state === "closed" && !this.payload) location.reload();
  }

  // How it looks.

  /** @param {Payload} payload */
  build(payload) {
    const { meta } = payload;
    this.board = new PlayBoard(payload);
    this.asking = new Asking(this.board);
    this.bar = new Bar({ confirm: () => this.confirm(), undo: () => this.undo(), hint: () => this.hint() });
    this.explain = explainDialog(meta, payload.heads);
    this.keys = helpDialog(KEYS, "On a touch screen: touch a card, then the button.");
    this.menu = tableMenu(this.settings, {
      changed: (settings) => {
        this.settings = settings;
        keepSettings(settings);
      },
      explain: () => this.explain?.showModal(),
      keys: () => this.keys?.showModal(),
      leave: () => this.form("leave", "Leave the table", "danger"),
    });
    this.when = h("span", { class: "when" });
    this.caption = h("p", { class: "caption" });
    this.spoken = h("div", { class: "spoken", role: "log", "aria-label": "What happened" });
    this.notice = h("p", { class: "notice", role: "status", hidden: true });
    const { own } = this.board;
    own.element.prepend(this.bar.element);
    own.element.append(this.bar.buttons);
    const head = h("div", { class: "felt-head" }, this.when, this.caption, this.menu);
    this.replaceChildren(
      h("div", { class: "viewer" }, h("div", { class: "table-side" }, head, this.notice, this.board.element)),
      this.spoken, this.explain, this.keys);
    this.board.element.addEventListener("click", (event) => this.onClick(event));
    for (const name of ["pointerover", "pointerout", "focusin", "focusout"]) {
      this.board.element.addEventListener(name, (event) => this.onPoint(event));
    }
  }

  /** The felt has what the window leaves. */
  measure = () => {
    const { board } = this;
    if (!board) return;
    const felt = board.element;
    const room = Math.max(LEAST_ROOM, Math.floor(innerHeight - felt.getBoundingClientRect().top - scrollY - FOOT));
    this.style.setProperty("--room", `${room}px`);
    // Large hands and many seats need more than the style sheet expects: the middle gives way.
    let tight = 0;
    felt.style.removeProperty("--tight");
    board.resized();
    for (let look = 0; look < LOOKS && felt.offsetHeight > room; look += 1) {
      // Where width limits the cards, the first steps change nothing.
      tight += Math.max(LEAST_STEP, felt.offsetHeight - room);
      felt.style.setProperty("--tight", `${tight}px`);
      board.resized();
    }
  };

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

  /**
   * @param {string} text
   * @param {boolean} [grave]
   */
  toast(text, grave = false) {
    if (!this.notice) return;
    this.passing = false;
    say(this.notice, text);
    this.notice.hidden = !text;
    this.notice.classList.toggle("grave", grave);
    this.measure();
  }

  /** @param {boolean} lost */
  setLost(lost) {
    if (lost === this.lost) return;
    const was = this.lost;
    this.lost = lost;
    this.classList.toggle("lost", lost);
    if (lost) this.toast("The connection is lost; it is tried again. Your place is kept.", true);
    else if (was) this.toast("Connected again.");
    const where = document.querySelector("[data-waiting]");
    if (where && lost) say(where, "The connection is lost; it is tried again.");
  }

  lost = false;

  // How it moves.

  /** Show what has happened, then ask. */
  goOn() {
    if (this.timer !== undefined || !this.payload || !this.board) return;
    const last = this.moments.length - 1;
    if (this.index < 0 && last > BACKLOG) this.show(last, 0);
    if (this.index < last) {
      this.asking?.close();
      this.advance();
    } else this.rest();
  }

  advance() {
    const next = this.index + 1;
    const reveals = this.moments[next].events[0].event === "reveal";
    if (reveals && !this.hurried) {
      this.board?.cover(TENSION_MS * 0.5 / this.speed());
      this.bar?.say("All have chosen", "The cards are turned up.");
      this.timer = setTimeout(() => this.step(next), TENSION_MS / this.speed());
    } else this.step(next);
  }

  /** @param {number} next */
  step(next) {
    const pace = paceOf(this.moments[next]) / this.speed();
    this.show(next, Math.min(pace, 900));
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.goOn();
    }, pace);
  }

  speed() {
    return this.haste * (this.settings.quick ? QUICK : 1) * (this.hurried ? HURRIED : 1);
  }

  /**
   * @param {number} index
   * @param {number} duration
   */
  show(index, duration) {
    const moment = this.moments[index];
    this.index = index;
    this.board?.show(moment, duration);
    if (this.when) say(this.when, this.whenText(moment));
    if (this.caption) {
      say(this.caption, moment.text);
      this.caption.classList.toggle("long", moment.text.length > 125);
    }
    this.speak(moment.text);
    if (this.asking && !this.asking.ask) this.bar?.say("", "");
    this.bar?.offer("", "…");
  }

  /** @param {Moment} moment */
  whenText({ round, turn, events }) {
    if (turn === null) return `Round ${round + 1} · ${events[0].event === "round_start" ? "Deal" : "Draft"}`;
    return `Round ${round + 1} · Turn ${turn + 1}`;
  }

  /** @param {string} text */
  speak(text) {
    if (!this.spoken || !text) return;
    this.spoken.append(h("p", {}, text));
    while (this.spoken.childElementCount > SPOKEN) this.spoken.firstElementChild?.remove();
  }

  /** Everything has been shown. */
  rest() {
    this.hurried = false;
    if (this.pending && this.pending.ask !== this.asking?.ask?.ask && this.sent !== this.pending.ask) this.openAsk(this.pending);
    else if (this.result) this.finish();
    else if (!this.asking?.ask) this.idle();
  }

  idle() {
    const table = this.moments.at(-1)?.table;
    const other = table?.seat ?? null;
    if (other !== null && other !== this.board?.me) this.bar?.say(`${this.payload?.meta.players[other].name} is choosing`, "");
    else this.bar?.say("Waiting for the others", this.sent === null ? "" : "Your choice is made.");
    this.bar?.offer("", "Wait");
  }

  finish() {
    const { payload, board, result } = this;
    if (!payload || !board || !this.bar || this.classList.contains("over")) return;
    this.classList.add("over");
    this.bar.stopClock();
    this.line?.end();
    const offers = (this.getAttribute("offers") ?? "").split(" ");
    const panel = endingPanel(result, payload.meta, this.assisted, (action, label, kind) =>
      offers.includes(action) ? this.form(action, label, kind) : null);
    board.own.element.replaceChildren(panel);
    this.after(afterwards(result.replay, this.getAttribute("review") ?? "", payload.meta, costliest(this.moments, payload.meta.seat)));
    panel.focus({ preventScroll: true });
  }


  // What the player does.

  /** @param {Ask} ask */
  openAsk(ask) {
    this.sent = null;
    this.asking?.open(ask);
    this.bar?.startClock(ask.deadline, ask.move_ms);
    this.hinted = "";
    this.bar?.offerHint(true, this.assisted);
    this.refresh();
    this.measure();
    this.speak(`${ask.words.title}. ${ask.words.help}`);
    if (this.byKeys) this.asking?.focusFirst();
  }

  /** Say what is chosen, and offer to send it. @param {string} [refusal] */
  refresh(refusal = "") {
    const { asking, bar } = this;
    if (!asking?.ask || !asking.plan || !bar) return;
    asking.mark();
    const { title, help } = asking.ask.words;
    const chosen = asking.plan.words();
    const pointed = asking.pointed ? asking.about(asking.pointed) : "";
    if (refusal) bar.say(title, refusal, "why-not");
    else bar.say(title, (chosen && !asking.pointed ? chosen : pointed || chosen) || this.hinted || help, chosen ? "chosen" : "asks");
    bar.offer(asking.plan.label(), "Your turn");
  }

  /** What the hint says, as long as nothing else is to be said. */
  hinted = "";
  /** Whether the game is for practice because of a hint. */
  assisted = false;

  /** Ask what each choice would cost; the first time it says what that means. */
  async hint() {
    const { asking, bar } = this;
    const ask = asking?.ask;
    if (!ask || !bar) return;
    if (!this.assisted && !bar.sure) {
      bar.askSure();
      bar.say(ask.words.title, "A hint estimates what each choice costs. From then on this game is for practice: it does not count for your rating.", "asks");
      return;
    }
    bar.offerHint(false, this.assisted);
    const found = await this.line?.hint(ask.ask);
    if (!found || asking.ask !== ask) return;
    if (typeof found === "string") {
      bar.offerHint(true, this.assisted);
      bar.say(ask.words.title, found, "why-not");
      return;
    }
    this.assisted = true;
    this.hinted = hintWords(found, ask.kind);
    asking.advise(found);
    this.refresh();
    this.speak(this.hinted);
  }

  /** @param {Target} target */
  touch(target) {
    const { asking } = this;
    if (!asking?.plan) return;
    const refusal = asking.plan.touch(target);
    asking.pointed = null;
    this.refresh(refusal);
    if (refusal) this.shake(asking.element(target));
    else if (this.settings.atOnce && this.complete()) this.confirm();
  }

  /** Whether nothing could be added to what is chosen. */
  complete() {
    const { asking } = this;
    if (!asking?.ask || asking.plan?.choice() === null) return false;
    const legal = /** @type {any} */ (asking.ask.legal);
    return asking.ask.kind !== "turn" || !legal.many;
  }

  /** @param {HTMLElement} element */
  shake(element) {
    element.classList.remove("shaken");
    void element.offsetWidth;
    element.classList.add("shaken");
  }

  undo() {
    this.asking?.plan?.clear();
    this.refresh();
  }

  confirm() {
    const { asking, bar } = this;
    const choice = asking?.plan?.choice() ?? null;
    if (!asking?.ask || choice === null || !bar) return;
    const { ask, kind } = asking.ask;
    const kept = asking.ask;
    this.sent = ask;
    asking.close();
    bar.stopClock();
    if (!this.lost) this.toast("");
    if (kind === "card") this.board?.lay(choice, 320 / this.speed());
    this.idle();
    this.send(kept, choice);
  }

  /**
   * @param {Ask} ask
   * @param {any} choice
   */
  async send(ask, choice) {
    const answer = await this.line?.choose(ask.ask, choice);
    if (!answer || answer.ok) return;
    if (!answer.settled) {
      this.toast("Your choice could not be sent; it is tried again.", true);
      setTimeout(() => {
        if (this.sent === ask.ask) this.send(ask, choice);
      }, SEND_AGAIN_MS);
      return;
    }
    // What was laid down comes back to the hand.
    this.sent = null;
    if (this.index >= 0) this.board?.show(this.moments[this.index], 0);
    if (this.pending?.ask === ask.ask) this.openAsk(ask);
    this.bar?.say(ask.words.title, answer.detail, "why-not");
  }

  /** @param {MouseEvent} event */
  onClick(event) {
    const target = this.asking?.at(event.target) ?? null;
    if (target) this.touch(target);
    else if (this.timer !== undefined) this.hurried = true;
    else this.explainWait(event.target);
  }

  /** Somebody touches a card out of turn. @param {EventTarget | null} under */
  explainWait(under) {
    if (!(under instanceof Element) || !under.closest(".mine .hand .card")) return;
    const { asking } = this;
    if (asking?.ask) this.refresh(`Not now. ${asking.ask.words.title}.`);
    else this.bar?.say("Not yet", "You can play when you are asked.", "why-not");
  }

  /** @param {Event} event */
  onPoint(event) {
    const { asking } = this;
    if (!asking?.ask) return;
    const on = event.type === "pointerover" || event.type === "focusin";
    if (event instanceof PointerEvent && event.pointerType !== "mouse") return;
    const target = on ? asking.at(event.target) : null;
    if (target === asking.pointed) return;
    asking.point(target);
    this.refresh();
  }

  /** @param {KeyboardEvent} event */
  onKey = (event) => {
    const key = keyName(event);
    const { asking } = this;
    if (key === null || !this.payload) return;
    this.setByKeys(true);
    const focused = asking?.focused() ?? null;
    const onButton = event.target instanceof Element && !focused && event.target.closest("button, a, summary, input");
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => asking?.move(-1, 0),
      ArrowRight: () => asking?.move(1, 0),
      ArrowUp: () => asking?.move(0, -1),
      ArrowDown: () => asking?.move(0, 1),
      Escape: () => this.undo(),
      t: () => this.hint(),
      h: () => this.explain?.showModal(),
      "?": () => this.keys?.showModal(),
    };
    if (!onButton) {
      keys.Enter = () => this.enter(focused);
      keys[" "] = () => this.space(focused);
    }
    const digit = /^\d$/.test(key) && asking?.ask ? asking.byDigit(Number(key)) : null;
    const action = digit ? () => this.digit(digit) : keys[key];
    if (!action) return;
    event.preventDefault();
    action();
  };

  /** @param {Target} target */
  digit(target) {
    this.asking?.focus(target);
    if (!this.asking?.plan?.has(target)) this.touch(target);
  }

  /** @param {Target | null} focused */
  enter(focused) {
    const plan = this.asking?.plan;
    if (!plan) {
      if (this.timer !== undefined) this.hurried = true;
      return;
    }
    if (focused && !plan.has(focused)) this.touch(focused);
    else this.confirm();
  }

  /** @param {Target | null} focused */
  space(focused) {
    if (focused) this.touch(focused);
    else if (this.timer !== undefined) this.hurried = true;
  }
}

/** @param {import("./line.js").State} state */
function waitingWords({ state, position, people }) {
  const free = (people ?? []).filter(({ name }) => !name).length;
  if (state === "lobby") return free === 1 ? "One seat is free." : `${free} seats are free.`;
  if (state === "waiting") return (position ?? 1) > 1 ? `All places to play are taken; you are number ${position} in line.` : "The bots are getting ready…";
  if (state === "closed") return "This table is closed.";
  return "The cards are dealt…";
}
