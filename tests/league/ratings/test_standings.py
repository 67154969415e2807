"""The standings page: every number, in any order of arrival, and honest where nothing is known."""

from dataclasses import replace

import numpy as np
import pytest

from league.ratings.blocks import Block, BlockGame, collect
from league.ratings.elo import EloState, live
from league.ratings.ranking import letters
from league.ratings.rows import count_totals
from league.ratings.standings import Badge, BotFacts, Standings, compare_standings, make_standings
from tests.league import simulate


@pytest.fixture(scope="module")
def rows() -> list[Block]:
    return simulate.rows(np.random.default_rng(1), np.linspace(1.5, -1.5, 6), 4, 500)


@pytest.fixture(scope="module")
def table(rows: list[Block]) -> Standings:
    return make_standings(rows)


def test_places_follow_the_official_rating(table: Standings) -> None:
    assert [row.bot for row in table.rows] == simulate.names(6)
    ratings = [row.official for row in table.rows]
    assert ratings == sorted(ratings, reverse=True)
    assert [row.place for row in table.rows] == [1, 2, 3, 4, 5, 6]


def test_clear_gaps_are_settled_with_one_letter_each(table: Standings) -> None:
    assert [row.badge for row in table.rows] == [Badge.SETTLED] * 6
    assert [(row.low, row.high) for row in table.rows] == [(i, i) for i in range(1, 7)]
    assert [row.group for row in table.rows] == list("abcdef")
    assert table.rows[0].best == pytest.approx(1.0, abs=0.01)


def test_shares_and_places_add_up(table: Standings, rows: list[Block]) -> None:
    games = sum(len(row.games) for row in rows)
    assert table.games == games == 2000
    assert table.blocks == 500
    assert sum(row.games for row in table.rows) == 4 * games
    played = count_totals(collect(rows))
    assert (played.win_share * played.games).sum() == pytest.approx(games)
    assert (played.mean_place * played.games).sum() == pytest.approx(games * (1 + 2 + 3 + 4))
    # At tables drawn evenly all bots play equally often, whatever was played.
    assert sum(row.win_share for row in table.rows) == pytest.approx(6 / 4, rel=0.02)
    assert sum(row.mean_place for row in table.rows) == pytest.approx(6 * 2.5, rel=0.02)


def test_mean_place_is_the_mean_of_the_places_with_ties_averaged(rows: list[Block]) -> None:
    blocks = collect(rows)
    played = count_totals(blocks)
    for bot in ("bot000", "bot005"):
        taken = []
        for row in rows:
            if bot in row.table:
                at = row.table.index(bot)
                for game in row.games:
                    shared = game.places.count(game.places[at])
                    taken.append(game.places[at] + (shared - 1) / 2)
        assert played.mean_place[blocks.bots.index(bot)] == pytest.approx(np.mean(taken))


def test_points_per_round_and_its_interval_by_hand() -> None:
    values = [i * i % 47 for i in range(22)]
    made = [
        Block(
            order=i,
            table=("a", "b"),
            games=(
                BlockGame(places=(1, 2), points=(v, v + 20), rounds=2),
                BlockGame(places=(2, 1), points=(v + 1, v), rounds=2),
            ),
        )
        for i, v in enumerate(values)
    ]
    # One block with another score: without it, every block would be one win each.
    made.append(replace(made[0], order=99, games=(made[0].games[0],) * 2))
    row = next(row for row in make_standings(made).rows if row.bot == "a")
    totals = np.array([2 * v + 1 for v in values] + [2 * values[0]])
    assert row.points_per_round == pytest.approx(totals.sum() / (4 * len(totals)))
    error = totals.std(ddof=1) / 4 / np.sqrt(len(totals))
    assert row.points_half == pytest.approx(2.0739 * error, rel=1e-3)


def test_any_order_of_arrival_gives_the_same_table(rows: list[Block], table: Standings) -> None:
    shuffled = [rows[i] for i in np.random.default_rng(2).permutation(len(rows))]
    again = make_standings(shuffled)
    assert again.rows == table.rows
    assert np.array_equal(again.crosstable.z, table.crosstable.z, equal_nan=True)
    assert again.rotation == table.rotation
    assert again.calibration == table.calibration


def test_columns_give_the_same_table_as_rows(rows: list[Block], table: Standings) -> None:
    assert make_standings(collect(rows), live=live(rows).states).rows == table.rows
    with pytest.raises(ValueError, match="give live Elo"):
        make_standings(collect(rows))


def test_two_copies_of_one_bot_are_shown_as_tied() -> None:
    theta = np.array([0.8, 0.0, 0.0, -0.8, -1.6])
    tied = make_standings(simulate.rows(np.random.default_rng(3), theta, 4, 400))
    first, second = (row for row in tied.rows if row.bot in ("bot001", "bot002"))
    assert set(first.group) & set(second.group)
    assert first.badge is second.badge is Badge.OPEN
    assert (first.low, first.high) == (second.low, second.high) == (2, 3)
    assert tied.rows[0].badge is Badge.SETTLED


def test_bots_that_always_play_the_same_game_are_not_measurable() -> None:
    game = BlockGame(places=(1, 2), points=(3, 11))
    frozen = make_standings([Block(order=i, table=("a", "b"), games=(game,)) for i in range(500)])
    for row in frozen.rows:
        assert row.badge is Badge.NOT_MEASURABLE
        assert row.distinct == 1
        assert row.official_half is row.points_half is row.superiority is row.best is None
        assert (row.low, row.high) == (1, 2)


def test_few_blocks_are_not_measurable_however_clear_they_look() -> None:
    few = make_standings(simulate.rows(np.random.default_rng(4), np.array([3.0, -3.0]), 2, 19))
    assert {row.badge for row in few.rows} == {Badge.NOT_MEASURABLE}


def test_facts_reach_their_columns_and_unranked_bots_get_no_place(rows: list[Block]) -> None:
    facts = {
        "bot000": BotFacts(bot="bot000", ranked=False),
        "bot001": BotFacts(
            bot="bot001",
            name="Ada's",
            owner="ada",
            faults={"timeout": 2, "crashed": 1},
            median_ms=3.5,
            worst_ms=80.0,
            attempts=20,
            voids=1,
        ),
    }
    table = make_standings(rows, facts, live={"bot001": EloState(rating=1777.0, blocks=3)})
    first = table.rows[0]
    assert (first.bot, first.name, first.owner, first.place) == ("bot001", "Ada's", "ada", 1)
    assert first.faults == {"crashed": 1, "timeout": 2}
    assert (first.median_ms, first.worst_ms, first.void_rate) == (3.5, 80.0, 0.05)
    assert (first.live, first.provisional) == (1777.0, True)
    assert len(table.rows) == 5
    assert "bot000" in table.official.bots
    assert "bot000" not in table.crosstable.bots


def test_two_tables_are_compared_in_the_order_of_the_first(
    rows: list[Block], table: Standings
) -> None:
    after = make_standings([row for row in rows if "bot001" not in row.table])
    compared = compare_standings(table, after)
    assert [change.bot for change in compared] == [row.name for row in table.rows]
    changes = {change.bot: change for change in compared}
    assert (changes["bot001"].place_before, changes["bot001"].place_after) == (2, None)
    assert (changes["bot002"].place_before, changes["bot002"].place_after) == (3, 2)
    assert changes["bot000"].official_after is not None
    gone = compare_standings(table, None)
    assert {change.place_after for change in gone} == {None}


@pytest.mark.parametrize(
    ("apart", "expected"),
    [
        ([], ["a", "a", "a", "a"]),
        ([(0, 3)], ["a", "ab", "ab", "b"]),
        ([(0, 2), (0, 3), (1, 3)], ["a", "ab", "bc", "c"]),
        ([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], ["a", "b", "c", "d"]),
    ],
)
def test_letters_are_shared_exactly_along_runs_of_tied_places(
    apart: list[tuple[int, int]], expected: list[str]
) -> None:
    ahead = np.zeros((4, 4), dtype=np.bool_)
    for i, j in apart:
        ahead[i, j] = True
    assert letters(np.arange(4), ahead) == expected


def test_no_blocks_is_an_empty_table() -> None:
    assert make_standings([]).rows == ()
