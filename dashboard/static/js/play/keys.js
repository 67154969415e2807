// @ts-check
/** The table by keyboard alone. What each key does for people is told in the menu's help. */

import { keyName } from "../replay/controls.js";

/**
 * @typedef {import("./plan.js").Target} Target
 * @typedef {import("./turn.js").Turn} Turn
 */

/**
 * Do what a key means; whether it means anything here.
 * @param {KeyboardEvent} event
 * @param {Turn} turn
 */
export function pressed(event, turn) {
  const key = keyName(event);
  if (key === null) return false;
  const action = meaning(key, event.target, turn);
  // A key that is held moves on along the cards. It chooses, confirms and asks for hints only once,
  // and presses the button that has the focus only once.
  if (event.repeat && !key.startsWith("Arrow")) {
    if (action || key === "Enter") event.preventDefault();
    return true;
  }
  if (!action) return true;
  event.preventDefault();
  action();
  return true;
}

/**
 * @param {string} key
 * @param {EventTarget | null} at what has the focus
 * @param {Turn} turn
 * @returns {(() => void) | undefined}
 */
function meaning(key, at, turn) {
  const { asking } = turn;
  const { around } = turn.place;
  const focused = asking.focused();
  const onButton = at instanceof Element && !focused && at.closest("button, a, summary, input");
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowLeft: () => asking.move(-1, 0),
    ArrowRight: () => asking.move(1, 0),
    ArrowUp: () => asking.move(0, -1),
    ArrowDown: () => asking.move(0, 1),
    Escape: () => turn.undo(),
    t: () => turn.hint(),
    h: () => around.explain.showModal(),
    "?": () => around.keys.showModal(),
  };
  if (!onButton) {
    keys.Enter = () => enter(turn, focused);
    keys[" "] = () => space(turn, focused);
  }
  const numbered = /^\d$/.test(key) && asking.ask ? asking.byDigit(Number(key)) : null;
  return numbered ? () => digit(turn, numbered) : keys[key];
}

/**
 * @param {Turn} turn
 * @param {Target} target
 */
function digit(turn, target) {
  turn.asking.focus(target);
  if (!turn.asking.plan?.has(target)) turn.touch(target);
}

/**
 * @param {Turn} turn
 * @param {Target | null} focused
 */
function enter(turn, focused) {
  const { plan } = turn.asking;
  if (!plan) turn.place.showing.hurry();
  else if (focused && !plan.has(focused)) turn.touch(focused);
  else turn.confirm();
}

/**
 * @param {Turn} turn
 * @param {Target | null} focused
 */
function space(turn, focused) {
  if (focused) turn.touch(focused);
  else turn.place.showing.hurry();
}
