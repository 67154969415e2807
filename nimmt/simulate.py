"""Whole games between simple players in this process, recorded as replays."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from nimmt.board import KeyedBoard
from nimmt.choices import Choice
from nimmt.game import Result, Rules
from nimmt.keys import bot_seed, commitment
from nimmt.replay import BY_BOT, BY_FORCED, Circumstances, Decision, Player, Recorder
from nimmt.simple import SIMPLE


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
            players=[Player(bot=f"simple/{bots[bot]}") for bot in self.seats],
            key=key,
            commitment=commitment(key),
        )
        return self.recorder.document(about)


def play_game(rules: Rules, bots: Sequence[str], key: bytes, board: int) -> SimulatedGame:
    """Play one board with these bots, who move on one seat from board to board."""
    count = len(bots)
    seats = tuple([(seat + board) % count for seat in range(count)])
    players = [
        SIMPLE[bots[bot]](Random(bot_seed(key, board, seat))) for seat, bot in enumerate(seats)
    ]
    state = rules.start(count, KeyedBoard(key, board))
    recorder = Recorder(state)
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
        recorder.record(decisions)
        state.apply(choices)
    assert state.result is not None
    return SimulatedGame(state.result, seats, len(state.scores), recorder)
