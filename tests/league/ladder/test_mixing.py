"""The ladder mixes: in virtual time, tables do not come round again more often than by chance."""

from math import comb, sqrt
from statistics import fmean

import pytest

from league.ladder import draw
from league.ladder.entrants import LadderBot, TableReason
from tests.league.virtual_ladder import Report, VirtualLadder

MATCHES = 250
SIZES = [(bots, slots) for bots in (6, 7, 10, 40) for slots in (1, 2, 8)]


def field(n: int) -> list[LadderBot]:
    return [
        LadderBot(bot=f"b{i:02}", owner=f"o{i}", elo=1500.0 - 20 * i, deviation=5.0, games=5000)
        for i in range(n)
    ]


def by_chance(bots: int, back: int = 5) -> float:
    """How many tables would be one of the last few again if all were drawn evenly."""
    return MATCHES * (1 - (1 - 1 / comb(bots, 4)) ** back)


def too_many(report: Report, bots: int) -> bool:
    expected = by_chance(bots)
    return report.near_repeats() > expected + 3 * sqrt(expected) + 2


@pytest.mark.parametrize(("bots", "slots"), SIZES)
def test_tables_mix_shares_are_kept_and_nobody_waits_too_long(bots: int, slots: int) -> None:
    report = VirtualLadder(field(bots), slots).run(MATCHES)
    assert not too_many(report, bots), (report.near_repeats(), by_chance(bots))
    assert max(report.waits.values()) <= report.promised
    reasons = [table.reason for table in report.tables]
    drawn = [one for one in reasons if one is not TableReason.WAITED]
    random = drawn.count(TableReason.RANDOM) / len(drawn)
    assert abs(random - 0.2) < 4 * sqrt(0.16 / len(drawn))
    if bots <= 10:
        meetings = report.meetings()
        assert len(meetings) == comb(bots, 2), "everybody has met everybody"
        mean = fmean(meetings.values())
        assert min(meetings.values()) > 0.5 * mean
        assert max(meetings.values()) < 1.6 * mean


@pytest.mark.parametrize(("bots", "slots"), [(6, 2), (10, 2), (6, 8)])
def test_without_a_pool_the_same_tables_would_come_round(
    bots: int, slots: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the pool is for: the bots that have just become free were the next table."""
    monkeypatch.setattr(draw, "pool_size", lambda owners, seats: 0)
    report = VirtualLadder(field(bots), slots).run(MATCHES)
    assert too_many(report, bots)


@pytest.mark.parametrize(("bots", "slots"), [(6, 2), (7, 2), (10, 2), (40, 2), (40, 8)])
def test_mixing_costs_little_where_the_field_is_large_enough_for_the_slots(
    bots: int, slots: int
) -> None:
    assert VirtualLadder(field(bots), slots).run(MATCHES).busy > 0.9


def test_doubt_has_its_say() -> None:
    """Two neighbours whose order is a coin are drawn first as often as their weights say."""
    bots = field(10)
    for i in (4, 5):
        bots[i] = LadderBot(bot=f"b{i:02}", owner=f"o{i}", elo=1410.0, deviation=30.0, games=5000)
    report = VirtualLadder(bots, 2).run(1000)
    firsts = [table.bots[0] for table in report.tables if table.reason is TableReason.WEIGHT]
    open_pair = sum(firsts.count(bot) for bot in ("b04", "b05")) / 2
    settled = sum(firsts.count(bot) for bot in ("b00", "b01", "b08", "b09")) / 4
    assert open_pair > 2 * settled
