// @ts-check
/**
 * A review outside the viewer: `<bull-review src seat names game>` shows the ledger of a game and the
 * costliest decisions of one seat; without a review it offers one and shows how far it is.
 *
 * `src` answers GET and POST as the API's reviews do; `seat` is whose decisions are told, `names` a
 * JSON list of the players by seat, `game` the address of the replay, empty where there is none to
 * link to, and `you` says that the reader sat there.
 */

import { h } from "./dom.js";
import { choiceText } from "./panel.js";
import { mistakeSize, SIZE_NAMES } from "./review.js";
import { ledgerTable } from "./review_ledger.js";
import { ReviewOffer } from "./review_offer.js";
import { ReviewSource } from "./review_source.js";

/**
 * @typedef {import("./review.js").Judged} Judged
 * @typedef {import("./review.js").Review} Review
 * @typedef {import("./review_source.js").Status} Status
 */

const SHOWN = 3;

export class BullReview extends HTMLElement {
  seat = 0;

  connectedCallback() {
    if (this.source) return;
    this.seat = Number(this.getAttribute("seat") ?? 0);
    /** @type {string[]} */
    this.names = JSON.parse(this.getAttribute("names") ?? "[]");
    this.source = new ReviewSource(this.getAttribute("src") ?? "", (status) => this.take(status), () => this.isConnected);
    this.offer = new ReviewOffer(() => this.source?.ask(), this.hasAttribute("you") ? "you" : "the player");
    this.classList.add("review");
    this.replaceChildren(this.offer.element);
    this.source.load();
  }

  /** @param {number} seat */
  name(seat) {
    return seat === this.seat && this.hasAttribute("you") ? "You" : this.names?.[seat] ?? `Seat ${seat + 1}`;
  }

  /** @param {Status} status */
  take(status) {
    if (status.state === "done") this.show(status.review);
    else this.offer?.show(status);
  }

  /** @param {Review} review */
  show(review) {
    const costly = review.rounds
      .flatMap(({ steps }, round) => steps.map((step) => ({ ...step, round, size: mistakeSize(step) })))
      .filter(({ seat, size }) => seat === this.seat && size > 0)
      .sort((one, other) => other.loss - one.loss)
      .slice(0, SHOWN);
    const whose = this.hasAttribute("you") ? "Your" : `${this.name(this.seat)}:`;
    this.replaceChildren(
      h("h3", {}, "Where the points come from"),
      ...ledgerTable(review.seats, (seat) => this.name(seat), this.seat),
      h("h3", {}, `${whose} costliest decisions`),
      costly.length
        ? h("ol", { class: "costliest" }, ...costly.map((step) => this.line(step, review.rounds.length)))
        : h("p", {}, "None that was a mistake beyond doubt."),
    );
  }

  /**
   * @param {Judged & {round: number, size: number}} step
   * @param {number} rounds
   */
  line(step, rounds) {
    const { loss, error, size, round, turn, decision } = step;
    const what = (/** @type {any} */ choice) => choiceText({ ...step, choice, ms: null, batch: null, fault: null });
    const where = rounds > 1 ? `round ${round + 1}, turn ${turn + 1}` : `turn ${turn + 1}`;
    const game = this.getAttribute("game");
    const place = game ? h("a", { href: `${game}?d=${round}.${decision}` }, where) : h("span", {}, where);
    return h("li", {}, h("b", {}, what(step.choice)), ` instead of ${what(step.best)}: ${SIZE_NAMES[size]}, `,
      h("span", { class: "heads" }, `${loss.toFixed(1)} ± ${error.toFixed(1)} heads`), " · ", place);
  }
}

customElements.define("bull-review", BullReview);
