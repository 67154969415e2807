"""What both PettingZoo environments share: a game, what its seats see and do, its points."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

import nimmt
from nimmt.encoding import OBSERVATION
from train.vec import Reward, VecNimmt

Observation = dict[str, NDArray[Any]]
"""`observation`, 184 bytes, and `action_mask`, one byte an action."""


class OneGame:
    """The part of a PettingZoo environment that both kinds have: one game, its agents, and their
    spaces, all alike."""

    def _open(
        self,
        rules: str | nimmt.Rules,
        players: int,
        options: Mapping[str, Any] | None,
        reward: Reward,
        pure: bool | None,
    ) -> None:
        self._vec = VecNimmt(
            rules, players, 1, 0, options=options, reward=reward, everyone=True, in_place=True,
            one_game=True, pure=pure,
        )  # fmt: skip
        self.rules = self._vec.rules
        self.possible_agents = [f"seat_{seat}" for seat in range(players)]
        self._seed, self._board = 0, 0
        seen = spaces.Dict(
            {
                "observation": spaces.Box(0, 255, (OBSERVATION,), np.uint8),
                "action_mask": spaces.Box(0, 1, (self._vec.actions,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, seen)
        acting = spaces.Discrete(self._vec.actions)
        self.action_spaces = dict.fromkeys(self.possible_agents, acting)

    def _deal(self, seed: int | None) -> None:
        """Deal a game: the first of a seed, or without one the next of the seed before."""
        self._board = 0 if seed is not None else self._board + 1
        self._seed = self._seed if seed is None else seed
        self._vec.restart(self._seed, self._board)
        self.agents = self.possible_agents[:]

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same object at every call."""
        return self.action_spaces[agent]

    def render(self) -> str:
        """The points so far, in one line."""
        points = ", ".join(map(str, self._vec.arrays.scores[0].tolist()))
        return f"{self.rules.title}: points {points}"

    def close(self) -> None:
        """There is nothing to close."""
