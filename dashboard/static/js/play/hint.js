// @ts-check
/** A hint: what each choice would cost, as marks on what can be touched and in words. */

import { listed } from "./plan.js";

/**
 * @typedef {{choice: any, points: number, error: number, more: number, best: boolean}} Cost
 * @typedef {{ask: number, complete: boolean, choices: Cost[]}} Hint the best first
 * @typedef {import("./plan.js").Target} Target
 */

/** The number of a player's first ask. */
const FIRST = 1;
export const TOO_LATE = "This game counts: hints can be switched on only at its first decision, or at a table that does not count.";
export const WARNING = "A hint estimates what each choice costs. From then on this game is for practice: it does not count for your rating.";

/** Half an interval of 95 % in standard errors. */
const Z = 1.96;

/**
 * The cheapest choice that a target is part of.
 * @param {Hint} hint
 * @param {Target} target
 */
function costOf({ choices }, { kind, id }) {
  return choices.find(({ choice }) => {
    if (typeof choice === "number") return choice === id;
    if (kind === "pile") return choice.take === id;
    return Object.values(choice.play ?? {}).flat().includes(id);
  });
}

/**
 * Whether the table would refuse a hint: a game that counts has its first one at its first decision.
 * @param {number} ask
 * @param {boolean} counts
 */
export function isTooLate(ask, counts) {
  return counts && ask !== FIRST;
}

/**
 * What the button says of itself.
 * @param {number} ask
 * @param {boolean} counts
 */
export function hintTitle(ask, counts) {
  if (isTooLate(ask, counts)) return TOO_LATE;
  return counts ? "What each choice would cost; the game then does not count" : "What each choice would cost";
}

/**
 * What stands on a target.
 * @param {Hint} hint
 * @param {Target} target
 */
export function markOf(hint, target) {
  const cost = costOf(hint, target);
  if (!cost) return "";
  return cost.best ? "best" : `+${cost.more.toFixed(1)}`;
}

/** @param {any} choice */
function named(choice) {
  if (typeof choice === "number") return String(choice);
  if (choice.take !== undefined) return `taking pile ${choice.take + 1}`;
  return listed(Object.entries(choice.play).map(([pile, cards]) => `${listed(/** @type {number[]} */ (cards))} on pile ${Number(pile) + 1}`));
}

/**
 * @param {Hint} hint
 * @param {string} kind of the ask
 */
export function hintWords({ choices, complete }, kind) {
  const [best] = choices;
  const what = kind === "row" ? `row ${best.choice + 1}` : kind === "steal" ? "the one marked" : named(best.choice);
  const error = (best.error * Z).toFixed(1);
  const alike = choices.filter((one) => one.best).length - 1;
  const more = alike ? ` ${alike === 1 ? "One other is" : `${alike} others are`} as good, as far as can be told.` : "";
  const part = complete ? "" : " Only the turns that make sense were looked at.";
  const rest = choices.length > 1 ? " Marks: how many more the others cost." : "";
  return `Estimate: about ${best.points.toFixed(1)} (±${error}) points this round with ${what}.${rest}${more}${part}`;
}
