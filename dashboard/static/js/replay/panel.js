// @ts-check
/** Beside the table: who decided what and how fast, and the list of moves. */

import { h, say } from "./dom.js";
import { seatChip } from "./fields.js";

/**
 * @typedef {import("./model.js").Decision} Decision
 * @typedef {import("./model.js").Moment} Moment
 * @typedef {import("./model.js").Player} Player
 * @typedef {import("./model.js").Step} Step
 */

/** What each seat has decided: in the turn on screen, or last, where seats decide one after another. */
export class DecisionList {
  /**
   * @param {readonly Player[]} players
   * @param {readonly Step[]} steps
   * @param {boolean} together whether all seats decide in every turn
   */
  constructor(players, steps, together) {
    this.players = players;
    this.steps = steps;
    this.together = together;
    this.title = h("h2", {}, "Decisions");
    this.list = h("ul", { class: "decisions" });
    this.list.style.setProperty("--players", String(players.length));
    this.at = -1;
    this.tallest = 0;
    /** What the review says of a decision; empty: nothing. @type {(decision: Decision) => {size: number, words: string, cost: string} | null} */
    this.judge = () => null;
    /** @type {HTMLElement[]} */
    this.lines = [];
    this.element = h("section", { class: "panel" }, this.title, this.list);
  }

  /**
   * @param {Moment} moment
   * @param {ReadonlySet<number>} acting the seats that the moment is about
   */
  show(moment, acting) {
    if (moment.step !== this.at) {
      this.at = moment.step;
      say(this.title, moment.turn === null ? "Decisions" : `Decisions · turn ${moment.turn + 1}`);
      this.lines = this.latest(moment.step).map((decisions, seat) => this.lineOf(seat, decisions));
      this.list.replaceChildren(...this.lines);
      // The list keeps the height that it once needed, so that what is below keeps still.
      this.tallest = Math.max(this.tallest, this.list.offsetHeight);
      this.list.style.minHeight = `${this.tallest}px`;
    }
    const all = moment.events[0].event === "reveal";
    this.lines.forEach((line, seat) => {
      const now = (all || acting.has(seat)) && !line.classList.contains("none");
      line.classList.toggle("now", now);
      if (now) line.setAttribute("aria-current", "true");
      else line.removeAttribute("aria-current");
    });
    const first = this.lines.find((line) => line.classList.contains("now"));
    if (first && !all) this.list.scrollTop = first.offsetTop - this.list.clientHeight / 3;
  }

  /** Draw the same again, after the review came or another seat is seen with. */
  renew() {
    this.at = -1;
  }

  /**
   * The decisions of each seat in the turn in which it last decided, within the present round.
   * @param {number} at
   * @returns {Decision[][]} by seat
   */
  latest(at) {
    const { round, turn } = this.steps[at];
    /** @type {Decision[][]} */
    const found = this.players.map(() => []);
    /** @type {(number | null | undefined)[]} */
    const turns = this.players.map(() => undefined);
    for (let index = at; index >= 0 && this.steps[index].round === round; index -= 1) {
      const step = this.steps[index];
      if (this.together && step.turn !== turn) break;
      for (const decision of [...step.decisions].reverse()) {
        const { seat } = decision;
        // Picks of a draft belong to no turn: only the last of each seat is of interest.
        const fresh = turns[seat] === undefined;
        if (!fresh && (turns[seat] !== step.turn || step.turn === null)) continue;
        turns[seat] = step.turn;
        found[seat].unshift(decision);
      }
    }
    return found;
  }

  /**
   * @param {number} seat
   * @param {readonly Decision[]} decisions
   */
  lineOf(seat, decisions) {
    if (decisions.length) return this.line(seat, decisions);
    const { name } = this.players[seat];
    return h("li", { class: "none" }, seatChip(seat), h("span", { class: "what" }, h("span", { class: "name" }, name)),
      h("span", { class: "how" }, "not asked yet"));
  }

  /**
   * @param {number} seat
   * @param {readonly Decision[]} decisions
   */
  line(seat, decisions) {
    const choices = decisions.map(choiceText).join(" → ");
    // Forced is only who had no choice at all: one part of a turn says nothing of the others.
    const kinds = decisions.map((one) => one.by);
    const by = kinds.find((one) => one !== "bot" && one !== "forced") ?? (kinds.includes("bot") ? "bot" : kinds[0]);
    const timed = [...decisions].reverse().find(({ ms }) => ms !== null);
    const worst = decisions.map(this.judge).filter((one) => one !== null).sort((a, b) => b.size - a.size)[0];
    const line = h(
      "li",
      {},
      seatChip(seat),
      h("span", { class: "what" }, h("span", { class: "name" }, this.players[seat].name), " ", h("b", {}, choices)),
      h("span", { class: "how" }, worst?.size ? h("span", { class: `cost size-${worst.size}`, title: worst.words }, worst.cost) : null, by === "bot" ? null : h("span", { class: `badge ${by}` }, by),
        timed ? h("span", { class: "ms", title: batchText(timed.batch) }, msText(Number(timed.ms))) : null),
    );
    for (const { fault, note } of decisions) {
      if (fault) {
        const sent = fault.sent === null || fault.sent === undefined ? "" : `, sent ${JSON.stringify(fault.sent)}`;
        line.append(h("span", { class: "fault" }, `Fault: ${fault.kind.replaceAll("_", " ")}${sent}`));
      }
      if (note) line.append(h("q", { class: "note" }, note));
    }
    return line;
  }
}

/**
 * @param {Decision} decision
 * @returns {string}
 */
export function choiceText({ kind, choice }) {
  switch (kind) {
    case "row":
      return `row ${choice + 1}`;
    case "x_card":
      return `X row ${choice}`;
    case "steal":
      return `steal from seat ${choice + 1}`;
    case "turn":
      if ("take" in choice) return `take pile ${choice.take + 1}`;
      return Object.entries(choice.play)
        .map(([pile, cards], at) => `${cards.join(", ")} on ${at ? "" : "pile "}${Number(pile) + 1}`)
        .join("; ");
    default:
      return String(choice);
  }
}

/** @param {number} ms */
function msText(ms) {
  if (ms >= 10000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms >= 100 ? Math.round(ms) : ms.toFixed(1)} ms`;
}

/** @param {number | null} batch */
function batchText(batch) {
  return batch === null || batch === 1 ? "Think time" : `Think time: a share of ${batch} asks in one message`;
}

/** The moves of the present round, as far as they may be told; each leads to its moment. */
export class MoveList {
  /** @param {(index: number) => void} jump */
  constructor(jump) {
    this.jump = jump;
    this.title = h("h2");
    this.list = h("ol", { class: "moves" });
    this.element = h("section", { class: "panel grow" }, this.title, this.list);
    /** @type {readonly Moment[]} */
    this.moments = [];
    this.round = -1;
    /** @type {Map<number, HTMLButtonElement>} */
    this.buttons = new Map();
    /** @type {HTMLButtonElement | undefined} */
    this.current = undefined;
  }

  /**
   * What may be told now. More of the same game is added to the list, anything else begins it again.
   * @param {readonly Moment[]} moments
   */
  tell(moments) {
    const known = this.moments.length;
    const same = known > 0 && moments.length >= known && moments[known - 1] === this.moments[known - 1];
    this.moments = moments;
    if (!same) {
      this.round = -1;
      return;
    }
    for (const moment of moments.slice(known)) {
      if (moment.round === this.round) this.list.append(this.line(moment));
    }
  }

  /** @param {number} index */
  show(index) {
    const { round } = this.moments[index];
    if (round !== this.round) this.fill(round);
    if (this.current) {
      this.current.removeAttribute("aria-current");
      this.current.tabIndex = -1;
    }
    const button = this.buttons.get(index);
    this.current = button;
    if (!button) return;
    button.setAttribute("aria-current", "step");
    // One stop for the tab key: hundreds of moves must not stand in the way.
    button.tabIndex = 0;
    // Measured with the next frame, when the browser lays out anyway.
    requestAnimationFrame(() => this.reveal(button));
  }

  /** Scroll the list, never the page. @param {HTMLElement} button */
  reveal(button) {
    const { list } = this;
    const top = button.offsetTop - list.offsetTop;
    const below = top + button.offsetHeight - list.clientHeight;
    if (top < list.scrollTop || below > list.scrollTop) list.scrollTop = top - list.clientHeight / 3;
  }

  /** @param {number} round */
  fill(round) {
    this.round = round;
    say(this.title, `Moves of round ${round + 1}`);
    this.buttons.clear();
    const moments = this.moments.filter((moment) => moment.round === round);
    this.list.replaceChildren(...moments.map((moment) => this.line(moment)));
  }

  /** @param {Moment} moment */
  line(moment) {
    const above = this.moments[moment.index - 1];
    const begins = moment.turn !== null && (above?.round !== moment.round || above.turn !== moment.turn);
    const button = h("button", { type: "button", tabindex: "-1", click: () => this.jump(moment.index) }, moment.text);
    const mark = begins ? String(Number(moment.turn) + 1) : "";
    this.buttons.set(moment.index, button);
    return h("li", {}, h("span", { class: "turn-number", "aria-hidden": "true" }, mark), button);
  }
}
