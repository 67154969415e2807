"""PettingZoo's `ParallelEnv`: every seat acts in every step, those that are not asked pass."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from pettingzoo import ParallelEnv

import nimmt
from train.spaces import Observation, OneGame
from train.vec import Reward

Illegal = Literal["refuse", "lowest"]
"""What becomes of an action that the mask forbids: an error, or the lowest legal one instead."""


class NimmtParallel(OneGame, ParallelEnv[str, Observation, int]):  # type: ignore[misc]  # it has no types
    """One game of any of the three, all seats at once. Arrays are fresh unless `in_place`."""

    metadata = {"name": "nimmt_v1", "render_modes": ["ansi"], "is_parallelizable": True}  # noqa: RUF012 - as PettingZoo declares it

    def __init__(
        self,
        rules: str | nimmt.Rules = "six-nimmt",
        players: int = 4,
        *,
        options: Mapping[str, Any] | None = None,
        reward: Reward = "points",
        illegal: Illegal = "refuse",
        in_place: bool = False,
        render_mode: str | None = None,
        pure: bool | None = None,
    ) -> None:
        self._open(rules, players, options, reward, pure)
        self.render_mode = render_mode
        self.agents: list[str] = []
        self._in_place, self._lenient = in_place, illegal == "lowest"
        self._seats = np.arange(players)
        arrays = self._vec.arrays
        self._seen, self._masks = arrays.observations[0], arrays.masks[0]
        self._rewards, self._done = arrays.rewards[0], arrays.done
        self._chosen = self._vec.chosen[0]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Deal a game: the first of a seed, or without one the next of the seed before."""
        self._deal(seed)
        return self._look(), {agent: {} for agent in self.agents}

    def _look(self) -> dict[str, Observation]:
        seen, masks = self._seen, self._masks
        if not self._in_place:
            seen, masks = seen.copy(), masks.copy()
        return {
            agent: {"observation": one, "action_mask": mask}
            for agent, one, mask in zip(self.possible_agents, seen, masks, strict=True)
        }

    def step(
        self, actions: dict[str, int]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """One action a seat. ValueError names one that its mask forbids."""
        agents = self.agents
        if not agents:
            return {}, {}, {}, {}, {}
        self._chosen[:] = [actions[agent] for agent in agents]
        if self._lenient:
            inside = np.clip(self._chosen, 0, self._vec.actions - 1)
            fits = (inside == self._chosen) & (self._masks[self._seats, inside] == 1)
            self._chosen[:] = np.where(fits, self._chosen, self._masks.argmax(axis=1))
        self._vec.step_chosen()
        done = bool(self._done[0])
        rewards = dict(zip(agents, self._rewards.tolist(), strict=True))
        ends, cuts = dict.fromkeys(agents, done), dict.fromkeys(agents, False)
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in agents}
        if done:
            self.agents = []
        return self._look(), rewards, ends, cuts, infos
