"""What one match says about its bots, on games made up for the purpose."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from league.matches.summary import counted_points, place_halves, summarise, whole_blocks
from referee.plan import PlannedGame, duplicate, one_pass
from referee.result import BotRecord, GameRecord

NOTHING = BotRecord(asks=0, timeouts=0, median_ms=None, worst_ms=None, think_s=0.0, faults=())


def games(
    passes: Sequence[Sequence[PlannedGame]], points_of: Callable[[int, int], int]
) -> list[GameRecord]:
    """Games whose points depend on the bot and the board alone."""
    found = []
    for pass_no, planned in enumerate(passes):
        for game in planned:
            points = tuple(points_of(bot, game.board) for bot in game.seats)
            places = tuple(1 + sum(other < own for other in points) for own in points)
            found.append(
                GameRecord(
                    pass_no=pass_no,
                    game_no=game.game_no,
                    board=game.board,
                    seats=game.seats,
                    points=points,
                    places=places,
                    out=(False,) * len(points),
                    rounds=1,
                )
            )
    return found


def test_a_block_is_every_seating_of_a_board_or_successive_games() -> None:
    twice = whole_blocks(games(duplicate(2, 3), lambda bot, board: bot), 2, duplicated=True)
    assert [[game.board for game in block] for block in twice] == [[0, 0], [1, 1], [2, 2]]
    once = whole_blocks(games(one_pass(3, 7), lambda bot, board: bot), 3, duplicated=False)
    assert [[game.game_no for game in block] for block in once] == [[0, 1, 2], [3, 4, 5]]
    for block in twice + once:
        for seat in range(len(block)):
            assert len({game.seats[seat] for game in block}) == len(block)


def test_means_shares_and_places_are_those_of_the_bot_not_of_the_seat() -> None:
    played = games(one_pass(2, 4), lambda bot, board: 3 if bot == 0 else 7)
    first, second = summarise(played, [NOTHING] * 2, ["a", "b"], duplicated=False)
    assert (first.points_per_round, second.points_per_round) == (3.0, 7.0)
    assert (first.win_share, second.win_share) == (1.0, 0.0)
    assert (first.mean_place, second.mean_place) == (1.0, 2.0)
    # Two blocks are too few for an interval.
    assert first.points_half is None


def test_shared_wins_are_shared() -> None:
    played = games(one_pass(3, 3), lambda bot, board: 5)
    rows = summarise(played, [NOTHING] * 3, ["a", "b", "c"], duplicated=False)
    assert [row.win_share for row in rows] == pytest.approx([1 / 3] * 3)


def test_the_interval_is_that_of_the_block_means() -> None:
    # Blocks of two games with the means 0, 2, 4, 6, 8: s = sqrt(10), t(4) = 2.776.
    played = games(one_pass(2, 10), lambda bot, board: 2 * (board // 2))
    [row, _] = summarise(played, [NOTHING] * 2, ["a", "b"], duplicated=False)
    assert row.points_per_round == 4.0
    assert row.points_half == pytest.approx(2.776 * (10 / 5) ** 0.5, rel=0.02)


@pytest.mark.parametrize("players", [3, 6, 7])
def test_blocks_that_are_all_alike_have_a_spread_of_exactly_none(players: int) -> None:
    # In every block one board costs one point more: means that no float holds.
    plan = one_pass(players, 8 * players)
    played = games(plan, lambda bot, board: bot + (board % players == 0))
    rows = summarise(played, [NOTHING] * players, [*"abcdefg"][:players], duplicated=False)
    assert [row.points_half for row in rows] == [0.0] * players
    assert place_halves(played, players, False) == [0.0] * players


def test_a_bot_that_was_out_counts_as_the_worst_of_its_table() -> None:
    game = games(one_pass(3, 1), lambda bot, board: (1, 9, 4)[bot])[0]
    out = replace(game, out=(True, False, False))
    assert counted_points(out, 0) == 9
    assert counted_points(out, 2) == 4


def test_the_error_of_a_mean_place_goes_by_block() -> None:
    # The first bot wins every game of half of the boards and loses those of the others.
    played = games(duplicate(2, 6), lambda bot, board: bot if board % 2 else 1 - bot)
    by_block = [1, 2, 1, 2, 1, 2]
    expected = 2.571 * statistics.stdev(by_block) / 6**0.5
    assert place_halves(played, 2, duplicated=True) == pytest.approx([expected] * 2, rel=0.01)
    few = games(duplicate(2, 4), lambda bot, board: bot)
    assert place_halves(few, 2, duplicated=True) == [None, None]
