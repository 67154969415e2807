"""Seasons that are often wanted, as answers that a form begins with; all of them can be changed.

Bounds are those of the season's plan: a preset is only a set of words.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A kind of season."""

    title: str
    words: str
    """For whom it is."""
    values: Mapping[str, str]
    """Fields of the form."""


PRESETS: Mapping[str, Preset] = {
    "cup": Preset(
        title="Weekend cup",
        words="One weekend, clear places at the top.",
        values={"boards": "40", "meetings": "4", "move_ms": "100", "bank_ms": "1000"},
    ),
    "league": Preset(
        title="League",
        words="Goes on until the first and third place are settled.",
        values={
            "boards": "100",
            "meetings": "2",
            "ends": "places",
            "places": "1, 3",
            "budget": "1000",
        },
    ),
    "blitz": Preset(
        title="Blitz",
        words="Over within the hour: short games, quick moves.",
        values={
            "length": "rounds",
            "rounds": "1",
            "boards": "20",
            "meetings": "6",
            "move_ms": "50",
            "bank_ms": "500",
        },
    ),
    "class": Preset(
        title="Class",
        words="First bots of a course: patient clocks, platform bots welcome.",
        values={
            "length": "rounds",
            "rounds": "3",
            "boards": "20",
            "meetings": "2",
            "move_ms": "1000",
            "bank_ms": "10000",
        },
    ),
}
