// @ts-check
/** What the player is asked and has chosen, in words, with the buttons and the clock. */

import { h, say } from "../replay/dom.js";

/** From when on the clock is shown, in seconds left; before, it would only disturb. */
const CLOCK_FROM = 20;
const HURRY_FROM = 8;
/** Longer words are set smaller where there is little room, so that nothing moves. */
const LONG_TEXT = 90;
/** How long what would confirm a hint is ignored, in ms: a double click asks once. */
const SURE_AFTER_MS = 600;

export class Bar {
  /** @param {{confirm: () => void, undo: () => void, hint: (() => void) | null}} actions */
  constructor(actions) {
    this.title = h("b", { class: "ask-title" });
    this.text = h("p", { class: "ask-text", "aria-live": "polite" });
    this.clock = h("span", { class: "clock", role: "timer", hidden: true });
    this.element = h("div", { class: "ask-bar" }, h("div", { class: "ask-words" }, this.title, this.text), this.clock);
    this.confirm = h("button", { type: "button", class: "confirm", disabled: true, click: actions.confirm });
    this.undo = h("button", { type: "button", class: "undo", hidden: true, title: "Put it back (Esc)", click: actions.undo }, "Put back");
    this.hint = h("button", { type: "button", class: "quiet hint", hidden: true, click: () => actions.hint?.() }, "Hint");
    this.buttons = h("div", { class: "own-buttons" }, this.hint, this.undo, this.confirm);
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.ticking = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.deaf = undefined;
  }

  /**
   * @param {string} title
   * @param {string} text
   * @param {"" | "asks" | "why-not" | "chosen"} [how]
   */
  say(title, text, how = "") {
    say(this.title, title);
    say(this.text, text);
    this.text.classList.toggle("long", text.length > LONG_TEXT);
    this.element.classList.toggle("asks", how === "asks" || how === "chosen");
    this.element.classList.toggle("why-not", how === "why-not");
  }

  /**
   * What can be sent now; empty: nothing.
   * @param {string} label
   * @param {string} waiting what the button says meanwhile
   */
  offer(label, waiting) {
    say(this.confirm, label || waiting);
    this.confirm.disabled = !label;
    this.undo.hidden = !label;
  }

  /** Whether the next touch asks for a hint. */
  sure = false;

  /** @param {boolean} offered */
  offerHint(offered) {
    this.sure = false;
    this.listen();
    this.hint.hidden = !offered;
    say(this.hint, "Hint");
  }

  /** @param {string} about what the button says of itself */
  nameHint(about) {
    this.hint.title = `${about} (T)`;
  }

  askSure() {
    this.sure = true;
    say(this.hint, "Show it");
    this.hint.setAttribute("aria-disabled", "true");
    this.deaf = setTimeout(() => this.listen(), SURE_AFTER_MS);
  }

  /** Whether what comes now may be the second half of a double click. */
  get tooSoon() {
    return this.deaf !== undefined;
  }

  listen() {
    clearTimeout(this.deaf);
    this.deaf = undefined;
    this.hint.removeAttribute("aria-disabled");
  }

  /**
   * Count down, and show it when it matters.
   * @param {string} deadline
   * @param {number} most in ms: what a clock that is set wrong cannot exceed
   */
  startClock(deadline, most) {
    this.stopClock();
    const told = Date.parse(deadline) - Date.now();
    const left = told > 0 && told <= most ? told : most;
    const until = performance.now() + left;
    const tick = () => {
      const seconds = Math.max(0, Math.ceil((until - performance.now()) / 1000));
      this.clock.hidden = seconds > CLOCK_FROM;
      this.clock.classList.toggle("hurry", seconds <= HURRY_FROM);
      say(this.clock, `${seconds} s`);
    };
    tick();
    this.ticking = setInterval(tick, 500);
  }

  stopClock() {
    this.hint.hidden = true;
    clearInterval(this.ticking);
    this.ticking = undefined;
    this.clock.hidden = true;
  }
}
