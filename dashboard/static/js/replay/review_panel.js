// @ts-check
/** The review beside the table: an offer and its progress, then decision, expectation and ledger. */

import { h, say } from "./dom.js";
import { seatChip } from "./fields.js";
import { choiceText } from "./panel.js";
import { ExpectedChart } from "./review_chart.js";
import { SIZE_NAMES } from "./review.js";
import { ledgerTable, signed } from "./review_ledger.js";
import { ReviewOffer } from "./review_offer.js";

/**
 * @typedef {import("./model.js").Player} Player
 * @typedef {import("./review.js").Placed} Placed
 * @typedef {import("./review.js").Reviewed} Reviewed
 * @typedef {{ask: () => void, jump: (index: number) => void, next: () => void}} Actions
 */

const SHOWN = 5;

export class ReviewPanel {
  /**
   * @param {readonly Player[]} players
   * @param {Actions} actions
   */
  constructor(players, actions) {
    this.players = players;
    this.actions = actions;
    /** @type {number | null} */
    this.picked = null;
    this.chart = new ExpectedChart(actions.jump);
    this.offer = new ReviewOffer(actions.ask, "the player");
    this.picks = h("div", { class: "picks", role: "group", "aria-label": "Whose decisions" });
    this.turning = h("button", { type: "button", class: "quiet", title: "Next turning point (N)", click: actions.next }, "Next turning point");
    this.verdict = h("p", { class: "verdict", "aria-live": "polite" });
    this.options = h("ol", { class: "alternatives" });
    this.ledger = h("div", { class: "ledger-box" });
    this.chartTitle = h("h3", {});
    this.body = h("div", { class: "review-body", hidden: true },
      h("div", { class: "review-head" }, this.picks, this.turning),
      this.verdict, this.options,
      h("h3", {}, "Where the points come from"), this.ledger,
      this.chartTitle, this.chart.element,
      h("p", { class: "key small" }, h("span", { class: "cost" }, "▍"), "its choice cost heads  ", h("span", { class: "gain" }, "▍"), "its choice saved heads  ",
        h("span", { class: "luck" }, "┄ "), "luck and the others"));
    this.element = h("section", { class: "panel review grow", "aria-label": "Review", hidden: true }, this.offer.element, this.body);
  }

  /** @param {Reviewed} reviewed */
  open(reviewed) {
    this.reviewed = reviewed;
    this.offer.element.hidden = true;
    this.body.hidden = false;
  }

  /**
   * @param {number} index the moment on screen
   * @param {number} told the last moment that may be told
   * @param {number} last
   * @param {number | null} eyes whose cards are open; null: all
   */
  show(index, told, last, eyes) {
    const { reviewed } = this;
    if (!reviewed) return;
    const now = reviewed.at(index).filter(({ seat }) => eyes === null || seat === eyes);
    const costliest = [...now].sort((a, b) => b.size - a.size || b.loss - a.loss)[0];
    // At the end of the game the reader looks at who won it, not at who decided last.
    const winner = index === last ? this.players.find(({ place, seat }) => place === 1 && reviewed.seats.includes(seat)) : undefined;
    const seat = eyes ?? this.picked ?? winner?.seat ?? costliest?.seat ?? reviewed.seats[0];
    this.offerPicks(seat, eyes);
    this.decision(now.find((step) => step.seat === seat), seat);
    say(this.chartTitle, `What ${this.players[seat].name} could expect, in heads`);
    this.chart.draw(reviewed.expected(seat, told), last, this.players[seat].name);
    this.chart.mark(index);
    this.drawLedger(told, seat);
    this.turning.disabled = reviewed.next(index, eyes) === null;
  }

  /**
   * @param {number} seat
   * @param {number | null} eyes
   */
  offerPicks(seat, eyes) {
    const seats = eyes === null ? (this.reviewed?.seats ?? []) : [eyes];
    this.picks.replaceChildren(...seats.map((one) => {
      const { name } = this.players[one];
      return h("button", {
        type: "button", class: "pick", title: name, "aria-label": name, "aria-pressed": String(one === seat),
        click: () => {
          this.picked = this.picked === one ? null : one;
          this.onPick();
        },
      }, seatChip(one));
    }));
  }

  /** Called when another seat was picked. */
  onPick() {}

  /**
   * @param {Placed | undefined} step
   * @param {number} seat
   */
  decision(step, seat) {
    const { name } = this.players[seat];
    if (!step) {
      say(this.verdict, `${name} has nothing to decide here.`);
      this.options.replaceChildren();
      return;
    }
    say(this.verdict, verdictOf(step, name));
    const best = step.alternatives.find(({ choice }) => same(choice, step.best)) ?? step.alternatives[0];
    const shown = step.alternatives.slice(0, SHOWN);
    const played = step.alternatives.find(({ choice }) => same(choice, step.choice));
    if (played && !shown.includes(played)) shown.push(played);
    const most = Math.max(0.5, ...shown.map(({ q }) => q - best.q));
    this.options.replaceChildren(...shown.map((one) => {
      const cost = one === best ? 0 : one.q - best.q;
      const bar = h("span", { class: "bar" });
      bar.style.width = `${Math.max(0, Math.min(1, cost / most)) * 100}%`;
      const tag = one === played ? "played" : one === best ? "best" : one.tied ? "as good" : "";
      return h("li", { class: one === played ? "played" : null },
        h("b", {}, choiceText({ ...step, choice: one.choice, ms: null, batch: null, fault: null })), h("span", { class: "track" }, bar),
        h("span", { class: "heads" }, signed(cost)), h("span", { class: "tag" }, tag));
    }));
  }

  /**
   * @param {number} told
   * @param {number} seat
   */
  drawLedger(told, seat) {
    const over = this.reviewed?.roundsOver(told) ?? 0;
    if (!over || !this.reviewed) {
      this.ledger.replaceChildren(h("p", { class: "small" }, "It is drawn up when the round is over."));
      return;
    }
    const after = over < this.reviewed.rounds.length || over > 1 ? ` After ${over} ${over === 1 ? "round" : "rounds"}.` : "";
    this.ledger.replaceChildren(...ledgerTable(this.reviewed.ledger(told), (own) => this.players[own].name, seat, after));
  }
}

/**
 * @param {Placed} step
 * @param {string} name
 */
function verdictOf(step, name) {
  const did = choiceText({ ...step, ms: null, batch: null, fault: null });
  const who = step.by === "bot" ? `${name}: ${did}` : `The platform for ${name}: ${did}`;
  const best = choiceText({ ...step, choice: step.best, ms: null, batch: null, fault: null });
  const of = step.complete ? "" : ` of ${step.considered} considered`;
  if (step.size > 0) return `${who}. A ${SIZE_NAMES[step.size]}: ${step.loss.toFixed(1)} ± ${step.error.toFixed(1)} heads worse than ${best}, the best${of}.`;
  if (same(step.choice, step.best)) return `${who}, the best${of}.`;
  if (step.loss <= 2 * step.error) return `${who}. As good as the best${of}, as far as can be told.`;
  return `${who}. ${step.loss.toFixed(1)} ± ${step.error.toFixed(1)} heads worse than ${best} against ordinary players, but no mistake against random ones.`;
}

/**
 * @param {unknown} one
 * @param {unknown} other
 */
function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}
