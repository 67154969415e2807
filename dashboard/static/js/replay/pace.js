// @ts-check
/** How long a moment stays on screen. */

/** In ms at speed 1, by its first event. @type {Record<string, number>} */
const PACE = { round_start: 1600, reveal: 1500, round_end: 2400 };
const USUAL_PACE = 950;

/** @param {import("./model.js").Moment} moment */
export function paceOf({ events }) {
  return PACE[events[0].event] ?? USUAL_PACE;
}
