// @ts-check
// The form for a new table: only what fits the chosen game can be chosen. Without scripts the server says what does not fit.

import { say } from "../replay/dom.js";

const asked = /** @type {HTMLFormElement | null} */ (document.querySelector("[data-play]"));
if (asked) {
  asked.addEventListener("change", () => fit(asked));
  fit(asked);
}

/** @param {HTMLFormElement} form */
function fit(form) {
  const game = /** @type {HTMLInputElement | null} */ (form.querySelector("input[name=rules]:checked"));
  if (!game) return;
  const advanced = /** @type {HTMLInputElement} */ (form.querySelector("input[name=advanced]"));
  const variant = /** @type {HTMLElement} */ (form.querySelector("[data-advanced]"));
  variant.hidden = !game.dataset.advancedMost;
  if (variant.hidden) advanced.checked = false;
  // The other games have a number of rounds of their own.
  const length = /** @type {HTMLElement} */ (form.querySelector("[data-length]"));
  length.hidden = game.dataset.rounds === undefined;
  const most = Number(advanced.checked ? game.dataset.advancedMost : game.dataset.most);
  const seats = limit(form, "seats", Number(game.dataset.least), most);
  const people = limit(form, "people", 1, seats);
  const bots = seats - people;
  /** @type {NodeListOf<HTMLElement>} */
  const choices = form.querySelectorAll(".bot-choice");
  let free = bots;
  for (const choice of choices) {
    const box = /** @type {HTMLInputElement} */ (choice.querySelector("input"));
    choice.hidden = !choice.dataset.rules?.split(" ").includes(game.value);
    if (choice.hidden || (box.checked && free === 0)) box.checked = false;
    if (box.checked) free -= 1;
  }
  for (const choice of choices) {
    const box = /** @type {HTMLInputElement} */ (choice.querySelector("input"));
    box.disabled = !box.checked && free === 0;
  }
  const summary = form.querySelector("[data-summary]");
  if (summary) summary.textContent = words(form, people, bots);
  const near = /** @type {HTMLInputElement} */ (form.querySelector("input[name=near]"));
  const seating = form.querySelector("[data-free]");
  if (seating) say(seating, freeWords(bots, free, near.checked));
}

/**
 * Who takes the seats that are not for people.
 * @param {number} bots
 * @param {number} free of these, for which no bot is picked
 * @param {boolean} near
 */
function freeWords(bots, free, near) {
  if (!bots) return "Every seat is for a person, so there is no room for bots.";
  const seats = bots === 1 ? "One seat is for a bot." : `${bots} seats are for bots.`;
  const one = near ? "a bot about as strong as you" : "a platform bot drawn at random";
  const some = near ? "bots about as strong as you" : "platform bots drawn at random";
  if (free === bots) return `${seats} Pick who sits there below, or get ${free === 1 ? one : some}.`;
  if (!free) return `${seats} You have picked ${bots === 1 ? "it" : `all ${bots}`}.`;
  return `${seats} You have picked ${bots - free}; ${free === 1 ? `${one} takes the other seat` : `${some} take the other ${free}`}.`;
}

/**
 * Offer these numbers alone; the chosen one moves into them.
 * @param {HTMLFormElement} form
 * @param {string} name
 * @param {number} least
 * @param {number} most
 */
function limit(form, name, least, most) {
  const list = /** @type {HTMLSelectElement} */ (form.elements.namedItem(name));
  for (const option of list.options) {
    const number = Number(option.value);
    option.hidden = option.disabled = number < least || number > most;
  }
  const chosen = Math.min(most, Math.max(least, Number(list.value)));
  list.value = String(chosen);
  return chosen;
}

/**
 * @param {HTMLFormElement} form
 * @param {number} people
 * @param {number} bots
 */
function words(form, people, bots) {
  const others = people > 1 ? `${people} people` : "You";
  const company = bots ? ` and ${bots === 1 ? "one bot" : `${bots} bots`}` : "";
  const length = /** @type {HTMLElement} */ (form.querySelector("[data-length]"));
  const whole = length.hidden || new FormData(form).get("length") === "game";
  return `${others}${company}, ${whole ? "a whole game" : "one round"}.`;
}
