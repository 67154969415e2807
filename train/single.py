"""Gymnasium: one seat learns, chosen opponents sit in the others. On the reference engine."""

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

import nimmt
from botkit import Bot
from botkit.local import LocalSeat
from nimmt.actions import action_count, action_mask, choice_of
from nimmt.encoding import OBSERVATION
from nimmt.events import Event
from nimmt.generator import Generator, SeededBoard
from nimmt.simple import SIMPLE
from train.parallel import Illegal
from train.pure import look, place_rewards
from train.vec import Reward

Opponent = str | type[Bot]
"""The name of a simple player (`random`, `house`, …) or a bot class."""


class _Simple:
    """A simple player in a seat, as a bot would sit there."""

    def __init__(self, name: str, seed: int) -> None:
        self.ask = SIMPLE[name](Generator(seed))

    def see(self, events: Sequence[Event]) -> None:
        """It does not listen."""

    def over(self, points: Sequence[int], places: Sequence[int]) -> None:
        """It does not mind."""


class NimmtSingle(gymnasium.Env[NDArray[np.uint8], np.int64]):
    """The learner is asked only for real decisions; all others happen inside a step.

    The mask is in `info["action_mask"]` and from `action_masks()`. With `illegal="lowest"` the
    lowest legal action is played instead of one that the mask forbids, which else is an error.
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self,
        rules: str | nimmt.Rules = "six-nimmt",
        opponents: Sequence[Opponent] = ("random", "random", "random"),
        *,
        seat: int | None = None,
        options: Mapping[str, Any] | None = None,
        reward: Reward = "points",
        illegal: Illegal = "refuse",
        render_mode: str | None = None,
    ) -> None:
        self.rules = nimmt.get(rules, options or {}) if isinstance(rules, str) else rules
        self.players = len(opponents) + 1
        self.rules.check_players(self.players)
        for one in opponents:
            if isinstance(one, str) and one not in SIMPLE:
                raise ValueError(f"got the opponent {one!r}, expected one of {', '.join(SIMPLE)}")
        self.opponents, self._chosen_seat = tuple(opponents), seat
        self.reward, self.illegal, self.render_mode = reward, illegal, render_mode
        self.observation_space = spaces.Box(0, 255, (OBSERVATION,), np.uint8)
        self.action_space = spaces.Discrete(action_count(self.rules.name))
        self._others: dict[int, LocalSeat | _Simple] = {}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Deal a game. The learner sits in `seat`, or in one that is drawn."""
        super().reset(seed=seed)
        draw = self.np_random.integers
        self.seat = int(draw(self.players)) if self._chosen_seat is None else self._chosen_seat
        board = SeededBoard(int(draw(2**62)), 0)
        self.state = self.rules.start(self.players, board)
        seats = [other for other in range(self.players) if other != self.seat]
        self._others = {
            other: self._sit(one, other, int(draw(2**62)))
            for other, one in zip(seats, self.opponents, strict=True)
        }
        self._tell(self.state.opening)
        self._play_on({})
        return self._look()

    def _sit(self, one: Opponent, seat: int, seed: int) -> LocalSeat | _Simple:
        if isinstance(one, str):
            return _Simple(one, seed)
        return LocalSeat(one, self.rules, seat, self.players, seed)

    def _tell(self, events: Sequence[Event]) -> None:
        for other in self._others.values():
            other.see(events)

    def step(self, action: np.int64) -> tuple[NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        """The learner's action, and all that others do until it is asked again."""
        state, seat = self.state, self.seat
        kind, view, legal = state.pending[seat].kind, state.view(seat), state.legal(seat)
        before = state.totals[seat]
        try:
            choice = choice_of(int(action), view, kind, legal)
        except nimmt.IllegalChoice:
            if self.illegal == "refuse":
                raise
            allowed = action_mask(view, kind, legal).index(1)
            choice = choice_of(allowed, view, kind, legal)
        self._play_on({seat: choice})
        over = not state.pending
        gained = float(before - state.totals[seat])
        if self.reward == "places":
            gained = place_rewards(state)[seat]
        seen, info = self._look()
        return seen, gained, over, False, info

    def _play_on(self, own: dict[int, nimmt.Choice]) -> None:
        """Until the learner has a real choice to make, or the game is over."""
        state = self.state
        while state.pending:
            if self.seat in state.pending and not own:
                forced = state.forced(self.seat)
                if forced is None:
                    return
                own = {self.seat: forced}
            choices = {
                seat: own[seat] if seat == self.seat else self._ask(seat) for seat in state.pending
            }
            if self.seat in choices:
                own = {}
            self._tell(state.apply(choices))
        assert state.result is not None
        for other in self._others.values():
            other.over(*state.result)

    def _ask(self, seat: int) -> nimmt.Choice:
        state = self.state
        forced = state.forced(seat)
        if forced is not None:
            return forced
        return self._others[seat].ask(state.pending[seat].kind, state.view(seat), state.legal(seat))

    def _look(self) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        seen, mask = look(self.state, self.seat)
        return seen, {"action_mask": mask, "points": self.state.totals}

    def action_masks(self) -> NDArray[np.bool_]:
        """The mask by the name that masked algorithms ask for."""
        return look(self.state, self.seat)[1].astype(np.bool_)

    def render(self) -> str:
        """The points so far, in one line."""
        return f"{self.rules.title}: points {', '.join(map(str, self.state.totals))}"
