"""Many games that step together, as numpy arrays, on the compiled core or in pure Python."""

from collections.abc import Mapping
from ctypes import POINTER, c_float, c_int32, c_uint8
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

import nimmt
from nimmt.actions import action_count
from nimmt.core.games import options_of
from nimmt.core.layout import CTable
from nimmt.core.library import check, load
from nimmt.encoding import OBSERVATION
from train.pure import PureGames

Reward = Literal["points", "places"]
EVERYONE, BY_PLACES, ONE_GAME = 1, 2, 4
_bytes, _numbers, _floats = POINTER(c_uint8), POINTER(c_int32), POINTER(c_float)


class Step(NamedTuple):
    """All games after a step; the first index is the game, the second the seat."""

    observations: NDArray[np.uint8]
    """(games, players, 184); of seats that are not asked as they were, unless `everyone`."""
    masks: NDArray[np.int8]
    """(games, players, actions): 1 where an action is legal; kept as the observations are."""
    asked: NDArray[np.uint8]
    """(games, players): 0 for a seat that is not asked, else the kind (1 + index in `KINDS`)."""
    rewards: NDArray[np.float32]
    done: NDArray[np.bool_]
    """(games): the game ended with this step; what is shown is the first look at the next one."""
    scores: NDArray[np.int32]
    """(games, players): points of the finished rounds; where a game is done, its final points."""

    def copied(self) -> "Step":
        """The same in arrays of its own."""
        seen, masks, asked, rewards, done, scores = self
        return Step(
            seen.copy(), masks.copy(), asked.copy(), rewards.copy(), done.copy(), scores.copy()
        )


class VecNimmt:
    """`games` games of these rules; one that ends is dealt again on a board not seen before.

    Arrays are fresh with every step. With `in_place` the same arrays are returned and changed by
    the next step, which saves copies. `reward` is `points` (what a finished round cost, below
    zero) or `places` (at the end of a game: the share of opponents beaten minus the share that was
    better, from -1 to 1). With `everyone`, seats that are not asked are shown as well.
    """

    def __init__(
        self,
        rules: str | nimmt.Rules,
        players: int,
        games: int,
        seed: int,
        *,
        options: Mapping[str, Any] | None = None,
        reward: Reward = "points",
        everyone: bool = False,
        in_place: bool = False,
        one_game: bool = False,
        pure: bool | None = None,
    ) -> None:
        self.rules = nimmt.get(rules, options or {}) if isinstance(rules, str) else rules
        self.rules.check_players(players)
        if games < 1:
            raise ValueError(f"got {games} games, expected 1 or more")
        if reward not in ("points", "places"):
            raise ValueError(f"got the reward {reward!r}, expected 'points' or 'places'")
        self.players, self.games, self.in_place = players, games, in_place
        self.actions = action_count(self.rules.name)
        self._flags = EVERYONE * everyone | BY_PLACES * (reward == "places") | ONE_GAME * one_game
        seats = (games, players)
        self.arrays = Step(
            np.zeros((*seats, OBSERVATION), np.uint8), np.zeros((*seats, self.actions), np.int8),
            np.zeros(seats, np.uint8), np.zeros(seats, np.float32), np.zeros(games, np.bool_),
            np.zeros(seats, np.int32),
        )  # fmt: skip
        self.chosen: NDArray[np.int32] = np.zeros(seats, np.int32)
        """The actions of the next step; `step` fills it."""
        self.answers: NDArray[np.int32] = np.zeros(games, np.int32)
        self._library = load(pure)
        self._pure: PureGames | None = None
        if self._library is None:
            self._pure = PureGames(self.rules, players, self.arrays, self._flags)
        else:
            self._tables = (CTable * games)()
            self._arguments = self._pointers()
        self.restart(seed)

    @property
    def compiled(self) -> bool:
        """Whether the core runs it."""
        return self._library is not None

    def _pointers(self) -> tuple[Any, ...]:
        """What every step hands to the core; the arrays stay where they are."""
        seen, masks, asked, rewards, done, scores = self.arrays
        looks = [array.ctypes.data_as(_bytes) for array in (seen, masks, asked)]
        return (
            self._tables, self.games, self.players, self._flags,
            self.chosen.ctypes.data_as(_numbers), *looks, rewards.ctypes.data_as(_floats),
            scores.ctypes.data_as(_numbers), done.ctypes.data_as(_bytes),
            self.answers.ctypes.data_as(_numbers),
        )  # fmt: skip

    def restart(self, seed: int, board: int = 0) -> Step:
        """Begin all games again on the boards `board`, `board` + 1, … of this seed."""
        for array in self.arrays[3:]:
            array.fill(0)
        if self._library is None:
            assert self._pure is not None
            self._pure.start(seed, board)
        else:
            options = options_of(self.rules, self.players, None, seed & (2**64 - 1))
            check(self._library.nimmt_start(options, self._tables, self.games, board), "a start")
            looks = (*self._arguments[:4], *self._arguments[5:8])
            check(self._library.nimmt_train_look(*looks), "a look")
        return self.look()

    def look(self) -> Step:
        """All games as they are."""
        return self.arrays if self.in_place else self.arrays.copied()

    def step(self, actions: ArrayLike) -> Step:
        """One decision in every game: (games, players) actions; those of others are ignored.

        ValueError names an action that is not legal; that game and all others stay usable.
        """
        self.chosen[...] = actions
        self.step_chosen()
        return self.look()

    def step_chosen(self) -> None:
        """The same with the actions that lie in `chosen`, into `arrays`."""
        if self._library is not None:
            answer = self._library.nimmt_train_step(*self._arguments)
            if answer:
                check(answer, "a step")
        else:
            assert self._pure is not None
            self._pure.step(self.chosen, self.answers)
        if self.answers.any():
            self._refuse()

    def _refuse(self) -> None:
        game = int(np.flatnonzero(self.answers)[0])
        seat = -16 - int(self.answers[game])
        legal = np.flatnonzero(self.arrays.masks[game, seat])[:40].tolist()
        raise ValueError(
            f"game {game}, seat {seat}: got the action {self.chosen[game, seat]}, "
            f"expected one of {legal}"
        )
