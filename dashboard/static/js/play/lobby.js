// @ts-check
/** What a page shows until the cards are dealt: who has come, and what is waited for. */

import { h, say } from "../replay/dom.js";

/** @typedef {import("./line.js").State} State */

/**
 * @param {State} state
 * @param {string | null} own seat
 * @param {boolean} dealt whether there is a game on the page
 */
export function showLobby(state, own, dealt) {
  const places = document.querySelector("[data-people]");
  places?.replaceChildren(...(state.people ?? []).map(({ seat, name }) =>
    h("li", { class: name ? "here" : "" }, String(seat) === own ? "You" : name || "a free seat")));
  sayWaiting(waitingWords(state));
  // The lobby has other buttons for other states.
  const lobby = /** @type {HTMLElement | null} */ (document.querySelector("[data-lobby]"));
  if (lobby?.dataset.state === "lobby" && state.state !== "lobby") location.reload();
  if (state.state === "closed" && !dealt) location.reload();
}

/** @param {string} text */
export function sayWaiting(text) {
  const where = document.querySelector("[data-waiting]");
  if (where) say(where, text);
}

/** The cards are dealt. */
export function leaveLobby() {
  for (const part of document.querySelectorAll("[data-lobby]")) part.remove();
  document.body.classList.add("at-table");
}

/** @param {State} state */
function waitingWords({ state, position, people }) {
  const free = (people ?? []).filter(({ name }) => !name).length;
  if (state === "lobby") return free === 1 ? "One seat is free." : `${free} seats are free.`;
  if (state === "waiting") return (position ?? 1) > 1 ? `All tables are taken right now; you are number ${position} in line.` : "The bots are getting ready…";
  if (state === "closed") return "This table is closed.";
  return "The cards are dealt…";
}
