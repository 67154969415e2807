// @ts-check
/** A review laid over a replay: where its decisions are, how large mistakes are, what to expect. No DOM. */

/**
 * @typedef {import("./model.js").Payload} Payload
 * @typedef {import("./model.js").Moment} Moment
 * @typedef {import("./model.js").Decision} Decision
 * @typedef {{choice: any, q: number, error: number, near: boolean, tied: boolean}} Alternative
 * @typedef {{hand: number, decisions: number, faults: number, luck: number}} Ledger
 * @typedef {{seat: number, points: number, ledger: Ledger}} SeatReview
 * @typedef {{seat: number, decision: number, turn: number, kind: string, choice: any, by: string, v: number, q: number,
 *   loss: number, error: number, mistake: boolean, best: any, considered: number, complete: boolean,
 *   alternatives: Alternative[]}} Judged
 * @typedef {{seats: SeatReview[], rounds: {seats: SeatReview[], steps: Judged[]}[]}} Review
 * @typedef {Judged & {round: number, moment: number, size: number, luck: number, entry: Decision | undefined}} Placed
 *   a judged decision with its moment, its size as a mistake (0: none) and the luck that followed
 * @typedef {{from: number, to: number, before: number, after: number, what: "decision" | "luck"}} Stretch
 */

/** From how many heads on a mistake has which size. */
const SIZES = [0, 1, 3];
export const SIZE_NAMES = ["", "slip", "mistake", "blunder"];
/** Decisions that count as turning points: mistakes from this size on, and luck from so many heads on. */
const TURNING_SIZE = 2;
const TURNING_LUCK = 4;
/** A loss below this many errors counts as none. */
const BAND = 2;

/**
 * How large a mistake is: 0 for none, 1 to 3.
 * @param {Judged} step
 */
export function mistakeSize({ by, mistake, loss, error }) {
  if (by !== "bot" || !mistake || loss <= BAND * error) return 0;
  return SIZES.filter((least) => loss >= least).length;
}

/**
 * The first moment of the step in which each decision was made, by round and number of the decision.
 * @param {Payload} payload
 * @param {readonly Moment[]} moments
 * @returns {{moment: number, entry: Decision}[][]}
 */
export function decisionMoments({ steps }, moments) {
  /** @type {{moment: number, entry: Decision}[][]} */
  const found = [];
  /** @type {Map<number, number>} */
  const first = new Map();
  for (const { step, index } of moments) if (!first.has(step)) first.set(step, index);
  steps.forEach(({ round, decisions }, at) => {
    found[round] ??= [];
    for (const entry of decisions) found[round].push({ moment: first.get(at) ?? 0, entry });
  });
  return found;
}

export class Reviewed {
  /**
   * @param {Payload} payload
   * @param {Review} review
   * @param {readonly Moment[]} moments
   */
  constructor(payload, review, moments) {
    this.rounds = review.rounds;
    this.seats = review.seats.map(({ seat }) => seat);
    const places = decisionMoments(payload, moments);
    /** @type {number[]} */
    this.begins = [];
    /** @type {number[]} */
    this.ends = [];
    for (const { round, index } of moments) {
      this.begins[round] ??= index;
      this.ends[round] = index;
    }
    /** @type {Placed[]} */
    this.steps = review.rounds.flatMap(({ steps, seats }, round) =>
      steps.map((step, at) => {
        const place = places[round]?.[step.decision];
        const next = steps.slice(at + 1).find(({ seat }) => seat === step.seat);
        const end = seats.find(({ seat }) => seat === step.seat)?.points ?? 0;
        const luck = (next ? next.v : end) - step.q;
        return { ...step, round, luck, moment: place?.moment ?? 0, entry: place?.entry, size: mistakeSize(step) };
      }),
    );
  }

  /**
   * The mistakes that may be told.
   * @param {number} told the last moment that may be
   * @param {number | null} seat only of this seat
   */
  marks(told, seat) {
    return this.steps.filter((step) => step.size > 0 && step.moment <= told && (seat === null || step.seat === seat));
  }

  /**
   * The moment of the next turning point after this one; null when there is none.
   * @param {number} index
   * @param {number | null} seat
   */
  next(index, seat) {
    const later = this.steps.filter((step) =>
      step.moment > index && (seat === null || step.seat === seat) &&
      (step.size >= TURNING_SIZE || Math.abs(step.luck) >= TURNING_LUCK));
    return later.length ? Math.min(...later.map(({ moment }) => moment)) : null;
  }

  /** The decisions of a moment's step. @param {number} index */
  at(index) {
    let last = -1;
    for (const { moment } of this.steps) if (moment <= index) last = Math.max(last, moment);
    return this.steps.filter(({ moment }) => moment === last);
  }

  /** How many rounds are over. @param {number} told */
  roundsOver(told) {
    return this.ends.filter((end) => end <= told).length;
  }

  /**
   * The sums of the rounds that are over.
   * @param {number} told
   * @returns {SeatReview[]}
   */
  ledger(told) {
    const over = this.rounds.slice(0, this.roundsOver(told));
    return this.seats.map((seat) => {
      const own = over.flatMap(({ seats }) => seats.filter((one) => one.seat === seat));
      const sum = (/** @type {keyof Ledger} */ name) => own.reduce((total, { ledger }) => total + ledger[name], 0);
      return {
        seat,
        points: own.reduce((total, { points }) => total + points, 0),
        ledger: { hand: sum("hand"), decisions: sum("decisions"), faults: sum("faults"), luck: sum("luck") },
      };
    });
  }

  /**
   * What a seat could expect, as stretches that choices or luck made; nothing later than `told`.
   * @param {number} seat
   * @param {number} told
   * @returns {Stretch[]}
   */
  expected(seat, told) {
    let base = 0;
    return this.rounds.flatMap(({ seats }, round) => {
      const own = seats.find((one) => one.seat === seat);
      if (!own) return [];
      let index = this.begins[round];
      let value = base + own.ledger.hand;
      /** @type {Stretch[]} */
      const stretches = [];
      const go = (/** @type {number} */ to, /** @type {number} */ after, /** @type {"decision" | "luck"} */ what) => {
        stretches.push({ from: index, to, before: value, after, what });
        index = to;
        value = after;
      };
      for (const step of this.steps) {
        if (step.round !== round || step.seat !== seat) continue;
        go(step.moment, base + step.v, "luck");
        go(step.moment, base + step.q, "decision");
      }
      go(this.ends[round], base + own.points, "luck");
      base += own.points;
      return stretches.filter(({ to }) => to <= told);
    });
  }
}
