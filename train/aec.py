"""PettingZoo's `AECEnv`: one seat after another, only those that are asked.

Where the rules ask all seats at once, nobody sees what others chose before all have chosen.
"""

from collections.abc import Mapping
from typing import Any

from pettingzoo import AECEnv

import nimmt
from train.spaces import Observation, OneGame
from train.vec import Reward


class NimmtAEC(OneGame, AECEnv[str, Observation, int | None]):  # type: ignore[misc]  # it has no types
    """One game of any of the three, seat by seat. Arrays are fresh."""

    metadata = {"name": "nimmt_v1", "render_modes": ["ansi"], "is_parallelizable": False}  # noqa: RUF012 - as PettingZoo declares it

    def __init__(
        self,
        rules: str | nimmt.Rules = "six-nimmt",
        players: int = 4,
        *,
        options: Mapping[str, Any] | None = None,
        reward: Reward = "points",
        render_mode: str | None = None,
        pure: bool | None = None,
    ) -> None:
        super().__init__()
        self._open(rules, players, options, reward, pure)
        self.render_mode = render_mode

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a game: the first of a seed, or without one the next of the seed before."""
        self._deal(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._ask()

    def _ask(self) -> None:
        """Line up the seats that are asked now."""
        asked = self._vec.arrays.asked[0].tolist()
        self._waiting = [agent for agent, kind in zip(self.agents, asked, strict=True) if kind]
        if self._waiting:
            self.agent_selection = self._waiting[0]

    def observe(self, agent: str) -> Observation:
        """What a seat sees now, as fresh arrays."""
        seat = self.possible_agents.index(agent)
        arrays = self._vec.arrays
        return {
            "observation": arrays.observations[0, seat].copy(),
            "action_mask": arrays.masks[0, seat].copy(),
        }

    def step(self, action: int | None) -> None:
        """The choice of the selected seat; when all that are asked have chosen, it is played."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        seat = self.possible_agents.index(agent)
        mask = self._vec.arrays.masks[0, seat]
        if action is None or not 0 <= action < len(mask) or not mask[action]:
            legal = mask.nonzero()[0][:40].tolist()
            raise ValueError(f"{agent}: got the action {action}, expected one of {legal}")
        self._vec.chosen[0, seat] = action
        self._cumulative_rewards[agent] = 0.0
        self._waiting.pop(0)
        self._clear_rewards()
        if self._waiting:
            self.agent_selection = self._waiting[0]
        else:
            self._vec.step_chosen()
            gained = self._vec.arrays.rewards[0].tolist()
            self.rewards = dict(zip(self.agents, gained, strict=True))
            if self._vec.arrays.done[0]:
                self.terminations = dict.fromkeys(self.agents, True)
                self.agent_selection = self.agents[0]
            self._ask()
        self._accumulate_rewards()
