"use strict";
// Messages of the contract as plain objects: cards as lists, choices checked before they are sent.

const KINDS = {
  CARD: { method: "chooseCard", field: "card" },
  ROW: { method: "chooseRow", field: "row" },
  DRAFT: { method: "chooseDraft", field: "draft" },
  X_CARD: { method: "chooseXCard", field: "xCard" },
  STEAL: { method: "chooseSteal", field: "steal" },
  TURN: { method: "chooseTurn" },
};
const NOTE_BYTES = 200;

/** The view of an ask, with rows and piles of cards as plain lists. */
function viewOf(ask) {
  const view = ask.sixNimmt || ask.elevenNimmt || ask.xNimmt;
  if (!view) throw new Error("an ask came without a view that this kit knows; use a newer kit");
  for (const name of ["rows", "bullPiles", "hands", "xRows"]) {
    if (view[name]) view[name] = view[name].map((pile) => pile.cards);
  }
  return view;
}

/** What a turn of 11 nimmt! may be, `plays` by pile. */
function turnsOf(options) {
  const plays = {};
  for (const part of options.plays) plays[part.pile] = part.cards;
  return { plays, maxPiles: options.maxPiles, many: options.many, takes: options.takes };
}

/** The options of the rules by name. */
function optionsOf(welcome) {
  const options = {};
  for (const [name, value] of Object.entries(welcome.options)) {
    options[name] = value.value === "number" ? Number(value.number) : value[value.value];
  }
  return options;
}

/** An event as `{kind, ...}`, or null for one that is newer than this kit. */
function eventOf(message) {
  if (!message.event) return null;
  // The loader notes with an underscore which optional fields are there.
  const fields = Object.entries(message[message.event]).filter(([name]) => !name.startsWith("_"));
  return { kind: message.event, ...Object.fromEntries(fields) };
}

/** The choice as fields of an answer, or null when it is none that can be sent. */
function choiceFields(kind, choice) {
  if (kind.field) return isNumber(choice) ? { [kind.field]: choice } : null;
  if (choice === null || typeof choice !== "object") return null;
  if ("take" in choice) return isNumber(choice.take) ? { take: choice.take } : null;
  if (choice.play === null || typeof choice.play !== "object") return null;
  const piles = Object.entries(choice.play).map(([pile, cards]) => ({ pile: Number(pile), cards }));
  const fine = piles.every(
    ({ pile, cards }) => isNumber(pile) && Array.isArray(cards) && cards.every(isNumber),
  );
  return fine ? { play: { piles } } : null;
}

function isNumber(value) {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 31;
}

/** A note cut to what the referee keeps, never in the middle of a character. */
function cutNote(text) {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= NOTE_BYTES) return text;
  let end = NOTE_BYTES;
  while ((bytes[end] & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end);
}

module.exports = { KINDS, choiceFields, cutNote, eventOf, optionsOf, turnsOf, viewOf };
