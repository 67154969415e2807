// @ts-check
/** The moment in the address: `?t=12&p=2&speed=2`, so that a link shows what its sender saw. */

export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];

/**
 * @typedef {{t: number, seat: number | null, speed: number}} Place
 */

/**
 * What an address asks for; anything that makes no sense is read as if it were not there.
 * @param {string} search
 * @param {number} last the last moment
 * @param {number} players
 * @returns {Place}
 */
export function readPlace(search, last, players) {
  const query = new URLSearchParams(search);
  const whole = (/** @type {string} */ name) => {
    const text = query.get(name);
    return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : null;
  };
  const seat = whole("p");
  const speed = Number(query.get("speed"));
  return {
    t: Math.min(last, whole("t") ?? 0),
    seat: seat !== null && seat < players ? seat : null,
    speed: SPEEDS.includes(speed) ? speed : 1,
  };
}

/**
 * The decision that an address names, `?d=ROUND.DECISION`, both from 0; null: none.
 * @param {string} search
 * @returns {[number, number] | null}
 */
export function readDecision(search) {
  const found = /^(\d{1,4})\.(\d{1,5})$/.exec(new URLSearchParams(search).get("d") ?? "");
  return found && [Number(found[1]), Number(found[2])];
}

/**
 * The address of a place: what is as usual is left out, other parameters stay.
 * @param {string} address
 * @param {Place} place
 * @returns {string}
 */
export function placeAddress(address, { t, seat, speed }) {
  const url = new URL(address);
  /** @type {[string, string | null][]} */
  const fields = [
    ["d", null],
    ["t", t > 0 ? String(t) : null],
    ["p", seat === null ? null : String(seat)],
    ["speed", speed === 1 ? null : String(speed)],
  ];
  for (const [name, value] of fields) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.href;
}
