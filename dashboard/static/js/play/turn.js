// @ts-check
/** What the player is asked, chooses, puts back and sends, by mouse and by touch. */

import { Asking } from "./asking.js";
import { Bar } from "./bar.js";
import { hintTitle, hintWords, isTooLate, TOO_LATE, WARNING } from "./hint.js";
import { listed } from "./plan.js";

/**
 * @typedef {import("./plan.js").Ask} Ask
 * @typedef {import("./plan.js").Target} Target
 * @typedef {object} Place where the player sits
 * @property {import("./board.js").PlayBoard} board
 * @property {import("./line.js").Line} line
 * @property {import("./surround.js").Surround} around
 * @property {import("./showing.js").Showing} showing
 * @property {() => boolean} atOnce whether a complete choice is sent without asking
 * @property {() => boolean} byKeys whether the keyboard is used: then the focus is led
 * @property {() => boolean} lost whether the connection is lost
 */

const SEND_AGAIN_MS = 2000;
/** How long the own card glides to its place, in ms. */
const LAY_MS = 320;

export class Turn {
  /**
   * @param {Place} place
   * @param {boolean} assisted whether a hint was taken before
   * @param {boolean} counts whether the game, as it stands, counts for a rating
   */
  constructor(place, assisted, counts) {
    this.place = place;
    this.assisted = assisted;
    this.counts = counts;
    this.asking = new Asking(place.board);
    this.bar = new Bar({ confirm: () => this.confirm(), undo: () => this.undo(), hint: () => this.hint() });
    /** What is asked as soon as all that has happened has been shown. @type {Ask | null} */
    this.pending = null;
    /** What was sent and is not yet confirmed by the table. @type {number | null} */
    this.sent = null;
    /** What the hint says, as long as nothing else is to be said. */
    this.hinted = "";
    /** The ask whose hint is shown or under way. @type {Ask | null} */
    this.hintOf = null;
    /** The people whose choices are awaited. @type {string[]} */
    this.awaited = [];
    /** Whether the bar says that others choose. */
    this.idling = false;
    const { element, own } = place.board;
    own.element.prepend(this.bar.element);
    own.element.append(this.bar.buttons);
    element.addEventListener("click", (event) => this.onClick(event));
    for (const name of ["pointerover", "pointerout", "focusin", "focusout"]) {
      element.addEventListener(name, (event) => this.onPoint(event));
    }
  }

  /** Whether there is something to ask that is not asked yet. */
  get due() {
    return this.pending !== null && this.pending.ask !== this.asking.ask?.ask && this.sent !== this.pending.ask;
  }

  /** The table has an answer to this ask. @param {number} ask */
  answered(ask) {
    if (this.pending?.ask === ask) this.pending = null;
    if (this.asking.ask?.ask === ask) this.asking.close();
    this.bar.stopClock();
    this.sent = null;
  }

  /** Nothing more is asked. */
  end() {
    this.pending = null;
    this.idling = false;
    this.asking.close();
    this.bar.stopClock();
  }

  /**
   * How the table stands now, by what it says.
   * @param {boolean} assisted
   * @param {boolean} counts
   */
  stand(assisted, counts) {
    this.assisted = assisted;
    this.counts = counts;
    const { ask } = this.asking;
    if (ask) this.bar.nameHint(hintTitle(ask.ask, counts));
  }

  /** @param {Ask} ask */
  open(ask) {
    const { around, byKeys } = this.place;
    this.sent = null;
    this.idling = false;
    this.hintOf = null;
    this.asking.open(ask);
    this.bar.startClock(ask.deadline, ask.move_ms);
    this.hinted = "";
    this.offerHint(ask);
    this.refresh();
    around.measure();
    around.speak(`${ask.words.title}. ${ask.words.help}`);
    if (byKeys()) this.asking.focusFirst();
  }

  /** Say what is chosen, and offer to send it. @param {string} [refusal] */
  refresh(refusal = "") {
    const { asking, bar } = this;
    if (!asking.ask || !asking.plan) return;
    asking.mark();
    const { title, help } = asking.ask.words;
    const chosen = asking.plan.words();
    const pointed = asking.pointed ? asking.about(asking.pointed) : "";
    if (refusal) bar.say(title, refusal, "why-not");
    else bar.say(title, (chosen && !asking.pointed ? chosen : pointed || chosen) || this.hinted || help, chosen ? "chosen" : "asks");
    bar.offer(asking.plan.label(), "Your turn");
  }

  /** Others choose. */
  idle() {
    this.idling = true;
    const { board, showing } = this.place;
    const other = showing.moments.at(-1)?.table.seat ?? null;
    if (other !== null && other !== board.me) this.bar.say(`${board.meta.players[other].name} is choosing`, "");
    else this.bar.say(`Waiting for ${this.awaited.length ? listed(this.awaited) : "the others"}`, this.sent === null ? "" : "Your choice is made.");
    this.bar.offer("", "Wait");
  }

  /** @param {Ask} ask */
  offerHint(ask) {
    this.bar.nameHint(hintTitle(ask.ask, this.counts));
    this.bar.offerHint(true);
  }

  /** Ask what each choice would cost; the first time it says what that means. */
  async hint() {
    const { asking, bar } = this;
    const { ask } = asking;
    if (!ask || this.hintOf === ask || bar.tooSoon) return;
    if (isTooLate(ask.ask, this.counts)) {
      bar.say(ask.words.title, TOO_LATE, "why-not");
      return;
    }
    if (!this.assisted && !bar.sure) {
      bar.askSure();
      bar.say(ask.words.title, WARNING, "asks");
      return;
    }
    this.hintOf = ask;
    bar.offerHint(false);
    const found = await this.place.line.hint(ask.ask);
    if (asking.ask !== ask) return;
    if (typeof found === "string") {
      this.hintOf = null;
      this.offerHint(ask);
      bar.say(ask.words.title, found, "why-not");
      return;
    }
    this.stand(true, false);
    this.hinted = hintWords(found, ask.kind);
    asking.advise(found);
    this.refresh();
    this.place.around.speak(this.hinted);
  }

  /** @param {Target} target */
  touch(target) {
    const { asking } = this;
    if (!asking.plan) return;
    const refusal = asking.plan.touch(target);
    asking.pointed = null;
    this.refresh(refusal);
    if (refusal) shake(asking.element(target));
    else if (this.place.atOnce() && this.complete()) this.confirm();
  }

  /** Whether nothing could be added to what is chosen. */
  complete() {
    const { ask, plan } = this.asking;
    if (!ask || !plan || plan.choice() === null) return false;
    const legal = /** @type {any} */ (ask.legal);
    return ask.kind !== "turn" || !legal.many;
  }

  undo() {
    this.asking.plan?.clear();
    this.refresh();
  }

  confirm() {
    const { asking, bar, place } = this;
    const { ask } = asking;
    const choice = asking.plan?.choice() ?? null;
    if (!ask || choice === null) return;
    this.sent = ask.ask;
    asking.close();
    bar.stopClock();
    if (!place.lost()) place.around.toast("");
    if (ask.kind === "card") place.board.lay(choice, LAY_MS / place.showing.speed());
    this.idle();
    this.send(ask, choice);
  }

  /**
   * @param {Ask} ask
   * @param {any} choice
   */
  async send(ask, choice) {
    const { line, around, showing } = this.place;
    const answer = await line.choose(ask.ask, choice);
    if (answer.ok) return;
    if (!answer.settled) {
      around.toast("Your choice could not be sent; it is tried again.", true);
      setTimeout(() => {
        if (this.sent === ask.ask) this.send(ask, choice);
      }, SEND_AGAIN_MS);
      return;
    }
    // What was laid down comes back to the hand.
    this.sent = null;
    showing.restore();
    if (this.pending?.ask === ask.ask) this.open(ask);
    this.bar.say(ask.words.title, answer.detail, "why-not");
  }

  /** @param {MouseEvent} event */
  onClick(event) {
    const target = this.asking.at(event.target);
    if (target) this.touch(target);
    else if (this.place.showing.moving) this.place.showing.hurry();
    else this.explainWait(event.target);
  }

  /** Somebody touches a card out of turn. @param {EventTarget | null} under */
  explainWait(under) {
    if (!(under instanceof Element) || !under.closest(".mine .hand .card")) return;
    const { ask } = this.asking;
    if (ask) this.refresh(`Not now. ${ask.words.title}.`);
    else this.bar.say("Not yet", "You can play when you are asked.", "why-not");
  }

  /** @param {Event} event */
  onPoint(event) {
    const { asking } = this;
    if (!asking.ask) return;
    const on = event.type === "pointerover" || event.type === "focusin";
    if (event instanceof PointerEvent && event.pointerType !== "mouse") return;
    const target = on ? asking.at(event.target) : null;
    if (target === asking.pointed) return;
    asking.point(target);
    this.refresh();
  }
}

/** @param {HTMLElement} element */
function shake(element) {
  element.classList.remove("shaken");
  void element.offsetWidth;
  element.classList.add("shaken");
}
