// @ts-check
/** What a player prefers, kept in this browser. */

/** @typedef {{atOnce: boolean, quick: boolean}} Settings */

const PLACE = "bullring.table";

/** @returns {Settings} */
export function readSettings() {
  try {
    const kept = JSON.parse(localStorage.getItem(PLACE) ?? "{}");
    return { atOnce: kept.atOnce === true, quick: kept.quick === true };
  } catch {
    // No storage, or somebody else's text in it.
    return { atOnce: false, quick: false };
  }
}

/** @param {Settings} settings */
export function keepSettings(settings) {
  try {
    localStorage.setItem(PLACE, JSON.stringify(settings));
  } catch {
    // Then they hold for this page.
  }
}
