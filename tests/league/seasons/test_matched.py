"""Adaptive seasons add matched tables: even company for both of an open pair, fewer games."""

from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.ratings import PairVerdict
from league.ratings.blocks import Blocks
from league.ratings.standings import Standings, make_standings
from league.seasons.stopping import OpenPair, StopReason, matched_tables, season_verdict
from tests.league.company_bots import BLOCKS_OF_A_MATCH, WORLDS, World, balanced, join, matches

PAIR = OpenPair(upper="b0", lower="b1", verdict=PairVerdict.OPEN, blocks_left=100)


def field(bots: int, owners: int | None = None) -> dict[str, str]:
    return {f"b{i}": f"o{i % (owners or bots)}" for i in range(bots)}


@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(4, 12), st.integers(3, 12))
def test_both_of_a_pair_get_the_same_company_and_owners_never_meet(
    seed: int, seats: int, bots: int, owners: int
) -> None:
    owner = field(bots, min(owners, bots))
    for step in matched_tables(PAIR, owner, seats=seats, steps=6, rng=Random(seed)):
        for table in step:
            assert len(table) == seats
            assert len({owner[bot] for bot in table}) == seats
        if len(step) == 1:
            assert {"b0", "b1"} <= set(step[0])
        else:
            with_upper, with_lower = step
            assert set(with_upper) - {"b0"} == set(with_lower) - {"b1"}


def test_everybody_is_met_equally_often_the_rival_included() -> None:
    steps = matched_tables(PAIR, field(10), seats=4, steps=3000, rng=Random(1))
    met = Counter(bot for step in steps for table in step if "b0" in table for bot in table)
    plays = met.pop("b0")
    assert plays == 3000
    # Each of the nine others sits in three of nine tables; the rival by the dice.
    assert all(abs(count / plays - 1 / 3) < 0.03 for count in met.values())
    assert len(met) == 9


def test_a_pair_of_one_owner_plays_apart_and_too_few_bots_make_no_table() -> None:
    owner = {**field(6), "b0": "ada", "b1": "ada"}
    steps = matched_tables(PAIR, owner, seats=4, steps=5, rng=Random(2))
    assert [len(step) for step in steps] == [2] * 5
    assert matched_tables(PAIR, field(3), seats=4, steps=5, rng=Random(3)) == []
    four = matched_tables(PAIR, field(4), seats=4, steps=2, rng=Random(4))
    assert [len(step) for step in four] == [1, 1], "with four bots there is only one table"
    assert matched_tables(PAIR, {"b1": "o"}, seats=2, steps=1, rng=Random(5)) == []


def play_season(
    made: World, rng: np.random.Generator, *, adaptive: bool, most: int
) -> tuple[Standings, StopReason, int]:
    """A season for the border below the first place; further laps, or matched tables."""
    blocks: Blocks = made.play(rng, balanced(rng, made.bots, 14))
    dice = Random(int(rng.integers(2**31)))
    while True:
        table = make_standings(blocks, live={})
        found = season_verdict(table, places=[1], budget_blocks=most * BLOCKS_OF_A_MATCH)
        if found.done:
            return table, found.reason, len(blocks)
        if adaptive:
            (pair,) = found.open_pairs
            owners = {bot: bot for bot in table.ranked}
            steps = matched_tables(pair, owners, seats=4, steps=4, rng=dice)
            tables = [[int(bot[3:]) for bot in seats] for step in steps for seats in step]
            member = matches(tables)
        else:
            member = balanced(rng, made.bots, 14)
        blocks = join(blocks, made.play(rng, member))


def clear_first(run: int, bots: int) -> World:
    """Company-dependent bots, the first of them some 60 Elo ahead at evenly drawn tables."""
    for attempt in range(100):
        made = WORLDS["dependent"](np.random.default_rng([run, attempt, 5]), bots)
        second, first = np.sort(made.elo())[-2:]
        if 50 < first - second < 80:
            return made
    raise AssertionError("a hundred leagues without a clear first")


def compare(runs: int) -> tuple[int, int, float, float]:
    """Settled seasons, wrong ones among them, mean blocks: adaptive and balanced."""
    settled = wrong = 0
    spent: dict[bool, list[int]] = {True: [], False: []}
    for run in range(runs):
        made = clear_first(run, 12)
        best = f"bot{int(made.elo().argmax()):03}"
        for adaptive in (True, False):
            rng = np.random.default_rng([run, 6])
            table, reason, blocks = play_season(made, rng, adaptive=adaptive, most=600)
            spent[adaptive].append(blocks)
            if adaptive and reason is StopReason.SETTLED:
                settled += 1
                wrong += bool(table.ranking.settled_ahead[0, 1]) and table.ranked[0] != best
    return settled, wrong, float(np.mean(spent[True])), float(np.mean(spent[False]))


@pytest.mark.heavy
def test_an_adaptive_season_finds_the_order_of_a_balanced_one_with_fewer_games() -> None:
    settled, wrong, adaptive, even = compare(5)
    assert settled >= 3
    assert wrong <= 1
    assert adaptive < even


@pytest.mark.long
def test_adaptive_seasons_are_wrong_as_seldom_as_they_say_and_need_fewer_games() -> None:
    settled, wrong, adaptive, even = compare(100)
    assert settled >= 90
    assert wrong <= 5
    assert adaptive < 0.8 * even
