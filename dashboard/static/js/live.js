// @ts-check
// Live parts of a page: one EventSource, small updates by kind, a reload at the end; and parts that
// are fetched again every few seconds.

/** How each kind of part shows its state. @type {Record<string, (element: HTMLElement, state: any) => void>} */
const kinds = {
  season(element, state) {
    /** @type {NodeListOf<HTMLElement>} */
    const parts = element.querySelectorAll("[data-live-text]");
    for (const part of parts) {
      const value = state[part.dataset.liveText ?? ""];
      if (value !== undefined && value !== null) part.textContent = String(value);
    }
    const bar = element.querySelector(".c-done");
    if (bar && state.total) bar.setAttribute("width", String((200 * state.done) / state.total));
  },

  async standings(element, state) {
    if (state.standings_at === element.dataset.at) return;
    const known = element.dataset.at !== undefined;
    element.dataset.at = String(state.standings_at);
    if (!known) return;
    // The page itself is the source: what it would say now replaces what it said.
    const response = await fetch(location.href);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const now = page.querySelector('[data-live-part="standings"]');
    if (now) element.querySelector('[data-live-part="standings"]')?.replaceWith(now);
  },

  submission(element, state) {
    const log = document.querySelector("[data-live-log]");
    if (log && state.log && log.textContent !== state.log) {
      const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
      // Text, never markup: the log is a stranger's.
      log.textContent = state.log;
      if (atEnd) log.scrollTop = log.scrollHeight;
      document.querySelector("[data-log-empty]")?.remove();
    }
    /** @type {NodeListOf<HTMLElement>} */
    const steps = element.querySelectorAll("[data-step]");
    for (const step of steps) {
      const now = step.dataset.step === state.state;
      step.classList.toggle("now", now);
      if (now) step.setAttribute("aria-current", "step");
      else step.removeAttribute("aria-current");
    }
  },
};

/** Follow what `data-live` names and show it as `data-live-kind` says. @param {HTMLElement} element */
export function follow(element) {
  const show = kinds[element.dataset.liveKind ?? ""];
  if (!show) return;
  /** @type {EventSource | undefined} */
  let source;
  let first = true;
  let over = false;
  const open = () => {
    const opened = new EventSource(element.dataset.live ?? "");
    source = opened;
    opened.addEventListener("message", (event) => {
      const state = JSON.parse(event.data);
      show(element, state);
      if (state.final) {
        over = true;
        opened.close();
        // The page drawn at the end says more than the stream; a page drawn after it needs nothing,
        // and one with a game on screen goes on.
        const reloads = element.dataset.liveKind !== "standings";
        if (reloads && (!first || element.dataset.state)) location.reload();
      }
      first = false;
    });
  };
  open();
  whileShown(() => source?.close(), () => {
    if (!over) open();
  });
}

/**
 * A page that is left keeps no line open, and opens it again when the Back button brings it back as
 * it was.
 * @param {() => void} leave
 * @param {() => void} back
 */
function whileShown(leave, back) {
  addEventListener("pagehide", leave);
  addEventListener("pageshow", (event) => {
    if (event.persisted) back();
  });
}

const FRESH_MS = 5000;

/** Whether somebody is at work in a part: what they typed or opened must not go. @param {Element} part */
function inUse(part) {
  if (part.contains(document.activeElement) || part.querySelector("details[open]")) return true;
  /** @type {NodeListOf<HTMLInputElement>} */
  const fields = part.querySelectorAll("input");
  return [...fields].some((one) => one.value !== one.defaultValue || one.checked !== one.defaultChecked);
}

/** Keep parts as the page itself would show them now, while somebody looks. */
export function keepFresh() {
  const parts = () => document.querySelectorAll("[data-fresh]");
  if (!parts().length) return;
  setInterval(async () => {
    if (document.hidden) return;
    const response = await fetch(location.href).catch(() => null);
    if (!response?.ok || response.redirected) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const part of parts()) {
      const now = page.querySelector(`[data-fresh="${part.getAttribute("data-fresh")}"]`);
      if (now && now.innerHTML !== part.innerHTML && !inUse(part)) part.replaceWith(now);
    }
  }, FRESH_MS);
}
