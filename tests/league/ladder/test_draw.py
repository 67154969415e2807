"""The ladder: who is drawn, who never meets, who waits, and why."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.ladder.draw import choose, feasible_wait, keeps_failing, weights
from league.ladder.entrants import BotStatus, LadderBot, LadderSettings, TableReason
from league.ladder.why import WhyNot, why_not

OLD = LadderBot(bot="", owner="", games=5000, deviation=5.0)


def field(n: int, owners: int | None = None) -> list[LadderBot]:
    return [
        replace(OLD, bot=f"b{i:02}", owner=f"o{i % (owners or n)}", elo=1500.0 - 20 * i)
        for i in range(n)
    ]


@given(st.integers(0, 10**9), st.integers(2, 6), st.integers(4, 12))
def test_tables_are_full_and_no_owner_sits_twice(seed: int, seats: int, owners: int) -> None:
    bots = field(24, owners)
    owner = {bot.bot: bot.owner for bot in bots}
    settings = LadderSettings(seats=seats)
    tables = choose(bots, count=5, seed=seed, settings=settings)
    assert bool(tables) == (owners >= seats)
    for table in tables:
        assert len({owner[bot] for bot in table.bots}) == seats
    drawn = Counter(bot for table in tables for bot in table.bots)
    assert max(drawn.values(), default=0) <= settings.cap
    assert tables == choose(list(reversed(bots)), count=5, seed=seed, settings=settings)


def test_newcomers_and_idle_bots_come_first() -> None:
    bots = field(30)
    bots[7] = replace(bots[7], games=0, deviation=None)
    bots[20] = replace(bots[20], idle_seconds=1500.0)
    drawn = Counter(choose(bots, count=1, seed=seed)[0].bots[0] for seed in range(400))
    assert drawn.most_common(1)[0][0] == "b07"
    assert drawn["b20"] > 400 / 30


def test_uncertain_order_weighs_more_than_certain_order() -> None:
    bots = field(10)
    bots[4] = replace(bots[4], elo=bots[3].elo - 1)
    weight = weights(bots, LadderSettings())
    assert weight["b04"] > weight["b00"]
    assert weight["b03"] > weight["b08"]
    unknown = [replace(bot, deviation=None) for bot in bots]
    assert weights(unknown, LadderSettings())["b00"] == pytest.approx(0.55)


def test_opponents_come_evenly_from_the_field_and_a_fifth_of_the_tables_is_random() -> None:
    bots = field(40)
    reasons: Counter[TableReason] = Counter()
    met: Counter[str] = Counter()
    for seed in range(1000):
        table = choose(bots, count=1, seed=seed)[0]
        reasons[table.reason] += 1
        if table.reason is TableReason.WEIGHT:
            met.update(table.bots[1:])
    assert 0.16 < reasons[TableReason.RANDOM] / 1000 < 0.24
    expected = 3 * reasons[TableReason.WEIGHT] / 40
    assert len(met) == 40
    assert all(0.5 * expected < count < 1.6 * expected for count in met.values())


def test_who_met_less_of_late_is_drawn_more_often_but_never_surely() -> None:
    bots = field(3)
    settings = LadderSettings(seats=2, random_share=0.0)
    met = {frozenset(("b00", "b01")): 3}
    drawn: Counter[str] = Counter()
    for seed in range(400):
        first, second = choose(bots, count=1, seed=seed, settings=settings, meetings=met)[0].bots
        if first == "b01":
            drawn[second] += 1
    assert 0 < drawn["b00"] < drawn["b02"] / 2


def test_a_table_waits_for_a_pool_clearly_larger_than_itself() -> None:
    bots = field(6)
    settings = LadderSettings(seats=4, cap=1)
    assert choose(bots, count=1, seed=1, settings=settings)
    busy = [replace(bot, in_flight=1) for bot in bots[:2]]
    assert choose([*busy, *bots[2:]], count=1, seed=1, settings=settings) == (), (
        "the four that are free would be the next table whatever the dice say"
    )
    late = replace(bots[5], idle_seconds=settings.longest_wait)
    assert choose([*busy, *bots[2:5], late], count=1, seed=1, settings=settings), (
        "the promised wait goes before mixing"
    )


def test_a_bot_that_has_waited_half_the_promise_goes_first() -> None:
    bots = field(20)
    bots[11] = replace(bots[11], idle_seconds=1801.0)
    bots[3] = replace(bots[3], idle_seconds=1900.0)
    table = choose(bots, count=1, seed=1)[0]
    assert table.reason is TableReason.WAITED
    assert table.bots[:2] == ("b03", "b11")


def test_equal_fingerprints_play_as_one_entrant_the_earliest() -> None:
    bots = field(8)
    bots[2] = replace(bots[2], fingerprint="same", submitted=2.0)
    bots[5] = replace(bots[5], fingerprint="same", submitted=1.0)
    drawn = {b for seed in range(60) for t in choose(bots, count=4, seed=seed) for b in t.bots}
    assert "b05" in drawn
    assert "b02" not in drawn
    assert why_not("b02", bots) is WhyNot.TWIN_PLAYS
    bots[5] = replace(bots[5], status=BotStatus.WITHDRAWN)
    assert why_not("b02", bots) is WhyNot.ITS_TURN_COMES


def test_bots_at_their_cap_and_anchors_are_not_drawn_first_but_anchors_fill_tables() -> None:
    bots = [replace(bot, in_flight=2 if i == 0 else 0) for i, bot in enumerate(field(3))]
    bots[2] = replace(bots[2], idle_seconds=3000.0)
    bots += [replace(OLD, bot=f"anchor{i}", owner="house", anchor=True) for i in range(2)]
    for seed in range(40):
        (table,) = choose(bots, count=1, seed=seed)
        assert set(table.bots) == {"b01", "b02", "anchor0", "anchor1"}
        assert table.bots[0] == "b02"
        assert set(table.anchors) == {"anchor0", "anchor1"}


def test_slow_anchor_bots_fill_no_seats_and_untimed_ones_only_when_no_other_is_there() -> None:
    settings = LadderSettings(seats=4, longest_wait=60.0)
    bots = field(2)
    for name, seconds in (("quick", 1.0), ("quick2", 4.9), ("slow", 5.1), ("new", None)):
        bots.append(replace(OLD, bot=name, owner="house", anchor=True, think_seconds=seconds))
    drawn = Counter(
        bot
        for seed in range(60)
        for bot in choose(bots, count=1, seed=seed, settings=settings)[0].anchors
    )
    assert drawn == {"quick": 60, "quick2": 60}
    assert why_not("slow", bots, settings) is WhyNot.TOO_SLOW_TO_FILL
    assert why_not("quick", bots, settings) is WhyNot.ONLY_FILLS
    without = [bot for bot in bots if bot.bot != "quick2"]
    (table,) = choose(without, count=1, seed=1, settings=settings)
    assert set(table.anchors) == {"quick", "new"}


REASONS: list[tuple[WhyNot, str, dict[str, object], LadderSettings]] = [
    (WhyNot.ITS_TURN_COMES, "b00", {}, LadderSettings()),
    (WhyNot.AT_CAP, "b00", {"in_flight": 2}, LadderSettings()),
    (WhyNot.CHECKING, "b00", {"status": BotStatus.CHECKING}, LadderSettings()),
    (WhyNot.REJECTED, "b00", {"status": BotStatus.REJECTED}, LadderSettings()),
    (WhyNot.SUSPENDED, "b00", {"status": BotStatus.SUSPENDED}, LadderSettings()),
    (WhyNot.WITHDRAWN, "b00", {"status": BotStatus.WITHDRAWN}, LadderSettings()),
    (WhyNot.DISQUALIFIED, "b00", {"status": BotStatus.DISQUALIFIED}, LadderSettings()),
    (WhyNot.SUPERSEDED, "b00", {"status": BotStatus.SUPERSEDED}, LadderSettings()),
    (WhyNot.NOT_ENTERED, "b00", {"status": BotStatus.NOT_ENTERED}, LadderSettings()),
    (WhyNot.NOT_ENTERED, "stranger", {}, LadderSettings()),
    (WhyNot.ONLY_FILLS, "b00", {"anchor": True}, LadderSettings()),
    (
        WhyNot.TOO_SLOW_TO_FILL,
        "b00",
        {"anchor": True, "think_seconds": 1000.0},
        LadderSettings(),
    ),
    (WhyNot.TWIN_PLAYS, "b00", {"fingerprint": "f", "submitted": 1.0}, LadderSettings()),
    (WhyNot.TOO_FEW_BOTS, "b00", {}, LadderSettings(seats=9)),
    (WhyNot.LADDER_PAUSED, "b00", {}, LadderSettings(paused=True)),
    (WhyNot.NO_WORKER, "b00", {}, LadderSettings(workers=0)),
]


@pytest.mark.parametrize(("reason", "bot", "changes", "settings"), REASONS)
def test_every_reason_why_a_bot_does_not_play_can_happen(
    reason: WhyNot, bot: str, changes: dict[str, Any], settings: LadderSettings
) -> None:
    bots = field(8)
    bots[0] = replace(bots[0], **changes)
    bots[1] = replace(bots[1], fingerprint="f")
    assert why_not(bot, bots, settings) is reason
    playing = {b for t in choose(bots, count=30, seed=1, settings=settings) for b in t.bots}
    assert (bot in playing) == (reason is WhyNot.ITS_TURN_COMES)


def test_no_reason_is_left_untested_and_each_is_a_sentence() -> None:
    # That a bot plays other rules is known before the ladder is asked (`why_idle`).
    assert {reason for reason, *_ in REASONS} | {WhyNot.OTHER_RULES} == set(WhyNot)
    assert all(reason.value.endswith(".") for reason in WhyNot)


def test_nobody_waits_longer_than_promised() -> None:
    """A day on two slots with matches of one minute, 40 bots, some new, some of one owner."""
    slots, minutes = 2, 1440
    promise = feasible_wait(40, 4, 60.0, slots)
    settings = LadderSettings(longest_wait=promise, cap=1)
    bots = {bot.bot: bot for bot in field(40, 25)}
    idle = dict.fromkeys(bots, 0.0)
    longest = 0.0
    for minute in range(minutes):
        states = [replace(bot, idle_seconds=idle[name]) for name, bot in bots.items()]
        tables = choose(states, count=slots, seed=minute, settings=settings)
        assert len(tables) == slots
        longest = max(longest, *idle.values())
        for name in idle:
            idle[name] += 60.0
        for table in tables:
            for name in table.bots:
                idle[name] = 0.0
                bots[name] = replace(bots[name], games=bots[name].games + 4)
    assert 0 < longest <= promise


@pytest.mark.parametrize(
    ("outs", "expected"),
    [
        ([], False),
        ([True, True], False),
        ([True, True, True], True),
        ([True, False] * 5, True),
        ([True, False, False] * 4, False),
    ],
)
def test_a_bot_that_keeps_failing_is_suspended(outs: list[bool], expected: bool) -> None:
    assert keeps_failing(outs) is expected


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="2 to 10 seats"):
        LadderSettings(seats=1)
    with pytest.raises(ValueError, match="cap 1 or more"):
        LadderSettings(cap=0)
    with pytest.raises(ValueError, match="base_weight must be above 0"):
        LadderSettings(base_weight=0.0)
