"""The planner's promises, checked by playing them out; adaptive seasons."""

from typing import Any

import numpy as np
import pytest

from league.ratings import Block, BlockGame, PairVerdict, confidence_sequence
from league.ratings.standings import make_standings
from league.seasons.power import (
    Fleet,
    blocks_fixed,
    blocks_peeking,
    gap_fixed,
    gap_peeking,
    plan_season,
    season_reach,
)
from league.seasons.stopping import StopReason, season_verdict
from tests.league import simulate


def test_the_fixed_size_test_has_the_power_that_was_asked_for() -> None:
    n = blocks_fixed(1.7, 5.96, power=0.8)
    drawn = np.random.default_rng(1).normal(1.7, 5.96, (4000, n))
    z = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / np.sqrt(n))
    assert (z > 1.96).mean() == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize("pairs", [1, 66])
def test_the_badge_has_at_least_the_power_that_was_asked_for(pairs: int) -> None:
    n = blocks_peeking(1.7, 5.96, power=0.8, pairs=pairs)
    drawn = np.random.default_rng(2).normal(1.7, 5.96, (2000, n))
    settled = confidence_sequence(drawn, alpha=0.05 / pairs).excludes_zero
    assert settled.any(axis=1).mean() >= 0.8
    assert not settled[:, n // 2].mean() > 0.8


def test_a_smaller_gap_needs_more_and_more_slots_need_less_time() -> None:
    small = plan_season(bots=12, seats=4, gap=0.5)
    large = plan_season(bots=12, seats=4, gap=2.0)
    assert small.games_per_bot > 10 * large.games_per_bot
    assert small.games_per_bot_peeking > small.games_per_bot
    fast = plan_season(bots=12, seats=4, gap=0.5, fleet=Fleet(slots=4))
    assert fast.matches == small.matches
    assert fast.seconds < small.seconds / 3.5
    assert f"{small.matches} matches" in small.words


@pytest.mark.parametrize("gap", [0.5, 1.7, 4.0])
def test_the_gap_that_games_can_show_is_the_inverse_of_the_games_that_a_gap_needs(
    gap: float,
) -> None:
    once = gap_fixed(blocks_fixed(gap, 5.96), 5.96)
    badge = gap_peeking(blocks_peeking(gap, 5.96, pairs=28), 5.96, pairs=28)
    assert once is not None
    assert badge is not None
    # Blocks are whole, and twenty of them are the least that is looked at.
    assert 0.8 * gap < once <= gap + 1e-9
    assert 0.95 * gap < badge <= gap + 1e-9


def test_a_longer_season_tells_smaller_gaps_apart_and_a_tiny_one_nothing() -> None:
    fleet = Fleet(slots=2, games_per_match=100, seconds_per_game=0.1, start_seconds=0.0)
    short = season_reach(bots=8, seats=4, meetings=1, fleet=fleet)
    long = season_reach(bots=8, seats=4, meetings=6, fleet=fleet)
    assert (short.matches, short.games_per_bot, short.seconds) == (5, 250, 30.0)
    assert short.gap_once is not None
    assert long.gap_once is not None
    assert long.gap_once < short.gap_once / 2
    tiny = season_reach(bots=8, seats=4, meetings=1, fleet=Fleet(games_per_match=4))
    assert tiny.gap_badge is None
    assert "Too few" in tiny.words


@pytest.mark.parametrize("changes", [{"gap": 0.0}, {"gap": 1.0, "power": 1.0}])
def test_a_plan_that_makes_no_sense_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="a plan needs"):
        plan_season(bots=4, seats=4, **changes)


def season(theta: list[float], blocks: int) -> list[Block]:
    return simulate.rows(np.random.default_rng(3), np.array(theta), 4, blocks)


def test_a_season_ends_when_the_places_that_matter_are_settled() -> None:
    table = make_standings(season([2.0, 0.0, 0.0, 0.0, -2.0], 400))
    found = season_verdict(table, places=[1, 4], budget_blocks=10_000)
    assert (found.reason, found.done, found.open_pairs) == (StopReason.SETTLED, True, ())


def test_an_open_place_keeps_the_season_going() -> None:
    table = make_standings(season([2.0, 0.05, 0.0, -1.0, -2.0], 300))
    found = season_verdict(table, places=[1, 2], budget_blocks=10_000)
    assert (found.reason, found.done) == (StopReason.OPEN, False)
    (pair,) = found.open_pairs
    assert {pair.upper, pair.lower} == {"bot001", "bot002"}
    assert pair.verdict is PairVerdict.OPEN
    assert pair.blocks_left is None or pair.blocks_left > 100
    spent = season_verdict(table, places=[1, 2], budget_blocks=300)
    assert (spent.reason, spent.done) == (StopReason.BUDGET, True)


def test_places_that_do_not_exist_and_bots_that_are_not_measurable() -> None:
    few = make_standings(season([1.0, 0.5, 0.0, -1.0], 10))
    found = season_verdict(few, places=[0, 1, 9], budget_blocks=100)
    assert [pair.verdict for pair in found.open_pairs] == [PairVerdict.NOT_MEASURABLE]


def test_bots_shown_to_be_equal_need_no_further_games() -> None:
    rng = np.random.default_rng(4)
    rows = []
    for order in range(300):
        coin = int(rng.random() < 0.5)
        points = (coin + int(rng.integers(0, 20)), 30)
        games = tuple(BlockGame(places=(1 + flip, 2 - flip), points=points) for flip in (0, 1) * 20)
        # A rare single game of difference leaves a variance to measure.
        if order % 10 == 0:
            games = (*games[:-1], BlockGame(places=(1 + coin, 2 - coin), points=points))
        rows.append(Block(order=order, table=("a", "b"), games=games))
    found = season_verdict(make_standings(rows), places=[1], budget_blocks=10_000)
    assert found.reason is StopReason.SETTLED
