"""Tests that stay valid however often one looks: a confidence sequence and the GSPRT.

The confidence sequence (Robbins' normal mixture) decides the settled badge, the GSPRT the gates.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from league.arrays import Flags, Floats

MINIMUM_BLOCKS = 20
"""No verdict before this many blocks: the variance is an estimate itself."""
MIXTURE_BLOCKS = 60.0
"""The mixture is tuned to be tightest around this many blocks."""


class PairVerdict(Enum):
    """What is known about two bots, at any moment, however often it is asked."""

    HIGHER = "The first is better, and looking again and again has not caused this verdict."
    LOWER = "The second is better, and looking again and again has not caused this verdict."
    EQUAL = "They differ by less than the margin that matters."
    OPEN = "More games are needed."
    NOT_MEASURABLE = "Too few distinct blocks, or results that never vary."

    @property
    def is_final(self) -> bool:
        """Does this pair need no further games?"""
        return self in (PairVerdict.HIGHER, PairVerdict.LOWER, PairVerdict.EQUAL)


def mixture_factor(blocks: Floats, alpha: float, tuned: float = MIXTURE_BLOCKS) -> Floats:
    """How many standard errors a mean may stray from the truth, at all times at once.

    It is |S_n| <= sd sqrt((n + r) ln((n + r) / (r alpha^2))), divided by sd sqrt(n).
    """
    n = np.maximum(np.asarray(blocks, dtype=np.float64), 1.0)
    factor: Floats = np.sqrt((n + tuned) / n * np.log((n + tuned) / (tuned * alpha**2)))
    return factor


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Path:
    """Running mean and variance of a series of block differences, from one block on."""

    mean: Floats
    variance: Floats

    @classmethod
    def of(cls, differences: Sequence[float] | Floats) -> "Path":
        """Accumulate; works along the last axis, so many series can be followed at once."""
        values = np.asarray(differences, dtype=np.float64)
        count = np.arange(1, values.shape[-1] + 1, dtype=np.float64)
        # Sums are taken around the first value, so that a large common offset costs no digits.
        first = values[..., :1]
        total = np.cumsum(values - first, axis=-1)
        squares = np.cumsum((values - first) ** 2, axis=-1)
        spread = np.maximum(squares - total**2 / count, 0.0) / np.maximum(count - 1, 1.0)
        return cls(mean=first + total / count, variance=spread)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConfidenceSequence:
    """An interval after every block that holds the truth at all times, with chance 1 - alpha."""

    lower: Floats
    upper: Floats

    @property
    def excludes_zero(self) -> Flags:
        """After which blocks is the sign of the difference known?"""
        known: Flags = (self.lower > 0) | (self.upper < 0)
        return known


def confidence_sequence(
    differences: Sequence[float] | Floats, alpha: float = 0.05, tuned: float = MIXTURE_BLOCKS
) -> ConfidenceSequence:
    """The mixture interval along a series; endless before MINIMUM_BLOCKS or without variance."""
    path = Path.of(differences)
    count = np.arange(1, path.mean.shape[-1] + 1, dtype=np.float64)
    radius = mixture_factor(count, alpha, tuned) * np.sqrt(path.variance / count)
    radius = np.where((count >= MINIMUM_BLOCKS) & (path.variance > 0), radius, np.inf)
    return ConfidenceSequence(lower=path.mean - radius, upper=path.mean + radius)


def first_true(flags: Flags) -> int | None:
    """The first index at which a flag is set.

    >>> first_true(np.array([False, True, True]))
    1
    """
    return int(np.argmax(flags)) if bool(np.any(flags)) else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gsprt:
    """The log likelihood ratio after every block, and the two bounds it runs between."""

    llr: Floats
    accept: float
    reject: float

    @property
    def accepted(self) -> Flags:
        """After which blocks is the hypothesis of a gain accepted?"""
        crossed: Flags = self.llr >= self.accept
        return crossed

    @property
    def rejected(self) -> Flags:
        """After which blocks is it rejected?"""
        crossed: Flags = self.llr <= self.reject
        return crossed


def gsprt(
    differences: Sequence[float] | Floats,
    *,
    null: float,
    gain: float,
    alpha: float = 0.05,
    beta: float = 0.05,
) -> Gsprt:
    """Test mean = null against mean = gain, with the variance estimated on the way."""
    if not gain > null:
        raise ValueError(f"gain {gain!r} must be above null {null!r}: it is what is hoped for")
    path = Path.of(differences)
    count = np.arange(1, path.mean.shape[-1] + 1, dtype=np.float64)
    safe = np.where(path.variance > 0, path.variance, 1.0)
    llr = (gain - null) * count * (path.mean - (null + gain) / 2) / safe
    llr = np.where((count >= MINIMUM_BLOCKS) & (path.variance > 0), llr, 0.0)
    return Gsprt(
        llr=llr,
        accept=float(np.log((1 - beta) / alpha)),
        reject=float(np.log(beta / (1 - alpha))),
    )
