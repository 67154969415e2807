// @ts-check
/** All that stands round the board: what happened in words, notices, the menu and the dialogs. */

import { h, say } from "../replay/dom.js";
import { explainDialog } from "../replay/explain.js";
import { helpDialog } from "../replay/share.js";
import { BotsBox, KEYS, tableMenu } from "./menu.js";

/**
 * @typedef {import("../replay/model.js").Moment} Moment
 * @typedef {import("./settings.js").Settings} Settings
 */

const LEAST_ROOM = 420;
const FOOT = 8;
/** How often, and by how many px at least, the middle is made smaller until all fits. */
const LOOKS = 10;
const LEAST_STEP = 16;
/** Lines of what was said, for screen readers. */
const SPOKEN = 12;
/** Longer captions are set smaller. */
const LONG_CAPTION = 125;

export class Surround {
  /**
   * @param {HTMLElement} host
   * @param {import("../replay/model.js").Payload} payload
   * @param {import("./board.js").PlayBoard} board
   * @param {{settings: Settings, changed: (settings: Settings) => void, leave: () => HTMLElement}} wishes
   */
  constructor(host, payload, board, { settings, changed, leave }) {
    this.host = host;
    this.board = board;
    this.explain = explainDialog(payload.meta, payload.heads);
    this.keys = helpDialog(KEYS, "On a touch screen: touch a card, then the button.");
    this.bots = new BotsBox();
    this.leaving = h("p");
    this.rounds = payload.meta.planned_rounds;
    this.menu = tableMenu(settings, {
      changed,
      explain: () => this.explain.showModal(),
      keys: () => this.keys.showModal(),
      leave,
    }, this.bots.element, this.leaving);
    this.when = h("span", { class: "when" });
    this.caption = h("p", { class: "caption" });
    this.spoken = h("div", { class: "spoken", role: "log", "aria-label": "What happened" });
    this.notice = h("p", { class: "notice", role: "status", hidden: true });
    /** Whether the notice has served its purpose when something is asked. */
    this.passing = false;
    const head = h("div", { class: "felt-head" }, this.when, this.caption, this.menu);
    host.replaceChildren(
      h("div", { class: "viewer" }, h("div", { class: "table-side" }, head, this.notice, board.element)),
      this.spoken, this.explain, this.keys);
  }

  /** The felt has what the window leaves. */
  measure() {
    const felt = this.board.element;
    const room = Math.max(LEAST_ROOM, Math.floor(innerHeight - felt.getBoundingClientRect().top - scrollY - FOOT));
    this.host.style.setProperty("--room", `${room}px`);
    // Large hands and many seats need more than the style sheet expects: the middle gives way.
    let tight = 0;
    felt.style.removeProperty("--tight");
    this.board.resized();
    for (let look = 0; look < LOOKS && felt.offsetHeight > room; look += 1) {
      // Where width limits the cards, the first steps change nothing.
      tight += Math.max(LEAST_STEP, felt.offsetHeight - room);
      felt.style.setProperty("--tight", `${tight}px`);
      this.board.resized();
    }
  }

  /**
   * @param {string} text
   * @param {boolean} [grave]
   */
  toast(text, grave = false) {
    this.passing = false;
    say(this.notice, text);
    this.notice.hidden = !text;
    this.notice.classList.toggle("grave", grave);
    this.measure();
  }

  /** Whether a game that its player leaves counts. @param {boolean} counts */
  sayCounts(counts) {
    say(this.leaving, `The platform plays your cards to the end${counts ? ", and the game counts" : ". This game does not count"}.`);
  }

  /** Say what has happened. @param {Moment} moment */
  tell(moment) {
    say(this.when, whenText(moment, this.rounds));
    say(this.caption, moment.text);
    this.caption.classList.toggle("long", moment.text.length > LONG_CAPTION);
    this.speak(moment.text);
  }

  /** @param {string} text */
  speak(text) {
    if (!text) return;
    this.spoken.append(h("p", {}, text));
    while (this.spoken.childElementCount > SPOKEN) this.spoken.firstElementChild?.remove();
  }
}

/**
 * @param {Moment} moment
 * @param {number | null} rounds how many there will be; null: that is for the points to decide
 */
function whenText({ round, turn, events }, rounds) {
  const where = (rounds ?? 1) > 1 ? `Round ${round + 1} of ${rounds}` : `Round ${round + 1}`;
  if (turn === null) return `${where} · ${events[0].event === "round_start" ? "Deal" : "Draft"}`;
  return `${where} · Turn ${turn + 1}`;
}
