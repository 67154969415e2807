// @ts-check
/** Tests of the folding module and the link module, run by `node --test`. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const modules = process.env.BULLRING_REPLAY_MODULES ?? "";
const { emptyTable, fold, nextIndex, outSince, pointsOverTime, seenBy, timeline } = await import(`${modules}/model.js`);
const { placeAddress, readPlace } = await import(`${modules}/link.js`);
const cases = JSON.parse(readFileSync(process.env.BULLRING_REPLAY_CASES ?? "", "utf8"));

const plain = (table) => ({
  players: table.totals.length,
  round_no: table.round,
  start_seat: table.startSeat,
  turn: table.turn,
  seat: table.seat,
  zones: table.zones,
  bull_cards: table.bullCards,
  bull_pool: table.bullPool,
  points: table.points,
  totals: table.totals,
  places: table.places,
});

for (const [name, { payload, tables, seats }] of Object.entries(cases)) {
  test(`${name}: the fold equals the one of the rules after every step`, () => {
    let table = emptyTable(payload.meta.players.length);
    payload.steps.forEach((step, at) => {
      table = fold(table, step.events);
      assert.deepEqual(plain(table), tables[at], `step ${at}`);
    });
  });

  test(`${name}: the timeline ends every step at the same table`, () => {
    const moments = timeline(payload, null);
    payload.steps.forEach((_, at) => {
      const last = moments.findLast((moment) => moment.step === at);
      assert.deepEqual(plain(last.table), tables[at]);
    });
  });

  test(`${name}: hiding in the browser equals hiding on the server`, () => {
    for (const [seat, hidden] of seats.entries()) {
      const events = payload.steps.flatMap((step) => step.events);
      const seen = events.map((event) => seenBy(event, seat, payload.meta.table.hand_counts));
      assert.deepEqual(seen, hidden);
    }
  });

  test(`${name}: a state stays as it was when the next is made`, () => {
    const moments = timeline(payload, 0);
    const copy = structuredClone(moments.map(({ table }) => table));
    timeline(payload, 0);
    assert.deepEqual(moments.map(({ table }) => table), copy);
  });

  test(`${name}: steps lead through all moments, forwards and back`, () => {
    const moments = timeline(payload, null);
    for (const unit of ["move", "decision", "turn", "round"]) {
      for (const way of [1, -1]) {
        let at = way > 0 ? 0 : moments.length - 1;
        let steps = 0;
        for (;;) {
          const next = nextIndex(moments, at, unit, way);
          if (next === at) break;
          assert.ok((next - at) * way > 0);
          at = next;
          steps += 1;
        }
        assert.equal(at, way > 0 ? moments.length - 1 : 0);
        assert.ok(steps <= moments.length);
      }
    }
  });

  test(`${name}: lines of points end at the result`, () => {
    const ends = pointsOverTime(timeline(payload, null)).map((line) => line.at(-1));
    assert.deepEqual(ends, payload.meta.points);
  });
}

test("a card that is not there is an error that names it", () => {
  const move = { event: "move", why: "place", cards: [7], src: "hand:0", dst: "row:0" };
  assert.throws(() => fold(emptyTable(2), [move]), /card 7 is not in hand:0/);
});

test("an unknown event is an error that shows it", () => {
  assert.throws(() => fold(emptyTable(2), [{ event: "dance" }]), /unknown event .*dance/);
});

test("a seat is out from the moment of the decision that it no longer made", () => {
  const step = (round, decisions) => ({ round, decisions: Array(decisions).fill({}) });
  const steps = [step(0, 0), step(0, 3), step(0, 1), step(1, 0), step(1, 3)];
  const moments = [0, 1, 1, 2, 3, 4, 4].map((at, index) => ({ index, step: at }));
  const since = (out) => outSince({ meta: { players: [{ out }] }, steps }, moments)[0];
  assert.equal(since(null), null);
  assert.equal(since({ round: 0, decision: 0 }), 1);
  assert.equal(since({ round: 0, decision: 3 }), 3);
  assert.equal(since({ round: 1, decision: 2 }), 5);
});

test("a reason that lies in a hand is for that seat and for those who see all", () => {
  const open = { seat: 1, text: "takes" };
  const step = { round: 0, turn: 0, decisions: [], events: [], moments: [{ events: 0, text: "must take", public: open }] };
  const payload = { meta: { players: [{}, {}], table: {} }, steps: [step] };
  const texts = [null, 0, 1].map((seat) => timeline(payload, seat)[0].text);
  assert.deepEqual(texts, ["must take", "takes", "must take"]);
});

test("an address that makes no sense is read as the usual", () => {
  const usual = { t: 0, seat: null, speed: 1 };
  for (const search of ["", "?t=-1&p=x&speed=3", "?t=1e3&p=9&speed=NaN", "?t=&p=&speed="]) {
    assert.deepEqual(readPlace(search, 100, 4), usual, search);
  }
  assert.deepEqual(readPlace("?t=12&p=2&speed=2", 100, 4), { t: 12, seat: 2, speed: 2 });
  assert.equal(readPlace("?t=999", 100, 4).t, 100);
});

test("the address of a place keeps what else it holds, and reads back the same", () => {
  const place = { t: 12, seat: 0, speed: 0.25 };
  const address = placeAddress("https://example.org/m/1?lang=de&t=3#x", place);
  assert.equal(new URL(address).searchParams.get("lang"), "de");
  assert.deepEqual(readPlace(new URL(address).search, 100, 4), place);
  const usual = placeAddress(address, { t: 0, seat: null, speed: 1 });
  assert.equal(usual, "https://example.org/m/1?lang=de#x");
});
