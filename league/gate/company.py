"""Against whom a new version gains: the panel of opponents, dealt evenly, and what it shows. Pure.

Whether a version is better is `verdict`; here is where the gain comes from.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cbrt, sqrt
from random import Random
from statistics import fmean, variance

SURE = 2.33
"""Normal quantile of one per cent: steps this far apart are not luck."""
FEWEST_BLOCKS = 8
"""Below this many blocks nothing is said about one opponent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateStep:
    """One pair of matches at a table: old minus new in points per round, block by block."""

    opponents: tuple[str, ...]
    differences: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpponentGain:
    """By how much the new version was better at tables with a given opponent."""

    opponent: str
    gain: float
    blocks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCompany:
    """The panel, and whether the gain depends on who of it sits there."""

    opponents: tuple[OpponentGain, ...]
    """Largest gain first."""
    depends: bool
    words: str


def gate_company(steps: Sequence[GateStep]) -> GateCompany:
    """Where the gain comes from, and whether it is more than luck that tables differ."""
    by_opponent: dict[str, list[float]] = {}
    for step in steps:
        for opponent in set(step.opponents):
            by_opponent.setdefault(opponent, []).extend(step.differences)
    found = [
        OpponentGain(opponent=name, gain=fmean(values), blocks=len(values))
        for name, values in by_opponent.items()
        if values
    ]
    found.sort(key=lambda one: (-one.gain, one.opponent))
    depends = _apart([step.differences for step in steps if step.differences])
    return GateCompany(opponents=tuple(found), depends=depends, words=_words(found, depends))


def _words(found: Sequence[OpponentGain], depends: bool) -> str:
    if not found:
        return ""
    gains = [
        f"{one.opponent} ({one.gain:+.2f})" if one.blocks >= FEWEST_BLOCKS else one.opponent
        for one in found
    ]
    against = f"Against these, gain in points per round beside each: {', '.join(gains)}."
    if not depends:
        return against
    return (
        f"{against} It depends on the company: at some of these tables the gain differs from"
        " that at others by more than luck. Another panel may give another answer."
    )


def _apart(groups: Sequence[Sequence[float]]) -> bool:
    """Whether the means of groups differ by more than the spread inside them explains."""
    wide = [group for group in groups if len(group) > 1]
    if len(wide) < 2:
        return False
    freedom = sum(len(group) - 1 for group in wide)
    inside = sum(variance(group) * (len(group) - 1) for group in wide) / freedom
    if inside <= 0:
        return len({fmean(group) for group in wide}) > 1
    mean = fmean([value for group in wide for value in group])
    between = sum(len(group) * (fmean(group) - mean) ** 2 for group in wide) / inside
    free = len(wide) - 1
    # A chi-squared value as a normal one (Wilson and Hilferty).
    share = 2 / (9 * free)
    z = (cbrt(between / free) - (1 - share)) / sqrt(share)
    return z > SURE


def deal(pool: Sequence[str], seats: int, seed: str) -> Iterator[tuple[str, ...]]:
    """Opponents for one step after the other, all of the pool equally often.

    With a pool smaller than the table, some sit there twice.
    """
    rng = Random(seed)
    deck: list[str] = []
    while True:
        chosen: list[str] = []
        while len(chosen) < seats:
            if not deck:
                deck = rng.sample(list(pool), len(pool))
            # Bots already at this table come later, unless no other is left.
            at = next((i for i, one in enumerate(deck) if one not in chosen), None)
            if at is None:
                if len(set(chosen)) < len(set(pool)):
                    deck += rng.sample(list(pool), len(pool))
                    continue
                at = 0
            chosen.append(deck.pop(at))
        yield tuple(chosen)


def least_steps(pool: int, seats: int) -> int:
    """Steps before there may be a verdict: enough to have met the panel, four at most.

    >>> least_steps(3, 3), least_steps(7, 3), least_steps(40, 3)
    (1, 3, 4)
    """
    return min(4, -(-pool // max(1, seats)))
