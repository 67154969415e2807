// @ts-check
/** Buttons, slider and keys with which a viewer moves through a replay. */

import { h, svg } from "./dom.js";
import { SPEEDS } from "./link.js";

/**
 * @typedef {object} Actions
 * @property {() => void} toggle
 * @property {(unit: "move" | "decision" | "turn" | "round", way: 1 | -1) => void} step
 * @property {(index: number) => void} jump
 * @property {(speed: number) => void} speed
 * @property {(seat: number | null) => void} perspective
 * @property {() => void} help
 * @property {() => void} explain
 * @property {(all: boolean) => void} spoil
 * @property {() => void} theatre
 */

/** Icons, drawn in a box of 24. @type {Record<string, string>} */
const ICONS = {
  play: "M8 5v14l11-7Z",
  pause: "M7 5h4v14H7ZM13 5h4v14h-4Z",
  again: "M12 5a7 7 0 1 1-6.7 5h2.2A5 5 0 1 0 12 7v3L7 6l5-4Z",
  move: "M9 5v14l9-7Z",
  turn: "M5 5v14l8-7ZM13 5v14l8-7Z",
  round: "M5 5v14l10-7ZM16 5h3v14h-3Z",
  theatre: "M4 4h6v2H6v4H4ZM14 4h6v6h-2V6h-4ZM4 14h2v4h4v2H4ZM18 14h2v6h-6v-2h4Z",
};

/**
 * @param {string} name
 * @param {boolean} mirrored
 */
function icon(name, mirrored = false) {
  const path = svg("path", { d: ICONS[name], transform: mirrored ? "matrix(-1 0 0 1 24 0)" : null });
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, path);
}

export class Controls {
  /**
   * @param {number} last
   * @param {readonly {seat: number, name: string}[]} players
   * @param {boolean} open whether all perspectives may be chosen
   * @param {boolean} ended whether there is anything to give away
   * @param {Actions} actions
   */
  constructor(last, players, open, ended, actions) {
    const button = (/** @type {string} */ label, /** @type {Node} */ face, /** @type {() => void} */ click) =>
      h("button", { type: "button", class: "control", "aria-label": label, title: label, click }, face);
    const back = (/** @type {"move" | "turn" | "round"} */ unit) =>
      button(`Back one ${unit}`, icon(unit, true), () => actions.step(unit, -1));
    const on = (/** @type {"move" | "turn" | "round"} */ unit) =>
      button(`On one ${unit}`, icon(unit), () => actions.step(unit, 1));
    this.play = button("Play", icon("play"), actions.toggle);
    this.play.classList.add("main");
    this.slider = h("input", {
      type: "range", class: "scrub", min: "0", max: String(last), step: "1", "aria-label": "Moment",
      input: () => actions.jump(Number(this.slider.value)),
    });
    this.speed = h("select", { change: () => actions.speed(Number(this.speed.value)) },
      ...SPEEDS.map((speed) => h("option", { value: speed }, `${speed}×`)));
    this.view = h("select", {
      change: () => actions.perspective(this.view.value === "" ? null : Number(this.view.value)),
    }, open ? h("option", { value: "" }, "All hands open") : null,
    ...players.map(({ seat, name }) => h("option", { value: seat }, `Seat ${seat + 1}: ${name}`)));
    this.spoilers = h("input", { type: "checkbox", change: () => actions.spoil(this.spoilers.checked) });
    this.theatre = h("button", {
      type: "button", class: "quiet theatre-switch", "aria-pressed": "false", "aria-label": "Theatre", title: "Fill the window (T)", click: actions.theatre,
    }, icon("theatre"));
    this.marks = h("div", { class: "marks", "aria-hidden": "true", hidden: true });
    this.transport = h("div", { class: "transport" }, this.marks, this.slider,
      h("div", { class: "buttons" }, back("round"), back("turn"), back("move"), this.play, on("move"), on("turn"), on("round")));
    this.element = h(
      "div",
      { class: "controls", role: "group", "aria-label": "Replay" },
      this.transport,
      h("div", { class: "choices" },
        h("label", { title: "Speed" }, h("span", {}, "Speed"), this.speed),
        players.length > 1 || open ? h("label", { title: "Whose cards are open" }, h("span", {}, "View"), this.view) : null,
        ended ? h("label", { class: "spoil", title: "Show the whole chart and move list, result included" },
          this.spoilers, h("span", {}, "Show everything")) : null,
        h("button", { type: "button", class: "quiet", title: "The rules in five pictures (H)", click: actions.explain }, "How to play"),
        this.theatre,
        h("button", { type: "button", class: "quiet", title: "Keys (?)", "aria-label": "Keys", click: actions.help }, "?")),
    );
  }

  /**
   * @param {number} index
   * @param {string} words
   */
  show(index, words) {
    this.slider.value = String(index);
    this.slider.style.setProperty("--done", `${(100 * index) / Math.max(1, Number(this.slider.max))}%`);
    this.slider.setAttribute("aria-valuetext", words);
  }

  /**
   * Marks above the slider, by the size of the mistake.
   * @param {readonly {moment: number, size: number, words: string}[]} marks
   * @param {(index: number) => void} jump
   */
  mark(marks, jump) {
    this.marks.hidden = false;
    const last = Math.max(1, Number(this.slider.max));
    this.marks.replaceChildren(...marks.map(({ moment, size, words }) => {
      const one = h("span", { class: `mark size-${size}`, title: words, click: () => jump(moment) });
      one.style.left = `${(100 * moment) / last}%`;
      return one;
    }));
  }

  /** There is more to move through. @param {number} last */
  extend(last) {
    this.slider.max = String(last);
  }

  /** @param {"play" | "pause" | "again"} state */
  state(state) {
    if (this.play.dataset.state === state) return;
    const label = { play: "Play", pause: "Pause", again: "Play again" }[state];
    this.play.dataset.state = state;
    this.play.setAttribute("aria-label", label);
    this.play.title = `${label} (space)`;
    this.play.replaceChildren(icon(state));
  }
}

/** Every key, as the help shows it. @type {readonly [string, string][]} */
export const KEYS = [
  ["Space", "Play or pause"],
  ["← →", "One move back or on"],
  [", .", "One decision back or on"],
  ["Shift ← →", "One turn back or on"],
  ["Shift ↑ ↓", "One round back or on"],
  ["Home End", "First or last moment"],
  ["N", "Next turning point, where there is a review"],
  ["+ −", "Faster or slower"],
  ["1 … 9 0", "See with the eyes of that seat; 0 is the tenth"],
  ["A", "All hands open"],
  ["T", "Fill the window; again or Esc to go back"],
  ["C", "Copy a link to this moment"],
  ["H", "How the game is played"],
  ["?", "This help"],
];

/**
 * What a key asks for, or null. Keys belong to whoever types: inputs, lists, dialogs.
 * @param {KeyboardEvent} event
 * @returns {string | null}
 */
export function keyName(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return null;
  const target = event.composedPath()[0];
  if (target instanceof HTMLElement) {
    if (target.isContentEditable || target.closest("textarea, select, dialog")) return null;
    const slider = target instanceof HTMLInputElement && target.type === "range";
    if (target instanceof HTMLInputElement && !slider) return null;
    // Space and Enter press the button or link that has the focus.
    if (event.key === " " && target.closest("button, a, summary")) return null;
  }
  if (event.shiftKey && event.key.startsWith("Arrow")) return `Shift${event.key}`;
  return event.key;
}
