// @ts-check
/** The viewer as an element: the table, its controls and what stands beside it. */

import { actingSeats, Board } from "./board.js";
import { PointsChart } from "./chart.js";
import { Controls } from "./controls.js";
import { h, say } from "./dom.js";
import { explainDialog } from "./explain.js";
import { placeAddress, readDecision, readPlace } from "./link.js";
import { nextIndex, outSince, timeline } from "./model.js";
import { paceOf } from "./pace.js";
import { announce, unpack } from "./packed.js";
import { DecisionList, MoveList } from "./panel.js";
import { decisionMoments } from "./review.js";
import { ReviewSide } from "./review_side.js";
import { Standing } from "./standing.js";
import { pressed, swiped } from "./steering.js";
import { gameLinks, helpDialog, ShareBar } from "./share.js";

/**
 * @typedef {import("./model.js").Moment} Moment
 * @typedef {import("./model.js").Payload} Payload
 */

const STEP_MS = 420;
/** What a page may show below the controls, and what an embed does, in px. */
const PAGE_FOOT = 8;
const EMBED_FOOT = 36;
/** Longer captions are set smaller, so that all have the same room. */
const LONG_TEXT = 125;
/** A window lower than this scrolls. */
const LEAST_ROOM = 300;

/** How long the last moment of a game stays on a stage before the game begins again, in ms. */
const ENCORE_MS = 6000;

/** Where the reader's wish to see everything at once is kept. */
const SPOILERS = "bullring.show-everything";

function readChoice() {
  try {
    return localStorage.getItem(SPOILERS) === "yes";
  } catch {
    // A frame on another site may have no storage.
    return false;
  }
}

/** @param {boolean} all */
function keepChoice(all) {
  try {
    localStorage.setItem(SPOILERS, all ? "yes" : "no");
  } catch {
    // Then the choice holds for this page.
  }
}

export class BullReplay extends HTMLElement {
  /** @type {Payload | undefined} */ payload;
  /** @type {Moment[]} */ moments = [];
  index = 0;
  speed = 1;
  /** The last moment that has been on show: chart and list tell no more, unless asked to. */
  head = -1;
  spoils = false;
  /** @type {number | null} */ seat = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ timer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ remembering;

  connectedCallback() {
    if (this.payload) return;
    this.load().catch((error) => this.fail(error));
  }

  disconnectedCallback() {
    this.pause();
    document.removeEventListener("keydown", this.onKey);
    removeEventListener("resize", this.measure);
    document.documentElement.classList.remove("replay-theatre");
  }

  async load() {
    const inside = this.querySelector('script[type="application/json"]');
    if (inside) {
      this.start(JSON.parse(inside.textContent ?? ""));
      return;
    }
    const packed = this.querySelector('script[type="application/gzip"]');
    if (packed) {
      const payload = await unpack(packed.textContent ?? "", location.search);
      announce(payload.meta.title);
      this.start(payload);
      return;
    }
    const response = await fetch(this.getAttribute("src") ?? "", { headers: { accept: "application/json" } });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    this.start(await response.json());
  }

  /** @param {unknown} error */
  fail(error) {
    const reason = error instanceof Error ? error.message : String(error);
    this.classList.add("failed");
    this.prepend(h("p", { class: "failure", role: "alert" }, `The replay could not be shown: ${reason}. The moves are listed below.`));
  }

  /** @param {Payload} payload */
  start(payload) {
    this.payload = payload;
    const { meta } = payload;
    const last = payload.steps.reduce((sum, step) => sum + step.moments.length, 0) - 1;
    const asked = this.stage ? { t: 0, seat: null, speed: 1 } : readPlace(location.search, last, meta.players.length);
    this.head = -1;
    this.seat = meta.seat ?? asked.seat;
    this.speed = asked.speed;
    this.build(payload, last);
    this.see(this.seat);
    const named = this.named(payload);
    // Who follows a link to a decision wants to know what it was worth.
    if (named) this.review?.openAt(named.entry.seat);
    this.show(named?.moment ?? asked.t, 0);
    this.review?.load();
    // Keys on a page that holds more than a replay are the page's.
    if (!this.stage) document.addEventListener("keydown", this.onKey);
    addEventListener("resize", this.measure);
    this.classList.add("ready");
    // Without the words that were here before, the page has its final height.
    this.measure();
    if (this.stage && !meta.live && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.toggle();
  }

  /** The decision that the address names, with its moment; null: none. @param {Payload} payload */
  named(payload) {
    const asked = this.stage ? null : readDecision(location.search);
    return asked && (decisionMoments(payload, this.moments)[asked[0]]?.[asked[1]] ?? null);
  }

  /** Whether this is a table on another page, with `stage`: it plays by itself, in a fixed room. */
  get stage() {
    return this.hasAttribute("stage");
  }

  /**
   * @param {Payload} payload
   * @param {number} last
   */
  build(payload, last) {
    const { meta } = payload;
    this.board = new Board(payload);
    // Who thought for how long, and who failed, is told when the match is over.
    this.decisions = meta.live ? null : new DecisionList(meta.players, payload.steps, meta.table.rows.length > 0);
    this.standing = new Standing(meta.players);
    this.share = new ShareBar(meta, () => this.address());
    this.help = helpDialog();
    this.explain = explainDialog(meta, payload.heads);
    this.spoils = !meta.live && readChoice();
    this.chart = new PointsChart(meta.players, (index) => this.jump(index));
    this.list = new MoveList((index) => this.jump(index));
    const open = meta.seat === null && !meta.live;
    const seats = open ? meta.players : meta.live ? [] : [meta.players[meta.seat]];
    this.controls = new Controls(last, seats, open, !meta.live, {
      toggle: () => this.toggle(),
      step: (unit, way) => this.step(unit, way),
      jump: (index) => this.jump(index),
      speed: (speed) => this.setSpeed(speed),
      perspective: (seat) => this.setSeat(seat),
      help: () => this.help?.showModal(),
      explain: () => this.showRules(),
      spoil: (all) => this.setSpoils(all),
      theatre: () => this.setTheatre(!this.classList.contains("theatre")),
    });
    this.controls.theatre.setAttribute("aria-pressed", String(this.classList.contains("theatre")));
    this.when = h("span", { class: "when" });
    this.caption = h("p", { class: "caption", "aria-live": "polite", "aria-atomic": "true" });
    const head = h("div", { class: "felt-head" }, this.when, this.caption);
    const table = h("div", { class: "table-side" }, head, this.standing.element, this.board.element, this.controls.element);
    const points = h("section", { class: "panel" }, h("h2", {}, "Points over time"), this.chart.element);
    const moves = h("div", { class: "moves-box" }, this.list.element);
    const reviewable = meta.links.review && !meta.live && !this.stage && !this.hasAttribute("embedded");
    this.review = reviewable ? new ReviewSide(this, meta, [points, moves]) : null;
    const side = h("div", { class: "side" }, this.decisions?.element ?? null, this.review?.tabs ?? null, points, moves, this.review?.panel.element ?? null);
    const foot = h("div", { class: "foot" }, gameLinks(meta), this.share.element);
    this.replaceChildren(h("div", { class: "viewer" }, table, side, foot), this.help, this.explain);
    swiped(this.board.element, (way) => this.step("move", way));
    this.measure();
  }

  /** Tell the style sheet how high the table may be, so that the controls stay in the window. */
  measure = () => {
    const { board, controls } = this;
    if (!board || !controls) return;
    if (this.stage) {
      // The page has fixed the height; the felt has what the bars leave of it.
      const room = this.clientHeight - (board.element.offsetTop - this.offsetTop) - controls.element.offsetHeight;
      this.style.setProperty("--room", `${Math.max(LEAST_ROOM, room)}px`);
      board.resized();
      return;
    }
    const scrolled = this.classList.contains("theatre") ? 0 : scrollY;
    const above = board.element.getBoundingClientRect().top + scrolled;
    const bar = controls.element.offsetHeight || controls.transport.offsetHeight;
    const below = this.hasAttribute("embedded") ? EMBED_FOOT : PAGE_FOOT;
    this.style.setProperty("--room", `${Math.max(LEAST_ROOM, Math.floor(innerHeight - above - bar - below))}px`);
    board.resized();
  };

  /** The rules; the game waits meanwhile. */
  showRules() {
    this.pause();
    this.explain?.showModal();
  }

  /** Let the viewer fill the window, or give the page back. @param {boolean} on */
  setTheatre(on) {
    this.classList.toggle("theatre", on);
    document.documentElement.classList.toggle("replay-theatre", on);
    this.controls?.theatre.setAttribute("aria-pressed", String(on));
    this.measure();
    this.show(this.index, 0);
  }

  /** Use the eyes of a seat, or of one who sees all. @param {number | null} seat */
  see(seat) {
    const { payload } = this;
    if (!payload) return;
    this.moments = timeline(payload, seat);
    this.board?.prepare(this.moments, outSince(payload, this.moments));
    this.decisions?.renew();
    this.tell();
    if (this.controls) {
      this.controls.view.value = seat === null ? "" : String(seat);
      this.controls.speed.value = String(this.speed);
      this.controls.spoilers.checked = this.spoils;
    }
  }

  /** Take in the steps that the payload has got since. */
  readOn() {
    if (!this.payload) return;
    this.moments = timeline(this.payload, this.seat, this.moments);
    this.board?.prepare(this.moments, outSince(this.payload, this.moments));
  }

  /** Bring chart and list up to what may be told: what has been shown, or everything. */
  tell() {
    if (this.head < 0) return;
    const known = this.spoils ? this.moments : this.moments.slice(0, this.head + 1);
    this.chart?.draw(known, this.lastTold());
    this.list?.tell(known);
    this.review?.tell();
  }

  /** Where chart and slider end. */
  lastTold() {
    return this.moments.length - 1;
  }

  /** @param {boolean} all */
  setSpoils(all) {
    this.spoils = all;
    keepChoice(all);
    this.tell();
    this.show(this.index, 0);
  }

  /**
   * @param {number} index
   * @param {number} duration of the movement that leads there, in ms
   */
  show(index, duration) {
    const moment = this.moments[index];
    const step = this.payload?.steps[moment.step];
    if (!step || !this.caption || !this.when) return;
    this.index = index;
    if (index > this.head) {
      this.head = index;
      this.tell();
    }
    this.board?.show(moment, duration);
    say(this.when, this.whenText(moment));
    say(this.caption, moment.text);
    this.caption.classList.toggle("long", moment.text.length > LONG_TEXT);
    this.decisions?.show(moment, actingSeats(moment));
    this.review?.show();
    this.standing?.show(moment.table, moment.table.places ? (this.payload?.meta.places ?? null) : null);
    this.list?.show(index);
    this.chart?.mark(index);
    this.controls?.show(index, `${this.whenText(moment)}: ${moment.text}`);
    this.controls?.state(this.playState());
    this.remember();
  }

  /** What the main button offers. @returns {"play" | "pause" | "again"} */
  playState() {
    if (this.timer !== undefined) return "pause";
    return this.index === this.moments.length - 1 ? "again" : "play";
  }

  /** @param {Moment} moment */
  whenText({ round, turn, events }) {
    // How many rounds a game to a limit will take is for its end to tell.
    const open = this.payload?.meta.options.limit === undefined || this.head === this.moments.length - 1 || this.spoils;
    const rounds = open ? (this.payload?.meta.rounds.length ?? 1) : 1;
    const where = rounds > 1 ? `Round ${round + 1} of ${rounds}` : `Round ${round + 1}`;
    if (turn === null) return `${where} · ${events[0].event === "round_start" ? "Deal" : "Draft"}`;
    return `${where} · Turn ${turn + 1}`;
  }

  address() {
    const page = this.payload?.meta.links.page;
    const base = page ? new URL(page, location.href).href : location.href;
    return placeAddress(base, { t: this.index, seat: this.payload?.meta.seat === null ? this.seat : null, speed: this.speed });
  }

  /** Keep the address bar at the present moment; while playing only now and then. */
  remember() {
    clearTimeout(this.remembering);
    if (this.stage) return;
    this.remembering = setTimeout(() => {
      const { t, seat, speed } = { t: this.index, seat: this.seat, speed: this.speed };
      try {
        history.replaceState(history.state, "", placeAddress(location.href, { t, seat, speed }));
      } catch {
        // Some browsers keep the address of a local file as it is.
      }
    }, this.timer === undefined ? 0 : 400);
  }

  /**
   * @param {"move" | "decision" | "turn" | "round"} unit
   * @param {1 | -1} way
   */
  step(unit, way) {
    this.pause();
    this.show(nextIndex(this.moments, this.index, unit, way), STEP_MS);
  }

  /** @param {number} index */
  jump(index) {
    this.pause();
    const near = Math.abs(index - this.index) === 1;
    this.show(Math.max(0, Math.min(this.moments.length - 1, index)), near ? STEP_MS : 0);
  }

  toggle() {
    if (this.timer !== undefined) {
      this.pause();
      return;
    }
    if (this.index === this.moments.length - 1) this.show(0, 0);
    this.caption?.setAttribute("aria-live", "off");
    this.schedule(150);
    this.controls?.state("pause");
  }

  pause() {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.caption?.setAttribute("aria-live", "polite");
    this.controls?.state(this.playState());
  }

  /** @param {number} wait */
  schedule(wait) {
    this.timer = setTimeout(() => {
      const next = this.index + 1;
      const pace = this.pace(next);
      this.show(next, Math.min(pace, 900));
      if (next === this.moments.length - 1) this.arrived(pace);
      else this.schedule(pace);
    }, wait);
  }

  /** How long a moment stays while playing, in ms. @param {number} index */
  pace(index) {
    return paceOf(this.moments[index]) / this.speed;
  }

  /** The last moment has been played. @param {number} _pace how long it stays, in ms */
  arrived(_pace) {
    this.pause();
    if (!this.stage || this.payload?.meta.live) return;
    this.timer = setTimeout(() => {
      this.show(0, 0);
      this.schedule(this.pace(0));
    }, ENCORE_MS);
    this.controls?.state(this.playState());
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.speed = speed;
    if (this.controls) this.controls.speed.value = String(speed);
    this.remember();
  }

  /** @param {number | null} seat */
  setSeat(seat) {
    const { payload } = this;
    if (!payload || payload.meta.seat !== null) return;
    if (seat !== null && seat >= payload.meta.players.length) return;
    this.seat = seat;
    this.see(seat);
    this.show(this.index, 0);
  }

  /** @param {KeyboardEvent} event */
  onKey = (event) => pressed(event, this);
}
