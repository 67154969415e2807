"""What a seat sees and does, for every environment that has agents."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from nimmt.encoding import OBSERVATION

Observation = dict[str, NDArray[Any]]
"""`observation`, 184 bytes, and `action_mask`, one byte an action."""


class SeatSpaces:
    """The part of a PettingZoo environment that tells the spaces of its agents, all alike."""

    def _set_spaces(self, agents: Sequence[str], actions: int) -> None:
        seen = spaces.Dict(
            {
                "observation": spaces.Box(0, 255, (OBSERVATION,), np.uint8),
                "action_mask": spaces.Box(0, 1, (actions,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(agents, seen)
        self.action_spaces = dict.fromkeys(agents, spaces.Discrete(actions))

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same object at every call."""
        return self.action_spaces[agent]
