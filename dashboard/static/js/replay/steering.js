// @ts-check
/** The viewer by keyboard and by finger. What each key does for people is told in its help. */

import { keyName } from "./controls.js";
import { SPEEDS } from "./link.js";

/** @typedef {import("./viewer.js").BullReplay} BullReplay */

const SWIPE_PX = 40;

/**
 * Do what a key means, if it means anything here.
 * @param {KeyboardEvent} event
 * @param {BullReplay} viewer
 */
export function pressed(event, viewer) {
  const key = keyName(event);
  const action = key === null ? null : meaning(key, viewer);
  if (!action) return;
  event.preventDefault();
  action();
}

/**
 * @param {string} key
 * @param {BullReplay} viewer
 * @returns {(() => void) | undefined}
 */
function meaning(key, viewer) {
  const faster = SPEEDS[Math.min(SPEEDS.length - 1, SPEEDS.indexOf(viewer.speed) + 1)];
  const slower = SPEEDS[Math.max(0, SPEEDS.indexOf(viewer.speed) - 1)];
  /** @type {Record<string, () => void>} */
  const keys = {
    " ": () => viewer.toggle(),
    ArrowLeft: () => viewer.step("move", -1),
    ArrowRight: () => viewer.step("move", 1),
    ",": () => viewer.step("decision", -1),
    ".": () => viewer.step("decision", 1),
    ShiftArrowLeft: () => viewer.step("turn", -1),
    ShiftArrowRight: () => viewer.step("turn", 1),
    ShiftArrowUp: () => viewer.step("round", -1),
    ShiftArrowDown: () => viewer.step("round", 1),
    Home: () => viewer.jump(0),
    End: () => viewer.jump(viewer.moments.length - 1),
    "+": () => viewer.setSpeed(faster),
    "=": () => viewer.setSpeed(faster),
    "-": () => viewer.setSpeed(slower),
    a: () => viewer.setSeat(null),
    c: () => viewer.share?.copyLink(),
    h: () => viewer.showRules(),
    n: () => viewer.review?.next(),
    t: () => viewer.setTheatre(!viewer.classList.contains("theatre")),
    "?": () => viewer.help?.showModal(),
  };
  if (viewer.classList.contains("theatre")) keys.Escape = () => viewer.setTheatre(false);
  return /^\d$/.test(key) ? () => viewer.setSeat((Number(key) + 9) % 10) : keys[key];
}

/**
 * Step to the next or the last moment when a finger is drawn across the table.
 * @param {HTMLElement} table
 * @param {(way: 1 | -1) => void} step
 */
export function swiped(table, step) {
  let x = 0;
  let y = 0;
  table.addEventListener("touchstart", ({ changedTouches: [touch] }) => {
    x = touch.clientX;
    y = touch.clientY;
  }, { passive: true });
  table.addEventListener("touchend", ({ changedTouches: [touch] }) => {
    const across = touch.clientX - x;
    if (Math.abs(across) < SWIPE_PX || Math.abs(touch.clientY - y) > Math.abs(across) / 2) return;
    step(across < 0 ? 1 : -1);
  }, { passive: true });
}
