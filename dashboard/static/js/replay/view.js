// @ts-check
/**
 * `<bull-replay src="…">`: a replay to watch. The data comes from `src`, or from a script element
 * inside: JSON, or many replays packed. What else stands inside is for readers without scripts, and is replaced.
 */

import { BullReplay } from "./viewer.js";

customElements.define("bull-replay", BullReplay);
