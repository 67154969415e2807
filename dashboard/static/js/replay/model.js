// @ts-check
/**
 * The table as data: events are folded into states. No DOM, and no rule of any game.
 *
 * It mirrors nimmt/table.py; tests compare the two at every step of whole games.
 */

/**
 * @typedef {{event: string, [field: string]: any}} TableEvent
 * @typedef {{seat: number, kind: string, choice: any, by: string, ms: number | null,
 *   batch: number | null, fault: {kind: string, sent: any} | null, note?: string}} Decision
 * @typedef {{round: number, turn: number | null, decisions: Decision[], events: TableEvent[],
 *   moments: {events: number, text: string, public?: {seat: number, text: string}}[]}} Step
 * @typedef {{seat: number, bot: string, name: string, version: number | null,
 *   out: {round: number, decision: number, fault: string} | null, href: string | null, you?: boolean, place?: number}} Player
 * @typedef {{format: string, meta: {players: Player[], [field: string]: any}, heads: number[], steps: Step[]}} Payload
 * @typedef {Readonly<Record<string, readonly number[]>>} Zones
 *
 * @typedef {object} Table
 * @property {number} round
 * @property {number} startSeat
 * @property {number} turn
 * @property {number | null} seat whose turn it is; null when all choose together
 * @property {Zones} zones cards by zone, empty zones left out; hands are sorted
 * @property {readonly number[]} bullCards
 * @property {number} bullPool
 * @property {readonly (number | null)[]} points if the round ended now; null where it is hidden
 * @property {readonly number[]} totals of the finished rounds
 * @property {readonly number[] | null} places
 * @property {boolean} roundOver whether the points are in the totals already
 *
 * @typedef {object} Moment
 * @property {number} index
 * @property {number} step index of the step it belongs to
 * @property {number} round
 * @property {number | null} turn null while cards are dealt and drafted
 * @property {string} text
 * @property {TableEvent[]} events
 * @property {Table} table the table afterwards
 */

/**
 * @param {number} players
 * @returns {Table}
 */
export function emptyTable(players) {
  const nothing = Array(players).fill(0);
  return {
    round: 0,
    startSeat: 0,
    turn: 0,
    seat: null,
    zones: {},
    bullCards: nothing,
    bullPool: 0,
    points: nothing,
    totals: nothing,
    places: null,
    roundOver: false,
  };
}

/**
 * The table after these events; the given one stays as it was, and unchanged parts are shared.
 * @param {Table} table
 * @param {readonly TableEvent[]} events
 * @returns {Table}
 */
export function fold(table, events) {
  const next = { ...table, zones: { ...table.zones } };
  for (const event of events) apply(next, event);
  return next;
}

/**
 * @param {Table & {zones: Record<string, readonly number[]>}} table
 * @param {TableEvent} event
 */
function apply(table, event) {
  switch (event.event) {
    case "move":
      moveCards(table.zones, event.cards, event.src, event.dst);
      break;
    case "reveal":
      event.cards.forEach((/** @type {number} */ card, /** @type {number} */ seat) => {
        moveCards(table.zones, [card], `hand:${seat}`, `play:${seat}`);
      });
      break;
    case "turn":
      table.turn = event.number;
      table.seat = event.seat;
      break;
    case "points":
      table.points = event.points;
      break;
    case "bull_card":
      table.bullCards = table.bullCards.map(
        (held, seat) => held + Number(seat === event.seat) - Number(seat === event.source),
      );
      if (event.source === null) table.bullPool -= 1;
      break;
    case "round_start": {
      const nothing = table.totals.map(() => 0);
      table.round = event.round_no;
      table.startSeat = event.start_seat;
      table.turn = 0;
      table.seat = null;
      table.zones = {};
      table.bullCards = nothing;
      table.bullPool = event.bull_pool;
      table.points = nothing;
      table.roundOver = false;
      break;
    }
    case "round_end":
      table.points = event.points;
      table.totals = event.totals;
      table.roundOver = true;
      break;
    case "game_end":
      table.places = event.places;
      break;
    default:
      throw new Error(`unknown event ${JSON.stringify(event)}: this viewer is too old for the replay`);
  }
}

/**
 * @param {Record<string, readonly number[]>} zones
 * @param {readonly number[]} cards
 * @param {string} src
 * @param {string} dst
 */
function moveCards(zones, cards, src, dst) {
  if (src !== "box") {
    const left = [...(zones[src] ?? [])];
    for (const card of cards) {
      // A card whose face was hidden until now leaves as one of the face-down cards.
      const known = left.indexOf(card);
      const at = known >= 0 ? known : left.indexOf(0);
      if (at < 0) throw new Error(`card ${card} is not in ${src}: the replay is damaged`);
      left.splice(at, 1);
    }
    if (left.length) zones[src] = left;
    else delete zones[src];
  }
  const there = [...(zones[dst] ?? []), ...cards];
  zones[dst] = dst.startsWith("hand:") ? there.sort((a, b) => a - b) : there;
}

/**
 * An event as one seat sees it; the counterpart of what the server does for one seat.
 * @param {TableEvent} event
 * @param {number | null} seat
 * @param {boolean} handCounts whether points would tell what a hand holds
 * @returns {TableEvent}
 */
export function seenBy(event, seat, handCounts) {
  if (seat === null) return event;
  if (event.event === "points" && handCounts) {
    const own = event.points.map((/** @type {number} */ points, /** @type {number} */ at) =>
      at === seat ? points : null,
    );
    return { ...event, points: own };
  }
  if (event.event !== "move" || event.why !== "deal") return event;
  const hidden =
    event.dst === "draw" || (event.dst.startsWith("hand:") && event.dst !== `hand:${seat}`);
  return hidden ? { ...event, cards: event.cards.map(() => 0) } : event;
}

/**
 * All moments of a game with the table after each, so that any of them is shown at once.
 * @param {Payload} payload
 * @param {number | null} seat whose eyes to use; null for all that the payload holds
 * @param {readonly Moment[]} known the moments of the first steps, when they are known already
 * @returns {Moment[]}
 */
export function timeline(payload, seat, known = []) {
  const moments = [...known];
  const handCounts = Boolean(payload.meta.table.hand_counts);
  const last = known.at(-1);
  let table = last?.table ?? emptyTable(payload.meta.players.length);
  payload.steps.forEach((step, at) => {
    if (last && at <= last.step) return;
    let from = 0;
    for (const { events: count, text: whole, public: open } of step.moments) {
      // A reason that lies in a hand is for that seat, and for those who see all.
      const text = open && seat !== null && seat !== open.seat ? open.text : whole;
      const events = step.events
        .slice(from, from + count)
        .map((event) => seenBy(event, seat, handCounts));
      from += count;
      table = fold(table, events);
      const { round, turn } = step;
      moments.push({ index: moments.length, step: at, round, turn, text, events, table });
    }
  });
  return moments;
}

/**
 * The moment from which on each seat is out; null for a seat that plays to the end.
 * @param {Payload} payload
 * @param {readonly Moment[]} moments
 * @returns {(number | null)[]} by seat
 */
export function outSince({ meta, steps }, moments) {
  /** @type {number[]} */
  const counts = [];
  const begins = steps.map(({ round, decisions }) => {
    const before = counts[round] ?? 0;
    counts[round] = before + decisions.length;
    return before;
  });
  return meta.players.map(({ out }) => {
    if (!out) return null;
    const step = steps.findIndex(
      ({ round, decisions }, at) => round === out.round && out.decision < begins[at] + decisions.length,
    );
    return moments.find((moment) => moment.step === step)?.index ?? 0;
  });
}

/**
 * Where a step forward (1) or back (-1) by a unit leads. Backwards first goes to the begin of
 * the present unit, as music players do.
 * @param {readonly Moment[]} moments
 * @param {number} from
 * @param {"move" | "decision" | "turn" | "round"} unit
 * @param {1 | -1} way
 * @returns {number}
 */
export function nextIndex(moments, from, unit, way) {
  const last = moments.length - 1;
  if (unit === "move") return Math.min(last, Math.max(0, from + way));
  const same = (/** @type {number} */ a, /** @type {number} */ b) => sameUnit(moments[a], moments[b], unit);
  let at = from;
  if (way > 0) {
    while (at < last && same(at, from)) at += 1;
    return at;
  }
  if (at > 0) at -= 1;
  while (at > 0 && same(at - 1, at)) at -= 1;
  return at;
}

/**
 * @param {Moment} a
 * @param {Moment} b
 * @param {"decision" | "turn" | "round"} unit
 */
function sameUnit(a, b, unit) {
  if (unit === "decision") return a.step === b.step;
  return a.round === b.round && (unit === "round" || a.turn === b.turn);
}

/**
 * Points of each seat with the finished rounds, after every moment: the lines of the chart.
 * Where the points of a round are hidden, only finished rounds count.
 * @param {readonly Moment[]} moments
 * @returns {number[][]} by seat, then by moment
 */
export function pointsOverTime(moments) {
  const players = moments[0].table.totals.length;
  return Array.from({ length: players }, (_, seat) =>
    moments.map(({ table }) => {
      const now = table.roundOver ? 0 : (table.points[seat] ?? 0);
      return table.totals[seat] + now;
    }),
  );
}
