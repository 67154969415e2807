"use strict";
// Tests of the sample. `make test` runs them.

const assert = require("node:assert");
const test = require("node:test");
const { GapBot } = require("./bot.js");

function bot(name) {
  return Object.assign(new GapBot(), { rules: { name } });
}

test("it lays the card closest above a row with room", () => {
  const rows = [[10], [20, 21, 22, 23, 24], [30], [40]];
  assert.strictEqual(bot("six-nimmt").chooseCard({ hand: [3, 25, 33, 50], rows }), 33);
});

test("it keeps the X row rising", () => {
  const view = { seat: 1, taken: [5, 30, 60], xRows: [[], [20]] };
  assert.strictEqual(bot("x-nimmt").chooseXCard(view), 30);
});
