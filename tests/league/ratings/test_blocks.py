"""Blocks: rows become columns, points of out bots count, withdrawn bots vanish."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.ratings.blocks import Block, BlockGame, collect, from_arrays
from tests.league import simulate


def block(order: int, table: str, *games: tuple[tuple[int, ...], tuple[int, ...]]) -> Block:
    return Block(
        order=order,
        table=tuple(table),
        games=tuple(BlockGame(places=places, points=points) for places, points in games),
    )


def test_scores_are_means_over_the_games_by_places_with_ties_half() -> None:
    columns = collect([block(1, "ab", ((1, 2), (0, 5)), ((1, 1), (3, 3)))])
    assert columns.score[0].tolist() == [[0.0, 0.75], [0.25, 0.0]]
    assert columns.wins[0].tolist() == [1.5, 0.5]
    assert columns.points[0].tolist() == [3.0, 8.0]


def test_an_out_bot_counts_the_worst_points_of_the_table() -> None:
    game = BlockGame(places=(3, 1, 2), points=(0, 4, 9), out=(True, False, False))
    columns = collect([Block(order=1, table=("a", "b", "c"), games=(game,))])
    assert columns.points[0].tolist() == [9.0, 4.0, 9.0]


def test_two_blocks_with_one_order_are_refused() -> None:
    one = block(7, "ab", ((1, 2), (0, 5)))
    with pytest.raises(ValueError, match="two blocks have order 7"):
        collect([one, one])


@pytest.mark.parametrize(
    ("table", "places", "message"),
    [("aa", (1, 2), "different bots"), ("ab", (1, 2, 3), "expected 2 of each"), ("a", (1,), "two")],
)
def test_a_block_that_makes_no_sense_is_refused(
    table: str, places: tuple[int, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        block(1, table, (places, places))


def test_a_block_without_games_is_refused() -> None:
    with pytest.raises(ValueError, match="no games"):
        Block(order=1, table=("a", "b"), games=())


def test_tables_of_different_sizes_live_in_one_set_of_columns() -> None:
    columns = collect([block(1, "abc", ((1, 2, 3), (0, 1, 2))), block(2, "ab", ((2, 1), (5, 1)))])
    assert columns.present.sum(axis=1).tolist() == [3, 2]
    assert columns.count().tolist() == [2, 2, 1]
    assert columns.pairs().sum(axis=(1, 2)).tolist() == [6, 2]


def test_repeated_results_are_one_distinct_block() -> None:
    same = [block(i, "ab", ((1, 2), (0, 5))) for i in range(30)]
    other = [block(30 + i, "ab", ((1, 2), (0, i))) for i in range(3)]
    columns = collect([*same, *other])
    assert columns.count().tolist() == [33, 33]
    assert columns.distinct().tolist() == [4, 4]


@given(st.permutations(range(12)))
def test_the_order_of_arrival_leaves_no_trace(order: list[int]) -> None:
    rows = simulate.rows(np.random.default_rng(1), np.linspace(-1, 1, 6), 3, 12)
    expected, got = collect(rows), collect([rows[i] for i in order])
    for name in ("order", "member", "score", "points", "wins", "gap_squares", "signature"):
        assert np.array_equal(getattr(expected, name), getattr(got, name)), name


def test_arrays_and_rows_give_the_same_columns() -> None:
    rows = simulate.rows(np.random.default_rng(2), np.linspace(-1, 1, 6), 3, 40)
    expected = collect(rows)
    got = from_arrays(
        expected.bots,
        expected.order,
        expected.member,
        np.array([[game.places for game in row.games] for row in rows]),
        np.array([[game.points for game in row.games] for row in rows]),
        expected.rounds,
    )
    for name in ("score", "points", "wins", "gap_squares", "signature", "games"):
        assert np.array_equal(getattr(expected, name), getattr(got, name)), name


def test_arrays_with_unsorted_bots_are_refused() -> None:
    none = np.zeros((0, 2), dtype=np.int64)
    with pytest.raises(ValueError, match="sorted"):
        from_arrays(["b", "a"], none[:, 0], none, none[:, None], none[:, None], none[:, 0])
