"""Whole games between simple players in this process, recorded as replays."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from nimmt.board import KeyedBoard
from nimmt.choices import Choice
from nimmt.game import Result, Rules, State
from nimmt.generator import Generator
from nimmt.keys import bot_seed, commitment
from nimmt.replay import BY_BOT, BY_FORCED, Circumstances, Decision, Recorder
from nimmt.replay import Player as Seated
from nimmt.simple import SIMPLE, Numbers, Player


@dataclass(frozen=True, slots=True)
class SimulatedGame:
    """One finished game: its result by seat, who sat where, and its record."""

    result: Result
    seats: tuple[int, ...]
    """Which of the bots, by number, sat in each seat."""
    rounds: int
    recorder: Recorder

    def document(self, bots: Sequence[str], key: bytes, board: int) -> dict[str, Any]:
        """The game as a replay. Its time is fixed, so that the same seed writes the same file."""
        about = Circumstances(
            match="simulated",
            board=board,
            game_no=board,
            started="1970-01-01T00:00:00Z",
            runner="in-process",
            players=[Seated(bot=f"simple/{bots[bot]}") for bot in self.seats],
            key=key,
            commitment=commitment(key),
        )
        return self.recorder.document(about)


def seats_at(board: int, count: int) -> tuple[int, ...]:
    """Which of the bots sits in each seat: they move on one seat from board to board."""
    return tuple([(seat + board) % count for seat in range(count)])


def simple_players(
    bots: Sequence[str], key: bytes, board: int, numbers: Callable[[int], Numbers] = Generator
) -> list[Player]:
    """The bots of a board by seat, each with the random numbers of its own seed."""
    seats = seats_at(board, len(bots))
    return [
        SIMPLE[bots[bot]](numbers(bot_seed(key, board, seat))) for seat, bot in enumerate(seats)
    ]


def play_game(
    rules: Rules,
    bots: Sequence[str],
    key: bytes,
    board: int,
    numbers: Callable[[int], Numbers] = Generator,
) -> SimulatedGame:
    """Play one board with these bots, and record it."""
    state = rules.start(len(bots), KeyedBoard(key, board))
    recorder = Recorder(state)
    play_on(state, simple_players(bots, key, board, numbers), recorder)
    assert state.result is not None
    return SimulatedGame(state.result, seats_at(board, len(bots)), len(state.scores), recorder)


def play_on(state: State, players: Sequence[Player], recorder: Recorder | None = None) -> None:
    """Play a game to its end."""
    while state.pending:
        choices: dict[int, Choice] = {}
        decisions = []
        for seat, ask in state.pending.items():
            choice = state.forced(seat)
            by = BY_FORCED
            if choice is None:
                by = BY_BOT
                choice = players[seat](ask.kind, state.view(seat), state.legal(seat))
            choices[seat] = choice = state.canonical(seat, choice)
            decisions.append(Decision(seat, ask.kind, choice, by))
        if recorder is not None:
            recorder.record(decisions)
        state.apply(choices)
