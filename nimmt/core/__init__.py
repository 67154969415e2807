"""The compiled core: rollouts and batches of games at the speed of C, or the same in pure Python.

The referee, the verifier and replays know nothing of it: the rules in `nimmt` are the reference.
"""

from nimmt.core.environment import Environment
from nimmt.core.games import Score, play_many
from nimmt.core.library import CoreError, Engine, engine
from nimmt.core.policies import Policy
from nimmt.core.position import Position
from nimmt.core.rollouts import Rollouts, playouts, rollouts
from nimmt.encoding import OBSERVATION
from nimmt.generator import Generator, SeededBoard

__all__ = [
    "OBSERVATION",
    "CoreError",
    "Engine",
    "Environment",
    "Generator",
    "Policy",
    "Position",
    "Rollouts",
    "Score",
    "SeededBoard",
    "engine",
    "play_many",
    "playouts",
    "rollouts",
]
