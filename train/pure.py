"""The games of `VecNimmt` on the reference engine: for machines without a core, and for tests."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nimmt.actions import action_mask, choice_of
from nimmt.choices import KINDS
from nimmt.core.environment import observation
from nimmt.errors import IllegalChoice
from nimmt.game import Rules, State
from nimmt.generator import SeededBoard

if TYPE_CHECKING:
    from train.vec import Step


class PureGames:
    """Fills the arrays as the core would."""

    def __init__(self, rules: Rules, players: int, arrays: "Step", flags: int) -> None:
        self.rules, self.players, self.arrays = rules, players, arrays
        self.everyone, self.by_places, self.one_game = (bool(flags & bit) for bit in (1, 2, 4))
        self.states: list[State] = []
        self._boards: list[int] = []
        self._seed = 0

    def start(self, seed: int, board: int) -> None:
        self._seed = seed & (2**64 - 1)
        games = len(self.arrays.done)
        self._boards = list(range(board, board + games))
        self.states = [self._deal(number) for number in self._boards]
        for game in range(games):
            self._look(game)

    def _deal(self, board: int) -> State:
        return self.rules.start(self.players, SeededBoard(self._seed, board))

    def step(self, actions: NDArray[np.int32], answers: NDArray[np.int32]) -> None:
        """One decision in every game."""
        for game, state in enumerate(self.states):
            before = state.totals
            answers[game] = self._apply(state, actions[game].tolist())
            self.arrays.rewards[game] = self._rewards(state, before)
            self.arrays.scores[game] = state.totals
            self.arrays.done[game] = not state.pending
            if not state.pending and not self.one_game:
                self._boards[game] += len(self.states)
                self.states[game] = self._deal(self._boards[game])
            if not answers[game]:
                self._look(game)

    @staticmethod
    def _apply(state: State, actions: list[int]) -> int:
        try:
            state.apply(
                {
                    seat: choice_of(actions[seat], state.view(seat), ask.kind, state.legal(seat))
                    for seat, ask in state.pending.items()
                }
            )
        except IllegalChoice as error:
            return -16 - (error.seat or 0)
        return 0

    def _rewards(self, state: State, before: tuple[int, ...]) -> list[float]:
        if not self.by_places:
            return [float(old - new) for old, new in zip(before, state.totals, strict=True)]
        return place_rewards(state)

    def _look(self, game: int) -> None:
        state = self.states[game]
        for seat in range(self.players):
            ask = state.pending.get(seat)
            kind = ask.kind if ask else ""
            self.arrays.asked[game, seat] = KINDS.index(kind) + 1 if kind else 0
            if kind or self.everyone:
                seen, mask = look(state, seat)
                self.arrays.observations[game, seat] = seen
                self.arrays.masks[game, seat] = mask


def look(state: State, seat: int) -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
    """Observation and mask of one seat of the reference engine, as fresh arrays."""
    ask = state.pending.get(seat)
    mask = action_mask(state.view(seat), ask.kind if ask else "", state.legal(seat))
    seen = np.frombuffer(observation(state, seat), np.uint8).copy()
    return seen, np.frombuffer(mask, np.int8).copy()


def place_rewards(state: State) -> list[float]:
    """At the end of a game the share of opponents beaten minus the share that was better."""
    if state.result is None:
        return [0.0] * state.players
    points = state.result.points
    return [
        sum((own < other) - (own > other) for other in points) / (state.players - 1)
        for own in points
    ]
