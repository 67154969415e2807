// @ts-check
/**
 * `<bull-replay src="…">` on a live page: a match that is being played. `src` is a stream of
 * server-sent events; with `goes-on` the page moves to the next match when this one is over, and
 * with `waits` it waits for the first.
 */

import { h } from "./dom.js";
import { BullReplay } from "./viewer.js";

/**
 * @typedef {import("./model.js").Payload} Payload
 * @typedef {import("./model.js").Step} Step
 * @typedef {{state: string, done: number, final: boolean}} Status
 */

const RUNNING = "/api/v1/matches?state=running&limit=1";
const LOOK_MS = 4000;
const AGAIN_MS = 5000;
/** So many moments behind are caught up at twice the pace. */
const BEHIND = 6;

class BullLive extends BullReplay {
  /** Whether what happens is shown as it comes; false while somebody looks back. */
  following = true;
  /** Until when the moment on show stays. */
  restsUntil = 0;
  /** A game that has begun while somebody looks back at another. @type {Payload & {done: number} | undefined} */
  waiting;
  /** @type {EventSource | undefined} */ source;
  /** @type {Status | undefined} */ status;
  lost = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ again;

  async load() {
    if (this.hasAttribute("waits")) this.awaitNext();
    else this.connect();
    addEventListener("pagehide", this.onLeave);
    addEventListener("pageshow", this.onBack);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.onLeave();
    removeEventListener("pagehide", this.onLeave);
    removeEventListener("pageshow", this.onBack);
  }

  /** A page that is left keeps no line open. */
  onLeave = () => {
    clearTimeout(this.again);
    this.source?.close();
  };

  /** The Back button brings a page back as it was: what was missed comes with a new line. @param {PageTransitionEvent} event */
  onBack = (event) => {
    if (event.persisted && this.source && !this.status?.final) this.connect();
  };

  connect() {
    const source = new EventSource(this.getAttribute("src") ?? "");
    this.source = source;
    const on = (/** @type {string} */ name, /** @type {(data: any) => void} */ take) =>
      source.addEventListener(name, (event) => take(JSON.parse(/** @type {MessageEvent} */ (event).data)));
    on("game", (payload) => this.game(payload));
    on("steps", ({ steps }) => this.extend(steps));
    on("status", (status) => this.told(status));
    source.addEventListener("open", () => this.setLost(false));
    source.addEventListener("error", () => {
      this.setLost(true);
      // A refusal ends the source for good; a broken line it mends itself.
      if (source.readyState === EventSource.CLOSED) this.again = setTimeout(() => this.connect(), AGAIN_MS);
    });
  }

  /** A game from its begin, as far as it has come. @param {Payload & {done: number}} payload */
  game(payload) {
    const { meta } = payload;
    if (this.payload && sameGame(this.payload.meta, meta)) {
      this.extend(payload.steps.slice(this.payload.steps.length));
      return;
    }
    if (this.payload && !this.following) {
      // Who looks back is not torn away; the game comes with "Back to live".
      this.waiting = payload;
      return;
    }
    clearTimeout(this.timer);
    this.timer = undefined;
    this.note(payload.steps, meta);
    this.start(payload);
    this.caption?.setAttribute("aria-live", "off");
    this.back = h("button", { type: "button", class: "back-to-live", hidden: this.following, click: () => this.catchUp() }, "Back to live");
    this.controls?.element.append(this.back);
    if (this.following) this.catchUp();
    this.say();
  }

  /** @param {readonly Step[]} steps */
  extend(steps) {
    const { payload } = this;
    if (!payload || !steps.length) return;
    if (this.waiting) {
      this.waiting.steps.push(...steps);
      return;
    }
    payload.steps.push(...steps);
    this.note(steps, payload.meta);
    this.readOn();
    this.goOn();
  }

  tell() {
    super.tell();
    this.controls?.extend(Math.max(0, this.head));
  }

  /** Where a running game will end nobody knows. */
  lastTold() {
    return this.head;
  }

  /**
   * The places are known when the game has ended, and not before.
   * @param {readonly Step[]} steps
   * @param {any} meta
   */
  note(steps, meta) {
    for (const { events } of steps) {
      for (const event of events) if (event.event === "game_end") meta.places = event.places;
    }
  }

  /** @param {Status} status */
  told(status) {
    this.status = status;
    if (status.final) {
      this.source?.close();
      if (this.hasAttribute("goes-on")) this.awaitNext();
    }
    this.say();
  }

  /** Look for a match that is being played, and show it. */
  awaitNext() {
    setTimeout(async () => {
      const response = await fetch(RUNNING, { headers: { accept: "application/json" } }).catch(() => null);
      const found = response?.ok ? (await response.json()).items : [];
      // A game is looked at to its end; and who looks back is not torn away.
      const busy = this.payload && (!this.following || this.index < this.moments.length - 1);
      if (found.length && !busy) location.reload();
      else this.awaitNext();
    }, LOOK_MS);
  }

  // How it moves: as it comes, unless somebody looks back.

  goOn() {
    if (!this.following || this.timer !== undefined || this.index >= this.moments.length - 1) return;
    this.schedule(Math.max(0, this.restsUntil - performance.now()));
  }

  /** @param {number} index */
  pace(index) {
    const behind = this.moments.length - 1 - index;
    return super.pace(index) / Math.max(1, behind / BEHIND);
  }

  /** @param {number} pace */
  arrived(pace) {
    this.timer = undefined;
    this.restsUntil = performance.now() + pace;
  }

  pause() {
    this.setFollowing(false);
    super.pause();
  }

  toggle() {
    if (this.following) {
      this.pause();
      return;
    }
    if (this.waiting) {
      this.catchUp();
      return;
    }
    this.setFollowing(true);
    this.goOn();
    this.controls?.state(this.playState());
  }

  /** To what is happening now, at once. */
  catchUp() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.setFollowing(true);
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting) this.game(waiting);
    else this.show(this.moments.length - 1, 0);
  }

  /** @param {boolean} following */
  setFollowing(following) {
    this.following = following;
    if (this.back) this.back.hidden = following;
    this.controls?.state(this.playState());
  }

  playState() {
    return this.following ? "pause" : "play";
  }

  /** The address stays that of the match: a moment of a running game has none. */
  remember() {}

  /** Nobody's hand can be seen. */
  setSeat() {}

  // What the page says about it.

  /** @param {boolean} lost */
  setLost(lost) {
    this.lost = lost;
    this.say();
  }

  say() {
    const line = document.querySelector("[data-live-status]");
    if (!line) return;
    const title = h("strong", { id: "on-screen" }, this.payload?.meta.title ?? "Live");
    line.replaceChildren(title, " ", ...this.words());
  }

  /** @returns {(string | HTMLElement)[]} */
  words() {
    const state = this.status?.state;
    const link = this.payload?.meta.links.match ?? "/matches";
    // Its stream ends each time it has said so, and is asked again.
    if (state === "queued" || state === "planned") return ["It waits for its turn."];
    if (this.lost && !this.status?.final) return ["The connection is lost; it is tried again."];
    if (state === "done") {
      const over = this.status?.final ? "The match is over. " : "The match is over; this game is shown to its end. ";
      return [over, h("a", { href: link }, "Result and replays")];
    }
    if (state !== "running") return state ? [`The match is ${state}.`] : [];
    const { done } = /** @type {Status} */ (this.status);
    return [`${done} of ${this.payload?.meta.of ?? "its"} games are over.`];
  }
}

/**
 * @param {any} one
 * @param {any} other
 */
function sameGame(one, other) {
  return one.attempt === other.attempt && one.pass === other.pass && one.game_no === other.game_no;
}

customElements.define("bull-replay", BullLive);
