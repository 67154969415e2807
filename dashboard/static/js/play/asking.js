// @ts-check
/** What can be touched while somebody is asked: marks, focus, keys. What it means is the plan's matter. */

import { markOf } from "./hint.js";
import { planFor } from "./plan.js";

/**
 * @typedef {import("./plan.js").Ask} Ask
 * @typedef {import("./plan.js").Plan} Plan
 * @typedef {import("./plan.js").Target} Target
 * @typedef {import("./board.js").PlayBoard} PlayBoard
 */

const MARKS = ["alive", "blocked", "picked", "aim", "costs", "fits"];
/** What a target was before it could be touched. @type {WeakMap<Element, {role: string | null, label: string | null}>} */
const before = new WeakMap();

export class Asking {
  /** @param {PlayBoard} board */
  constructor(board) {
    this.board = board;
    /** @type {Ask | null} */
    this.ask = null;
    /** @type {Plan | null} */
    this.plan = null;
    /** @type {Target[][]} groups that the arrows move in; up and down change the group */
    this.groups = [];
    /** What is pointed at, not chosen. @type {Target | null} */
    this.pointed = null;
  }

  /** @param {Ask} ask */
  open(ask) {
    this.close();
    this.ask = ask;
    this.plan = planFor(ask, this.board.meta.players.map((/** @type {any} */ one) => one.name));
    this.groups = this.targets(ask.kind);
    this.groups.forEach((group, row) => group.forEach((target, at) => this.enliven(target, row === 0 && at === 0)));
    this.mark();
  }

  close() {
    for (const target of this.groups.flat()) this.settle(target);
    this.ask = null;
    this.plan = null;
    this.groups = [];
    this.pointed = null;
  }

  /**
   * What may be touched, legal or not: what is not is explained.
   * @param {string} kind
   * @returns {Target[][]}
   */
  targets(kind) {
    const { zones, me } = this.board;
    const cards = (/** @type {string} */ zone) =>
      (zones.get(zone)?.cards ?? []).filter((card) => card > 0).map((id) => /** @type {Target} */ ({ kind: "card", id }));
    switch (kind) {
      case "row":
        return [this.board.rowElements().map((_, id) => ({ kind: "row", id }))];
      case "draft":
        return [[...(this.board.pool?.slots ?? new Map())].filter(([, slot]) => slot.firstElementChild)
          .map(([id]) => ({ kind: "card", id }))];
      case "x_card":
        return [cards(`taken:${me}`)];
      case "steal":
        return [/** @type {number[]} */ (this.ask?.legal ?? []).map((id) => ({ kind: "seat", id }))];
      case "turn": {
        const piles = [...zones.keys()].filter((name) => name.startsWith("pile:")).map((name) => Number(name.slice(5)));
        return [cards(`hand:${me}`), piles.sort((a, b) => a - b).map((id) => ({ kind: "pile", id }))];
      }
      default:
        return [cards(`hand:${me}`)];
    }
  }

  /**
   * @param {Target} target
   * @returns {HTMLElement}
   */
  element({ kind, id }) {
    switch (kind) {
      case "row": return this.board.rowElements()[id];
      case "seat": return this.board.seats[id].element;
      case "pile": return /** @type {import("../replay/fields.js").PileField} */ (this.board.piles).pile(`pile:${id}`).element;
      default: return this.board.deck.element(id);
    }
  }

  /**
   * The target under an element, if any.
   * @param {EventTarget | null} under
   */
  at(under) {
    if (!(under instanceof Element)) return null;
    return this.groups.flat().find((target) => this.element(target).contains(under)) ?? null;
  }

  /**
   * @param {Target} target
   * @param {boolean} first
   */
  enliven(target, first) {
    const element = this.element(target);
    before.set(element, { role: element.getAttribute("role"), label: element.getAttribute("aria-label") });
    element.setAttribute("role", "button");
    element.setAttribute("tabindex", first ? "0" : "-1");
    const about = this.about(target);
    element.setAttribute("aria-label", `${element.getAttribute("aria-label") ?? ""}. ${about}`);
    if (target.kind === "card") element.title = about;
  }

  /** @param {Target} target */
  settle(target) {
    const element = this.element(target);
    const was = before.get(element);
    for (const name of ["tabindex", "aria-pressed", "aria-disabled"]) element.removeAttribute(name);
    if (was?.role) element.setAttribute("role", was.role);
    if (was?.label) element.setAttribute("aria-label", was.label);
    if (target.kind === "card" && was?.label) element.title = was.label;
    element.classList.remove(...MARKS);
    delete element.dataset.hint;
    for (const row of this.board.rowElements()) row.classList.remove(...MARKS);
  }

  /** What choosing it would do, or why it cannot be chosen. @param {Target} target */
  about({ kind, id }) {
    const { words } = /** @type {Ask} */ (this.ask);
    if (kind === "pile") return words.takes?.[id]?.text ?? "";
    return words.choices[id]?.text ?? words.blocked[id] ?? "";
  }

  /** Mark what each choice would cost. @param {import("./hint.js").Hint} hint */
  advise(hint) {
    for (const target of this.groups.flat()) {
      const mark = this.plan?.may(target) ? markOf(hint, target) : "";
      const element = this.element(target);
      if (!mark) continue;
      element.dataset.hint = mark;
      element.setAttribute("aria-label", `${element.getAttribute("aria-label") ?? ""} Hint: ${mark === "best" ? "the best, or as good" : `about ${mark} points`}.`);
    }
  }

  /** Show what is chosen, what may be, and where it would go. */
  mark() {
    const { plan } = this;
    if (!plan) return;
    for (const target of this.groups.flat()) {
      const element = this.element(target);
      const may = plan.may(target);
      const has = plan.has(target);
      element.classList.toggle("alive", may);
      element.classList.toggle("blocked", !may);
      element.classList.toggle("picked", has);
      element.setAttribute("aria-pressed", String(has));
      if (!may) element.setAttribute("aria-disabled", "true");
    }
    this.aim();
  }

  /** Mark the row or the piles that the card under the pointer, or the chosen one, would go to. */
  aim() {
    const { ask, plan } = this;
    if (!ask || !plan) return;
    const shown = this.pointed ?? this.groups.flat().find((target) => target.kind === "card" && plan.has(target)) ?? null;
    const words = shown?.kind === "card" ? ask.words.choices[shown.id] : undefined;
    if (ask.kind === "card") {
      this.board.rowElements().forEach((row, at) => {
        row.classList.toggle("aim", words?.row === at);
        row.classList.toggle("costs", words?.row === at && (words.heads ?? 0) > 0);
      });
    }
    for (const target of this.groups.flat()) {
      if (target.kind === "pile") this.element(target).classList.toggle("fits", words?.piles?.includes(target.id) ?? false);
    }
  }

  /** @param {Target | null} target */
  point(target) {
    this.pointed = target;
    this.aim();
  }

  // The keyboard.

  /** The target that has the focus. */
  focused() {
    return this.at(document.activeElement);
  }

  /** @param {Target} target */
  focus(target) {
    for (const one of this.groups.flat()) this.element(one).setAttribute("tabindex", "-1");
    const element = this.element(target);
    element.setAttribute("tabindex", "0");
    element.focus({ preventScroll: true });
  }

  /** The first that may be chosen. */
  focusFirst() {
    const all = this.groups.flat();
    const first = all.find((target) => this.plan?.may(target)) ?? all[0];
    if (first) this.focus(first);
  }

  /**
   * @param {number} across
   * @param {number} down
   */
  move(across, down) {
    const now = this.focused();
    if (!now) {
      this.focusFirst();
      return;
    }
    const row = this.groups.findIndex((group) => group.includes(now));
    if (down) {
      const other = this.groups[row + (this.groups.length > 1 ? -down : 0)];
      if (other?.length) this.focus(other[Math.min(other.length - 1, this.groups[row].indexOf(now))]);
      else if (this.groups.length === 1) this.step(row, now, down);
      return;
    }
    this.step(row, now, across);
  }

  /**
   * @param {number} row
   * @param {Target} now
   * @param {number} by
   */
  step(row, now, by) {
    const group = this.groups[row];
    this.focus(group[(group.indexOf(now) + by + group.length) % group.length]);
  }

  /** By digit: 1 is the first, 0 the tenth. @param {number} digit */
  byDigit(digit) {
    return this.groups[0]?.[(digit + 9) % 10] ?? null;
  }
}
