"""How long a game takes on this machine: a short match of sample bots, for the planner."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

from league.bots import SAMPLES, LocalBot, find_bot, sample_names, sample_rules
from league.local.match import LocalMatch, play_local
from referee.result import MatchResult

SLOW = ("montecarlo", "sleuth")
"""Samples that think for most of the time they are given."""
LAPS = 5
"""Games in which every bot has every seat, times this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What the short match took."""

    seconds_per_game: float
    start_seconds: float
    games: int


def quick_samples(rules: str) -> list[str]:
    """The samples that play the rules without taking their time."""
    return [
        name
        for name in sample_names()
        if rules in sample_rules(SAMPLES / name) and name not in SLOW
    ]


def time_a_match(rules: str, options: Mapping[str, Any], seats: int) -> Trial | None:
    """Play a few laps of a table with real processes; None where no sample plays the rules."""
    known = quick_samples(rules)
    if not known:
        return None
    bots = tuple(find_bot(name) for name in islice(cycle(known), seats))
    return asyncio.run(_timed(rules, options, bots))


async def _timed(rules: str, options: Mapping[str, Any], bots: tuple[LocalBot, ...]) -> Trial:
    boards = LAPS * len(bots)
    match = LocalMatch(rules=rules, options=options, bots=bots, boards=boards, duplicate=False)
    begun = time.monotonic()
    async for news in play_local(match):
        if isinstance(news, MatchResult):
            taken = time.monotonic() - begun
            games = max(1, len(news.games))
            return Trial(
                seconds_per_game=news.play_s / games,
                start_seconds=max(0.0, taken - news.play_s),
                games=games,
            )
    raise AssertionError("a match ends with its result")
