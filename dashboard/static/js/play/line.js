// @ts-check
/** The line to a table: frames come in by server-sent events, choices go out by small posts. */

/**
 * @typedef {{type: string, [field: string]: any}} Frame
 * @typedef {{state: string, waiting_for?: string[], position?: number | null,
 *   people?: {seat: number, name: string, here: boolean}[], assisted?: boolean, counts?: boolean,
 *   bots?: {seat: number, name: string, memory: string}[]}} State
 * @typedef {object} Listener
 * @property {(frame: Frame) => void} frame
 * @property {(state: State) => void} state
 * @property {(lost: boolean) => void} lost
 * @typedef {{ok: boolean, settled: boolean, detail: string}} Answer
 */

const AGAIN_MS = 2500;

export class Line {
  /**
   * @param {string} base the address of the table
   * @param {string} token
   * @param {Listener} listener
   */
  constructor(base, token, listener) {
    this.base = base;
    this.token = token;
    this.listener = listener;
    /** The number of the last frame. */
    this.last = 0;
    this.over = false;
    /** @type {EventSource | undefined} */
    this.source = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.again = undefined;
  }

  open() {
    clearTimeout(this.again);
    this.source?.close();
    const source = new EventSource(`${this.base}/stream`);
    this.source = source;
    source.addEventListener("open", () => this.listener.lost(false));
    source.addEventListener("frame", (event) => {
      const number = Number(event.lastEventId);
      // A line that was opened again tells everything from the start.
      if (number && number <= this.last) return;
      this.last = number || this.last;
      this.listener.frame(JSON.parse(event.data));
    });
    source.addEventListener("state", (event) => this.listener.state(JSON.parse(event.data)));
    source.addEventListener("end", () => this.end());
    source.addEventListener("error", () => {
      if (this.over) return;
      this.listener.lost(true);
      // A refusal ends the source for good; a broken line it opens again by itself.
      if (source.readyState === EventSource.CLOSED) this.again = setTimeout(() => this.open(), AGAIN_MS);
    });
  }

  /** Nothing more will come. */
  end() {
    this.over = true;
    this.close();
  }

  close() {
    clearTimeout(this.again);
    this.source?.close();
  }

  /**
   * Send a choice. `settled`: it makes no sense to send it again.
   * @param {number} ask
   * @param {any} choice
   * @returns {Promise<Answer>}
   */
  async choose(ask, choice) {
    const response = await fetch(`${this.base}/choice`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-csrf-token": this.token, accept: "application/json" },
      body: JSON.stringify({ ask, choice }),
    }).catch(() => null);
    if (!response || response.status >= 500 || response.status === 429) return { ok: false, settled: false, detail: "" };
    if (response.ok || response.status === 409) return { ok: true, settled: true, detail: "" };
    const problem = await response.json().catch(() => ({}));
    return { ok: false, settled: true, detail: String(problem.detail ?? `the server answered ${response.status}`) };
  }

  /**
   * Ask for a hint; what each choice would cost, or why there is none.
   * @param {number} ask
   * @returns {Promise<import("./hint.js").Hint | string>}
   */
  async hint(ask) {
    const response = await fetch(`${this.base}/hint`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-csrf-token": this.token, accept: "application/json" },
      body: JSON.stringify({ ask }),
    }).catch(() => null);
    const told = await response?.json().catch(() => null);
    if (response?.ok && told) return told;
    const why = response ? `the server answered ${response.status}, and no more of it arrived` : "the server could not be reached";
    return `No hint now: ${told?.detail ?? why}.`;
  }
}
