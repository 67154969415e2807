// @ts-check
// What every page does: the light and dark switch, tables that fit, live parts.
// Pages work without any of it.

import { follow, keepFresh } from "./live.js";

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

/** @type {NodeListOf<HTMLElement>} */
const live = document.querySelectorAll("[data-live]");
for (const element of live) follow(element);
keepFresh();
