// @ts-check
/** Tests of what a person has chosen, run by `node --test`. */

import assert from "node:assert/strict";
import { test } from "node:test";

const { planFor } = await import(`${process.env.BULLRING_PLAY_MODULES ?? ""}/plan.js`);

const card = (id) => ({ kind: "card", id });
const pile = (id) => ({ kind: "pile", id });
const words = (more = {}) => ({ title: "Choose", help: "", choices: {}, blocked: {}, takes: {}, ...more });
const ask = (kind, legal, more = {}) => ({ ask: 1, kind, legal, move_ms: 1, deadline: "", words: words(more) });
const turn = (more) => ({ plays: { 0: [34, 36, 43], 2: [36, 44] }, max_piles: 1, many: false, takes: [0, 2], ...more });

test("a card is chosen, exchanged and put back", () => {
  const plan = planFor(ask("card", [3, 41], { choices: { 3: { text: "three" }, 41: { text: "all" } } }), []);
  assert.equal(plan.choice(), null);
  assert.equal(plan.touch(card(41)), "");
  assert.deepEqual([plan.choice(), plan.label(), plan.words()], [41, "Play 41", "all"]);
  plan.touch(card(3));
  assert.equal(plan.choice(), 3);
  plan.touch(card(3));
  assert.equal(plan.choice(), null);
});

test("what is not asked for is refused with what is", () => {
  const plan = planFor(ask("row", [0, 1, 2, 3]), []);
  assert.equal(plan.touch(card(12)), "Not now. Choose.");
  assert.equal(plan.choice(), null);
  assert.equal(plan.touch({ kind: "row", id: 2 }), "");
  assert.deepEqual([plan.choice(), plan.label()], [2, "Take row 3"]);
});

test("a seat to steal from is called by its name", () => {
  const plan = planFor(ask("steal", [2], { choices: { 2: { text: "" } } }), ["You", "gap", "ape"]);
  plan.touch({ kind: "seat", id: 2 });
  assert.equal(plan.label(), "Steal from ape");
});

test("without a bull card one card is played, on the pile it fits", () => {
  const plan = planFor(ask("turn", turn()), []);
  plan.touch(card(34));
  plan.touch(card(44));
  assert.deepEqual(plan.choice(), { play: { 2: [44] } });
});

test("a card that fits on two piles can be moved to the other", () => {
  const plan = planFor(ask("turn", turn()), []);
  plan.touch(card(36));
  assert.deepEqual(plan.choice(), { play: { 0: [36] } });
  assert.match(plan.words(), /fits on another pile too/);
  assert.equal(plan.touch(pile(2)), "");
  assert.deepEqual(plan.choice(), { play: { 2: [36] } });
});

test("a card that fits nowhere says why", () => {
  const plan = planFor(ask("turn", turn(), { blocked: { 90: "too far" } }), []);
  assert.equal(plan.touch(card(90)), "too far");
  assert.equal(plan.may(card(90)), false);
});

test("a pile is taken when no card is chosen, and never by mistake", () => {
  const plan = planFor(ask("turn", turn()), []);
  plan.touch(pile(2));
  assert.deepEqual([plan.choice(), plan.label()], [{ take: 2 }, "Take pile 3"]);
  plan.touch(pile(2));
  assert.equal(plan.choice(), null);
  plan.touch(card(34));
  assert.match(plan.touch(pile(2)), /does not fit on pile 3/);
  assert.deepEqual(plan.choice(), { play: { 0: [34] } });
});

test("with one bull card several go on one pile, by ascending gap, and no other pile", () => {
  const plan = planFor(ask("turn", turn({ many: true })), []);
  plan.touch(card(43));
  plan.touch(card(34));
  plan.touch(card(36));
  assert.match(plan.touch(card(44)), /another pile.*one pile/);
  assert.deepEqual(plan.choice(), { play: { 0: [34, 36, 43] } });
  assert.equal(plan.label(), "Play 34, 36 and 43");
});

test("with two bull cards on two piles", () => {
  const plan = planFor(ask("turn", turn({ many: true, max_piles: 2 })), []);
  for (const id of [34, 44, 36]) assert.equal(plan.touch(card(id)), "");
  assert.deepEqual(plan.choice(), { play: { 0: [34, 36], 2: [44] } });
  plan.touch(pile(2));
  assert.deepEqual(plan.choice(), { play: { 0: [34], 2: [36, 44] } });
  plan.clear();
  assert.equal(plan.choice(), null);
});
