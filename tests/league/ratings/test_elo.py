"""Live Elo: the formula, the order of creation, new versions, anchors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openskill.models import PlackettLuce

from league.ratings.blocks import Block, BlockGame
from league.ratings.elo import EloSettings, EloState, expected, inherit, live, update
from tests.league import simulate


def won(order: int, *table: str) -> Block:
    places = tuple(range(1, len(table) + 1))
    return Block(order=order, table=table, games=(BlockGame(places=places, points=places),))


def test_a_duel_of_newcomers_moves_half_of_the_largest_step() -> None:
    after = update({}, won(1, "a", "b"))
    assert after["a"] == EloState(rating=1532.0, blocks=1)
    assert after["b"] == EloState(rating=1468.0, blocks=1)


def test_a_table_of_four_by_hand() -> None:
    states = {"a": EloState(rating=1600, blocks=10), "b": EloState(blocks=30)}
    after = update(states, won(1, "b", "a", "c", "d"))
    k_a, k_b = 32.0, 16.0
    loss = expected(1600, 1500)
    assert after["a"].rating == pytest.approx(1600 + k_a / 3 * (0 - loss + 2 * (1 - loss)))
    gain = 1 - expected(1500, 1600)
    assert after["b"].rating == pytest.approx(1500 + k_b / 3 * (gain + 0.5 + 0.5))


@pytest.mark.parametrize(("blocks", "k"), [(0, 64.0), (10, 32.0), (70, 8.0), (5000, 8.0)])
def test_the_step_falls_with_the_blocks_played(blocks: int, k: float) -> None:
    assert EloSettings().k(blocks) == k


def test_shared_places_count_half() -> None:
    tie = Block(order=1, table=("a", "b"), games=(BlockGame(places=(1, 1), points=(3, 3)),))
    assert update({}, tie)["a"].rating == 1500.0


@given(st.permutations(range(10)))
def test_blocks_count_in_creation_order_whatever_order_they_arrive_in(order: list[int]) -> None:
    rows = simulate.rows(np.random.default_rng(3), np.linspace(-1, 1, 5), 3, 10)
    assert live([rows[i] for i in order]) == live(rows)


def test_a_new_version_starts_at_the_old_elo_and_is_provisional() -> None:
    rows = [won(i, "old", "b") for i in range(60)] + [won(100, "new", "b")]
    run = live(rows, successors={"new": "old"})
    step = next(step for step in run.history if step.bot == "new")
    assert step.before == run.states["old"].rating > 1600
    assert run.states["new"].provisional
    assert not run.states["old"].provisional
    assert inherit(EloState(rating=1700, blocks=99)) == EloState(rating=1700, blocks=0)


def test_recentring_puts_the_anchors_where_they_belong_and_keeps_all_gaps() -> None:
    rows = simulate.rows(np.random.default_rng(4), np.linspace(-1, 1, 6), 3, 200)
    anchors = {"bot000": 1300.0, "bot005": 1500.0, "unknown": 99.0}
    plain, moved = live(rows).states, live(rows, anchors=anchors)
    mean = (moved.states["bot000"].rating + moved.states["bot005"].rating) / 2
    assert mean == pytest.approx(1400)
    gap = plain["bot003"].rating - plain["bot001"].rating
    got = moved.states["bot003"].rating - moved.states["bot001"].rating
    assert got == pytest.approx(gap)


def test_live_elo_orders_bots_like_an_independent_rating_library() -> None:
    rows = simulate.rows(np.random.default_rng(5), np.linspace(-1.5, 1.5, 8), 4, 400)
    model = PlackettLuce(tau=0.0)
    theirs = {bot: model.rating() for bot in simulate.names(8)}
    for row in rows:
        for game in row.games:
            teams = [[theirs[bot]] for bot in row.table]
            rated = model.rate(teams, ranks=[float(place) for place in game.places])
            theirs.update({bot: team[0] for bot, team in zip(row.table, rated, strict=True)})
    ours = live(rows).states
    by_elo = sorted(ours, key=lambda bot: ours[bot].rating)
    assert by_elo == sorted(theirs, key=lambda bot: theirs[bot].mu)
