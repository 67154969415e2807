"""The formats of tournaments, and what they are played with unless told otherwise."""

from enum import StrEnum

MEETINGS = 4
GAIN = 0.5
BUDGET = 2500


class Format(StrEnum):
    """Who meets whom."""

    ROUND_ROBIN = "round-robin"
    """Every two bots meet equally often."""
    GAUNTLET = "gauntlet"
    """The first bot plays every match, the rest take turns."""
    SEQUENTIAL = "sequential"
    """The first bot against the second, until the games tell whether it is better."""
