// @ts-check
/**
 * `<bull-replay class="seat-taken" base="/play/…" token="…">`: a table to play at. It looks as replays
 * do, so it is the same element; a page holds one kind of it.
 */

import { BullTable } from "./table.js";

customElements.define("bull-replay", BullTable);
