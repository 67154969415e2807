// @ts-check
/** Passing a replay on: copy a link, download, save as one file, embed; and where to go next. */

import { h, say } from "./dom.js";
import { KEYS } from "./controls.js";

export class ShareBar {
  /**
   * @param {any} meta
   * @param {() => string} address the address of the present moment
   */
  constructor(meta, address) {
    this.meta = meta;
    this.address = address;
    this.said = h("span", { class: "said", role: "status" });
    const { links } = meta;
    const link = (/** @type {string} */ name, /** @type {string} */ label, download = false) =>
      links[name] ? h("a", { href: links[name], download }, label) : null;
    this.embed = links.embed ? this.embedDialog() : null;
    this.element = h(
      "nav",
      { class: "share", "aria-label": "This replay" },
      links.page ? h("button", { type: "button", class: "quiet", click: () => this.copyLink() }, "Copy link") : null,
      link("download", "Download", true),
      link("export", "One-file HTML", true),
      this.embed
        ? h("button", { type: "button", class: "quiet", click: () => this.embed?.showModal() }, "Embed")
        : null,
      this.said,
      this.embed,
    );
  }

  copyLink() {
    this.copy(this.address(), "Link copied.");
  }

  /**
   * @param {string} text
   * @param {string} done
   */
  async copy(text, done) {
    try {
      await navigator.clipboard.writeText(text);
      say(this.said, done);
    } catch {
      // Without https or permission there is no clipboard; the address bar holds the link too.
      say(this.said, "Copying is not allowed here; the address bar holds the link.");
    }
    setTimeout(() => say(this.said, ""), 4000);
  }

  embedDialog() {
    const { links, title } = this.meta;
    const frame = h("iframe", { src: new URL(links.embed, location.href).href, title, width: 800, height: 680, loading: "lazy" });
    const code = h("textarea", { readonly: true, rows: 4, "aria-label": "Embed code" });
    code.value = frame.outerHTML;
    const close = h("button", { type: "button", click: () => dialog.close() }, "Close");
    const copy = h("button", { type: "button", click: () => this.copy(code.value, "Embed code copied.") }, "Copy");
    const dialog = h("dialog", { class: "dialog", "aria-label": "Embed this replay" },
      h("h2", {}, "Embed this replay"), code, h("div", { class: "dialog-buttons" }, copy, close));
    return dialog;
  }
}

/** Previous and next game, the match, and the same board in other seatings. @param {any} meta */
export function gameLinks({ links }) {
  const link = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string | null} */ rel = null) =>
    links[name] ? h("a", { href: links[name], rel }, label) : null;
  const seatings = (links.seatings ?? []).map((/** @type {any} */ { label, href, current }) =>
    h("a", { href, "aria-current": current ? "page" : null }, label));
  /** @type {(HTMLElement | null)[]} */
  const parts = [link("previous", "← Previous game", "prev"), link("match", "Match"), link("next", "Next game →", "next")];
  if (seatings.length) parts.push(h("span", { class: "seatings" }, h("span", {}, "Same board: "), ...seatings));
  if (!parts.some(Boolean)) return null;
  return h("nav", { class: "games", "aria-label": "Other games" }, ...parts);
}

/**
 * @param {readonly (readonly [string, string])[]} [keys]
 * @param {string} [touch] what to do without a keyboard
 * @returns {HTMLDialogElement}
 */
export function helpDialog(keys = KEYS, touch = "On a touch screen: swipe over the table.") {
  const rows = keys.map(([key, words]) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, words)));
  const close = h("button", { type: "button", click: () => dialog.close() }, "Close");
  const dialog = h("dialog", { class: "dialog", "aria-label": "Keys" },
    h("h2", {}, "Keys"), h("table", {}, h("tbody", {}, ...rows)),
    h("p", {}, touch), close);
  return dialog;
}
