"""Replays of every game, made on the spot, with the faults, think times and notes of real ones."""

from collections.abc import Mapping
from random import Random
from typing import Any

import nimmt
from nimmt.simulate import play_game

_SIX = ("random", "house", "highest", "random")
SAMPLES: Mapping[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "six": ("six-nimmt", {"limit": 66}, _SIX),
    "six-two": ("six-nimmt", {"rounds": 1}, _SIX[:2]),
    "six-ten": ("six-nimmt", {"limit": 66}, (*_SIX, *_SIX, "house", "random")),
    "draft": ("six-nimmt", {"rounds": 2, "advanced": True, "opening_picks": 2}, _SIX[:3]),
    "advanced": ("six-nimmt", {"limit": 66, "advanced": True}, _SIX),
    "x": ("x-nimmt", {}, _SIX),
    "eleven": ("eleven-nimmt", {}, ("random", "hoarder", "greedy", "taker")),
    "eleven-seven": ("eleven-nimmt", {}, ("hoarder", "random", "greedy") + ("hoarder",) * 4),
}
"""By a short name: rules, options, and the simple players at the table."""

KEY = bytes(range(32))
NAMES = (
    "ada/greedy-goat",
    "bo/slow-and-steady",
    "cy/matador",
    "dot/picador",
    "eli/horns",
    "fay/lowest",
    "gus/coin-flip",
    "hal/toreador",
    "ida/herd",
    "jo/last",
)


def sample(name: str, board: int = 0) -> dict[str, Any]:
    """The replay document of one sample game."""
    rules, options, bots = SAMPLES[name]
    # Python's own generator: tests of the viewer know what happens in these games.
    game = play_game(nimmt.get(rules, options), bots, KEY, board, Random)
    document = game.document(bots, KEY, board)
    for player, bot in zip(document["players"], NAMES, strict=False):
        player["bot"], player["version"] = bot, 1 + player["seat"]
    for at, entry in enumerate(e for part in document["rounds"] for e in part["decisions"]):
        if entry["by"] == "bot":
            entry["ms"], entry["batch"] = 0.5 + (at * 7) % 40, 1 + at % 8
    return document
