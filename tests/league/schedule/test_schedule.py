"""Schedules: meetings within 2, plays within 1, seats within 1, counted from the tables."""

from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league.schedule.designs import affine_plane, circle
from league.schedule.plan import Entrant, Schedule, make_schedule
from league.schedule.seats import seat
from tests.tiers import up_to

ANCHORS = [f"anchor{i}" for i in range(9)]

# Duels with even and odd numbers, planes of prime and prime power order, complete tables, one bot
# too many, tables larger than the field, and sizes that have no design at all.
CHOSEN = [
    (7, 2), (40, 2), (9, 3), (16, 4), (64, 8), (5, 5), (11, 10), (3, 4), (17, 10), (30, 5),
    (38, 9), (100, 4),
]  # fmt: skip


def field(n: int, owners: int | None = None) -> list[Entrant]:
    return [Entrant(bot=f"bot{i}", owner=f"owner{i % (owners or n)}") for i in range(n)]


def counted(schedule: Schedule, bots: list[Entrant], k: int) -> tuple[int, int, int]:
    """Spread of meetings, plays and seats, counted without any help of the league."""
    own = {entrant.bot: entrant.owner for entrant in bots}
    met: Counter[frozenset[str]] = Counter()
    plays: Counter[str] = Counter()
    chairs: Counter[tuple[str, int]] = Counter()
    for table in schedule.tables:
        assert len(set(table.seats)) == k
        assert set(table.anchors) == {bot for bot in table.seats if bot not in own}
        seated = [bot for bot in table.seats if bot in own]
        assert len({own[bot] for bot in seated}) == len(seated)
        met.update(frozenset(pair) for pair in combinations(seated, 2))
        plays.update(seated)
        chairs.update((bot, place) for place, bot in enumerate(table.seats))
    pairs = [met[frozenset((a.bot, b.bot))] for a, b in combinations(bots, 2) if a.owner != b.owner]
    seats = [[chairs[bot, place] for place in range(k)] for bot in own]
    times = [plays[bot] for bot in own]
    return (
        max(pairs) - min(pairs),
        max(times) - min(times),
        max(max(row) - min(row) for row in seats),
    )


def check(n: int, k: int, meetings: int) -> None:
    bots = field(n)
    schedule = make_schedule(bots, k, meetings=meetings, anchors=ANCHORS)
    pairs, plays, seats = counted(schedule, bots, k)
    assert pairs <= 2, schedule.report.words
    assert plays <= 1
    assert seats <= 1
    report = schedule.report
    assert report.holds
    assert (report.pairs_spread, report.seats_spread) == (pairs, seats)
    assert report.plays_max - report.plays_min == plays
    assert report.pairs_bound <= pairs
    mean = sum(len(table.seats) * (len(table.seats) - 1) for table in schedule.tables)
    assert mean >= meetings * n * (n - 1) * 0.9


@pytest.mark.parametrize(("n", "k"), CHOSEN)
def test_chosen_sizes_are_balanced(n: int, k: int) -> None:
    check(n, k, 1)


@pytest.mark.long
@pytest.mark.parametrize("meetings", [1, 2, 3])
@pytest.mark.parametrize("k", range(2, 11))
def test_all_sizes_up_to_forty_bots_are_balanced(k: int, meetings: int) -> None:
    for n in range(2, 41):
        check(n, k, meetings)


@pytest.mark.parametrize(("n", "k"), [(8, 2), (9, 3), (16, 4), (25, 5), (49, 7), (81, 9)])
def test_exact_designs_are_exact(n: int, k: int) -> None:
    bots = field(n)
    assert counted(make_schedule(bots, k, meetings=2), bots, k)[0] == 0


def test_the_circle_and_the_plane_meet_every_pair_once_and_nobody_twice_in_a_round() -> None:
    for rounds in (circle(9), circle(10), affine_plane(4), affine_plane(8), affine_plane(9)):
        met = Counter(frozenset(p) for row in rounds for t in row for p in combinations(t, 2))
        assert set(met.values()) == {1}
        for row in rounds:
            seated = [bot for table in row for bot in table]
            assert len(set(seated)) == len(seated)


def test_the_same_seed_gives_the_same_plan_whatever_the_order_of_entry() -> None:
    bots = field(14)
    one = make_schedule(bots, 4, meetings=2, seed=7)
    assert make_schedule(list(reversed(bots)), 4, meetings=2, seed=7) == one
    assert make_schedule(bots, 4, meetings=2, seed=8).tables != one.tables


def test_nobody_plays_twice_in_a_round() -> None:
    schedule = make_schedule(field(14), 4, meetings=2)
    seen = Counter((table.round_no, bot) for table in schedule.tables for bot in table.seats)
    assert set(seen.values()) == {1}


def test_at_any_moment_the_plays_are_nearly_even() -> None:
    plays = Counter(dict.fromkeys((f"bot{i}" for i in range(20)), 0))
    for table in make_schedule(field(20), 4, meetings=3).tables:
        plays.update(table.seats)
        assert max(plays.values()) - min(plays.values()) <= 3


@pytest.mark.parametrize(("n", "owners", "k"), [(12, 6, 4), (12, 4, 4), (20, 5, 4), (8, 4, 2)])
def test_bots_of_one_owner_never_share_a_table(n: int, owners: int, k: int) -> None:
    bots = field(n, owners)
    schedule = make_schedule(bots, k, meetings=2)
    pairs, plays, seats = counted(schedule, bots, k)
    assert pairs <= 2
    assert plays <= 1
    assert seats <= 1
    assert "of one owner never meet" in schedule.report.words


def test_one_owner_with_many_bots_still_gets_even_plays_and_the_proven_best() -> None:
    bots = [Entrant(bot=f"b{i}", owner="big" if i < 4 else f"o{i}") for i in range(9)]
    schedule = make_schedule(bots, 2, meetings=2)
    pairs, plays, _ = counted(schedule, bots, 2)
    assert plays <= 1
    assert pairs == schedule.report.pairs_bound == 3
    assert schedule.report.holds
    assert "best possible" in schedule.report.words


def test_few_bots_are_joined_by_anchor_bots() -> None:
    schedule = make_schedule(field(3), 5, meetings=4, anchors=ANCHORS[:3])
    used = Counter(bot for table in schedule.tables for bot in table.anchors)
    assert sum(used.values()) == schedule.report.anchor_seats == 2 * len(schedule.tables)
    assert max(used.values()) - min(used.values()) <= 1
    assert "filled with anchor bots" in schedule.report.words


@pytest.mark.parametrize(
    ("bots", "k", "options", "message"),
    [
        (field(3), 4, {}, "give 1 or more anchor bots"),
        (field(4), 1, {}, "2 to 10 seats"),
        (field(4), 11, {}, "2 to 10 seats"),
        (field(1), 2, {}, "two or more different bots"),
        ([*field(3), field(1)[0]], 2, {}, "each once"),
        (field(4), 2, {"meetings": 0}, "must be 1 or more"),
        (field(4), 2, {"anchors": ["bot1"]}, "as entrants and as anchor bots"),
    ],
)
def test_a_season_that_cannot_be_is_refused_with_a_reason(
    bots: list[Entrant], k: int, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        make_schedule(bots, k, **options)


def test_a_given_number_of_tables_is_kept_and_judged() -> None:
    # Proven by hand: four tables of ten cannot seat 17 bots with meetings within 2.
    report = make_schedule(field(17), 10, tables=4).report
    assert report.tables == 4
    assert report.pairs_spread == 3
    assert not report.holds


@settings(max_examples=up_to(30))
@given(st.data())
def test_seats_are_within_one_for_any_tables(data: st.DataObject) -> None:
    k = data.draw(st.integers(2, 5))
    one = st.lists(st.integers(0, 7), min_size=k, max_size=k, unique=True)
    tables = data.draw(st.lists(one, min_size=1, max_size=40))
    seated = seat(tables, k)
    assert [sorted(row) for row in seated] == [sorted(row) for row in tables]
    chairs = Counter((bot, place) for row in seated for place, bot in enumerate(row))
    for bot in range(8):
        counts = [chairs[bot, place] for place in range(k)]
        assert max(counts) - min(counts) <= 1
