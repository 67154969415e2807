"""How well a ladder mixes: do the same tables come round again, have all bots met?"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

from league.ratings.blocks import Block

LOOKED_AT = 200
"""Of the latest matches; the field of long ago says nothing about today's drawing."""
MOST_PAIRS = 400
"""Pairs that a report lists; of more, those that met least and those that met most."""
BACK = 5
"""A table that is one of this many before it is a repeat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsMet:
    """How many pairs of bots met so many times."""

    meetings: int
    pairs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCount:
    """At how many tables two bots sat together."""

    bot: str
    beside: str
    meetings: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixing:
    """What the latest matches of a ladder say about how its tables are drawn."""

    matches: int
    bots: int
    tables: int
    """Different tables among them."""
    possible: int
    """Tables that these bots could have made."""
    repeats: int
    """Tables that were one of the five before them again."""
    by_chance: float
    """How many of those there would be if every table were drawn evenly."""
    meetings_min: int
    meetings_max: int
    """How often two of the bots met."""
    spread: tuple[PairsMet, ...]
    """The same for all pairs, from the fewest meetings to the most."""

    @property
    def words(self) -> str:
        """The report in plain sentences."""
        small = (
            " So small a field repeats itself; more bots would mix better."
            if self.possible <= self.matches
            else ""
        )
        return (
            f"The last {self.matches} matches had {self.tables} different tables of the"
            f" {self.possible} that {self.bots} bots can make. {self.repeats} of them were one of"
            f" the {BACK} before; by chance it would be about {self.by_chance:.0f}. Two bots met"
            f" {self.meetings_min} to {self.meetings_max} times.{small}"
        )


def measure_mixing(tables: Sequence[tuple[str, ...]]) -> Mixing | None:
    """Look at tables in the order of their drawing; None while there are fewer than two."""
    latest = [frozenset(table) for table in tables[-LOOKED_AT:]]
    if len(latest) < 2:
        return None
    bots = frozenset().union(*latest)
    seats = max(len(table) for table in latest)
    possible = max(1, comb(len(bots), seats))
    counts = Counter(_meetings(latest).values())
    counts[0] = comb(len(bots), 2) - counts.total()
    spread = [PairsMet(meetings=n, pairs=pairs) for n, pairs in sorted(counts.items()) if pairs]
    chance = sum(1 - (1 - 1 / possible) ** min(BACK, number) for number in range(len(latest)))
    return Mixing(
        matches=len(latest),
        bots=len(bots),
        tables=len(set(latest)),
        possible=possible,
        repeats=sum(
            table in latest[max(0, number - BACK) : number] for number, table in enumerate(latest)
        ),
        by_chance=chance,
        meetings_min=spread[0].meetings,
        meetings_max=spread[-1].meetings,
        spread=tuple(spread),
    )


def count_meetings(tables: Sequence[tuple[str, ...]]) -> tuple[PairCount, ...]:
    """How often every two of the bots met, the most meetings first; never met counts as 0."""
    met = _meetings([frozenset(table) for table in tables])
    bots = sorted(frozenset().union(*tables))
    counts = sorted((-met[pair], pair) for pair in combinations(bots, 2))
    if len(counts) > MOST_PAIRS:
        counts = counts[: MOST_PAIRS // 2] + counts[-MOST_PAIRS // 2 :]
    return tuple(PairCount(bot=one, beside=other, meetings=-n) for n, (one, other) in counts)


def _meetings(tables: Sequence[frozenset[str]]) -> Counter[tuple[str, ...]]:
    return Counter(pair for table in tables for pair in combinations(sorted(table), 2))


def tables_of(blocks: Sequence[Block], matches: dict[int, int]) -> list[tuple[str, ...]]:
    """The tables of matches in the order of their creation; `matches` by the order of a block."""
    found: dict[int, tuple[str, ...]] = {}
    for block in blocks:
        found.setdefault(matches[block.order], block.table)
    return [table for _, table in sorted(found.items())]
