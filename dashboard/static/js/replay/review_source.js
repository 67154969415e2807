// @ts-check
/** Where a review comes from: fetched, asked for, and looked at again until it is done. No DOM. */

/** @typedef {{state: string, done: number, total: number, ahead: number, error: string, review: any}} Status */

/** How often to ask how far a review is, in ms. */
const LOOK_MS = 1500;

/**
 * @param {string} state
 * @returns {Status}
 */
function only(state, error = "") {
  return { state, done: 0, total: 0, ahead: 0, error, review: null };
}

export class ReviewSource {
  /**
   * @param {string} address answers GET with a status, and POST when a review is asked for
   * @param {(status: Status) => void} take called with every answer
   * @param {() => boolean} wanted whether anybody still looks
   */
  constructor(address, take, wanted) {
    this.address = address;
    this.take = take;
    this.wanted = wanted;
  }

  load() {
    return this.fetch("GET");
  }

  ask() {
    this.take(only("asking"));
    return this.fetch("POST");
  }

  /** @param {"GET" | "POST"} method */
  async fetch(method) {
    try {
      const response = await fetch(this.address, { method, headers: { accept: "application/json" } });
      const answer = await response.json().catch(() => ({}));
      if (!response.ok) throw new Error(answer.detail ?? `the server answered ${response.status}`);
      this.take(answer);
      if (answer.state === "waiting" || answer.state === "working") {
        setTimeout(() => this.wanted() && this.load(), LOOK_MS);
      }
    } catch (error) {
      this.take(only("refused", `No review now: ${error instanceof Error ? error.message : String(error)}.`));
    }
  }
}
