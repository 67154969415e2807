// @ts-check
// What every page does: the light and dark switch, tables that fit, live parts.
// Pages work without any of it.

import { follow, keepFresh } from "./live.js";
import "./start.js";

const root = document.documentElement;

function isDark() {
  if (root.dataset.theme) return root.dataset.theme === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** @type {NodeListOf<HTMLButtonElement>} */
const toggles = document.querySelectorAll("[data-theme-toggle]");
for (const button of toggles) {
  button.hidden = false;
  button.setAttribute("aria-pressed", String(isDark()));
  button.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    root.dataset.theme = theme;
    button.setAttribute("aria-pressed", String(theme === "dark"));
    // The server reads it, so that the next page is drawn right at once.
    document.cookie = `bullring_theme=${theme}; path=/; max-age=31536000; samesite=lax`;
  });
}

/** @type {NodeListOf<HTMLButtonElement>} */
const copies = document.querySelectorAll("[data-copy]");
for (const button of copies) {
  const source = document.getElementById(button.dataset.copy ?? "");
  button.hidden = !source;
  button.addEventListener("click", async () => {
    if (!source) return;
    try {
      await navigator.clipboard.writeText(source.textContent ?? "");
      button.textContent = "Copied";
    } catch {
      // Without https or permission there is no clipboard; what is selected can be copied by hand.
      getSelection()?.selectAllChildren(source);
      button.textContent = "Selected";
    }
  });
}

// On a narrow screen the bars scroll; what is open now is to be seen.
/** @type {NodeListOf<HTMLElement>} */
const current = document.querySelectorAll(":is(.nav, .tabs) > [aria-current]");
for (const link of current) {
  const bar = link.parentElement;
  if (bar) bar.scrollLeft = link.offsetLeft - bar.offsetLeft - (bar.clientWidth - link.offsetWidth) / 2;
}

// A region that does not scroll needs no stop of the Tab key.
for (const region of document.querySelectorAll(".scroll[tabindex]")) {
  if (region.scrollWidth <= region.clientWidth) region.removeAttribute("tabindex");
}

// Moments that people have to be in time for are told in their own time zone, with its name.
const zoned = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
const zone = new Intl.DateTimeFormat("en-GB", { timeZoneName: "short" });

/** @param {Date} at */
function zoneOf(at) {
  return zone.formatToParts(at).find((part) => part.type === "timeZoneName")?.value ?? "";
}

/** @param {Date} at */
function inOwnTime(at) {
  return `${zoned.format(at)} ${zoneOf(at)}`;
}

/** @type {NodeListOf<HTMLTimeElement>} */
const moments = document.querySelectorAll("time[data-exact]");
for (const moment of moments) {
  const at = new Date(moment.dateTime);
  if (Number.isNaN(at.getTime()) || at.getTimezoneOffset() === 0) continue;
  moment.title = moment.textContent ?? "";
  moment.textContent = inOwnTime(at);
}

// Dates are typed by the reader's own clock, and sent in UTC. Without scripts they are typed in UTC.
/** @type {NodeListOf<HTMLInputElement>} */
const dates = document.querySelectorAll("[data-utc-field]");
for (const field of dates) typeInOwnTime(field);

/** @param {HTMLInputElement} field */
function typeInOwnTime(field) {
  const words = document.getElementById(`${field.id}-help`);
  const given = new Date(`${field.value}Z`);
  if (!words || new Date().getTimezoneOffset() === 0) return;
  const sent = document.createElement("input");
  sent.type = "hidden";
  sent.name = field.name;
  sent.value = field.value;
  field.removeAttribute("name");
  field.after(sent);
  if (!Number.isNaN(given.getTime())) field.value = asTyped(given);
  const tell = () => {
    const at = new Date(field.value);
    const known = !Number.isNaN(at.getTime());
    sent.value = known ? at.toISOString().slice(0, 16) : "";
    const utc = known ? `, in UTC ${sent.value.replace("T", " ")}` : "";
    words.textContent = `In your time zone, ${zoneOf(known ? at : new Date())}${utc}.`;
  };
  field.addEventListener("input", tell);
  tell();
}

/**
 * A moment as a field for dates holds it, by the reader's clock.
 * @param {Date} at
 */
function asTyped(at) {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** @type {NodeListOf<HTMLElement>} */
const live = document.querySelectorAll("[data-live]");
for (const element of live) follow(element);
keepFresh();
