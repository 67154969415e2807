// @ts-check
/** What stands beside the caption: how to play, what the player prefers, the way out. */

import { h } from "../replay/dom.js";

/**
 * @typedef {import("./settings.js").Settings} Settings
 * @typedef {object} Actions
 * @property {(settings: Settings) => void} changed
 * @property {() => void} explain
 * @property {() => void} keys
 * @property {() => HTMLElement} leave the form that leaves the table
 */

/**
 * @param {Settings} settings
 * @param {Actions} actions
 * @param {HTMLElement} bots what is known of the bots
 * @param {HTMLElement} leaving what becomes of the game of one who leaves
 * @returns {HTMLElement}
 */
export function tableMenu(settings, actions, bots, leaving) {
  const now = { ...settings };
  const check = (/** @type {"atOnce" | "quick"} */ name, /** @type {string} */ label) => {
    const box = h("input", { type: "checkbox", checked: now[name], change: () => {
      now[name] = box.checked;
      actions.changed({ ...now });
    } });
    return h("label", {}, box, label);
  };
  const menu = h("details", { class: "table-menu" },
    h("summary", { class: "quiet" }, "Options"),
    h("div", { class: "menu-box" },
      check("atOnce", "Play at once, without confirming"),
      check("quick", "Quick pace"),
      h("button", { type: "button", class: "keys", click: actions.keys }, "Keys"),
      bots,
      h("details", { class: "leave" }, h("summary", {}, "Leave the table…"),
        leaving, actions.leave())));
  return h("div", { class: "table-tools" },
    h("button", { type: "button", class: "quiet", title: "The rules in five pictures (H)", click: actions.explain }, "How to play"), menu);
}

/** What each bot may use of memory and, when the game is over, has used. */
export class BotsBox {
  constructor() {
    this.list = h("ul", { class: "bots-memory", tabindex: "0" });
    this.element = h("details", { class: "about-bots", hidden: true }, h("summary", {}, "The bots' memory"), this.list);
  }

  /** @param {readonly {name: string, memory: string}[]} bots */
  show(bots) {
    this.element.hidden = !bots.length;
    this.list.replaceChildren(...bots.map(({ name, memory }) =>
      h("li", {}, h("bdi", {}, name), h("span", {}, memory))));
  }
}

/** Every key at the table. @type {readonly [string, string][]} */
export const KEYS = [
  ["← →", "Move along your cards, rows or piles"],
  ["↑ ↓", "Between your hand and the piles"],
  ["1 … 9 0", "Choose the first to tenth card, or that row"],
  ["Enter", "Choose; once more to confirm"],
  ["Space", "Choose or put back; hurry while cards move"],
  ["Esc", "Put back what you chose"],
  ["T", "A hint: what each choice would cost"],
  ["H", "How the game is played"],
  ["?", "This help"],
];
