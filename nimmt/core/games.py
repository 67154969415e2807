"""Whole games between simple players, many at once, on the core or on the reference engine."""

from collections.abc import Iterator, Sequence
from ctypes import c_int32, c_uint8
from dataclasses import dataclass

from nimmt.board import KeyedBoard
from nimmt.core.layout import KEYED, SEEDED, CTable, pack_rules
from nimmt.core.library import CoreError, check, load
from nimmt.game import Rules
from nimmt.generator import Generator, SeededBoard
from nimmt.simple import SIMPLE
from nimmt.simulate import play_on, seats_at, simple_players

CHUNK = 500
"""Games of one call: a caller that counts gets to do so now and then."""


@dataclass(frozen=True, slots=True)
class Score:
    """The end of one game: who sat where, points by seat, and how many rounds it had."""

    seats: tuple[int, ...]
    points: tuple[int, ...]
    rounds: int


def play_many(
    rules: Rules,
    bots: Sequence[str],
    boards: range,
    *,
    key: bytes | None = None,
    seed: int | None = None,
    pure: bool | None = None,
) -> Iterator[Score]:
    """Play these boards with simple players, who move on one seat from board to board.

    Give a match's `key`, or a `seed` for boards of the core's own generator, which deals faster.
    The same boards give the same scores, compiled or pure.
    """
    if (key is None) == (seed is None):
        raise ValueError("got both or neither of key and seed, expected one of them")
    if boards.step != 1:
        raise ValueError(f"got {boards}, expected boards one after another")
    rules.check_players(len(bots))
    for name in bots:
        if name not in SIMPLE:
            raise ValueError(f"got the bot {name!r}, expected one of {', '.join(SIMPLE)}")
    return (
        _compiled(rules, bots, boards, key, seed)
        if load(pure)
        else _pure(rules, bots, boards, key, seed)
    )


def _pure(
    rules: Rules, bots: Sequence[str], boards: range, key: bytes | None, seed: int | None
) -> Iterator[Score]:
    for board in boards:
        seats = seats_at(board, len(bots))
        if key is not None:
            state = rules.start(len(bots), KeyedBoard(key, board))
            players = simple_players(bots, key, board)
        else:
            assert seed is not None
            state = rules.start(len(bots), SeededBoard(seed, board))
            players = [
                SIMPLE[bots[bot]](Generator.stream(seed, board, 65536 + seat))
                for seat, bot in enumerate(seats)
            ]
        play_on(state, players)
        assert state.result is not None
        yield Score(seats, state.result.points, len(state.scores))


def options_of(rules: Rules, players: int, key: bytes | None, seed: int | None) -> CTable:
    """A table that holds the rules and how to deal, for games to start from."""
    table = pack_rules(rules, players)
    if key is not None:
        table.deals = KEYED
        table.key[:] = list(key)
    else:
        table.deals = SEEDED
        table.seed = seed or 0
    return table


def _compiled(
    rules: Rules, bots: Sequence[str], boards: range, key: bytes | None, seed: int | None
) -> Iterator[Score]:
    library = load(False)
    assert library is not None
    if key is not None and len(key) != 32:
        raise CoreError(f"got a key of {len(key)} bytes, expected 32")
    players = len(bots)
    options = options_of(rules, players, key, seed)
    codes = (c_uint8 * players)(*[list(SIMPLE).index(name) for name in bots])
    for first in range(boards.start, boards.stop, CHUNK):
        count = min(CHUNK, boards.stop - first)
        points = (c_int32 * (count * players))()
        rounds = (c_int32 * count)()
        check(library.nimmt_games(options, codes, count, first, points, rounds), "a batch of games")
        for i in range(count):
            own = tuple(points[i * players : (i + 1) * players])
            yield Score(seats_at(first + i, players), own, rounds[i])
