// @ts-check
/** Several replays inside one page: base64 of gzip, one a line; `?game=3` chooses the fourth. */

/**
 * @param {string} text
 * @param {string} search the query of the address
 * @returns {Promise<import("./model.js").Payload>}
 */
export async function unpack(text, search) {
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const lines = (await new Response(stream).text()).split("\n");
  const asked = new URLSearchParams(search).get("game") ?? "0";
  if (!/^\d{1,6}$/.test(asked) || Number(asked) >= lines.length) {
    throw new Error(`there is no game ${asked}, only 0 to ${lines.length - 1}`);
  }
  return JSON.parse(lines[Number(asked)]);
}

/** Say on the page which of them is shown. @param {string} title */
export function announce(title) {
  const heading = document.querySelector("[data-replay-title]");
  if (!heading) return;
  heading.textContent = title;
  document.title = title;
}
