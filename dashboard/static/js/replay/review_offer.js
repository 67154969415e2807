// @ts-check
/** Offers a review where there is none yet, and says how far it is. */

import { h, say } from "./dom.js";

/** @typedef {import("./review_source.js").Status} Status */

export class ReviewOffer {
  /**
   * @param {() => void} ask
   * @param {string} who chose: "the player" or "you"
   */
  constructor(ask, who) {
    this.who = who;
    this.words = h("p", {});
    this.bar = h("progress", { max: 1, value: 0, "aria-label": "Progress of the review", hidden: true });
    this.button = h("button", { type: "button", class: "ask", click: ask }, "Review this game");
    this.element = h("div", { class: "review-offer" }, this.words, this.bar, this.button);
  }

  /** @param {Status} status */
  show({ state, done, total, ahead, error }) {
    const busy = state === "waiting" || state === "working";
    const words = /** @type {Record<string, string>} */ ({
      none: "What was each decision worth, and how much was luck? A review plays every decision on, thousands of times, "
        + `by what ${this.who} knew then.`,
      asking: "Asking…",
      waiting: ahead ? `Waiting: ${ahead} ${ahead === 1 ? "review is" : "reviews are"} made first.` : "Waiting for a worker.",
      working: total ? `${done} of ${total} decisions reviewed.` : "The review has begun.",
      failed: `There is no review: ${error}`,
      refused: error,
    });
    say(this.words, words[state] ?? state);
    this.button.hidden = busy || state === "asking";
    this.bar.hidden = !busy;
    this.bar.max = Math.max(1, total);
    if (total) this.bar.value = done;
    else this.bar.removeAttribute("value");
  }
}
