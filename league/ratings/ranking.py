"""What a set of ratings says about the order: who is surely ahead, who is tied, what is settled.

Works on `Official` alone; the columns that need games (points, places, faults) are in `standings`.
"""

from dataclasses import dataclass
from string import ascii_lowercase

import numpy as np

from league.arrays import Flags, Floats, Ints
from league.ratings.official import Official
from league.ratings.quantiles import holm, normal_tail, two_sided
from league.ratings.sequential import PairVerdict, mixture_factor


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranking:
    """Everything about the order, indexed like the bots of the `Official` it was made from."""

    superiority: Floats
    """[i, j]: chance that i is really better than j, from this fixed amount of data."""
    best: Floats
    """Chance of being the best of all."""
    ahead: Flags
    """[i, j]: i is better than j, all such claims together right with chance `level`."""
    low: Ints
    high: Ints
    """The range of places that remain possible."""
    settled_ahead: Flags
    """[i, j]: i is better than j, by the test that allows looking at any time."""
    equal: Flags
    """[i, j]: they differ by less than the margin, by the test that allows looking at any time."""


def rank(
    official: Official,
    *,
    level: float = 0.95,
    margin: float = 10.0,
    draws: int = 10_000,
    seed: int = 20_201_104,
) -> Ranking:
    """Judge all pairs. `margin` is the difference in Elo below which two bots count as equal."""
    z = official.z()
    n = len(official.bots)
    ahead = _ahead(official, z, level)
    settled, equal = _settled(official, 1.0 - level, margin)
    return Ranking(
        superiority=np.where(official.pair_measurable(), 1.0 - normal_tail(z), np.nan),
        best=_best(official, draws, seed),
        ahead=ahead,
        low=1 + ahead.sum(axis=0),
        high=n - ahead.sum(axis=1),
        settled_ahead=settled,
        equal=equal,
    )


def _ahead(official: Official, z: Floats, level: float) -> Flags:
    """Pairs that Holm's procedure over all n (n - 1) / 2 pairs separates."""
    n = len(official.bots)
    first, second = np.triu_indices(n, 1)
    p = np.where(official.pair_measurable()[first, second], two_sided(z[first, second]), 1.0)
    apart = np.zeros((n, n), dtype=np.bool_)
    apart[first, second] = holm(p, 1.0 - level)
    apart |= apart.T
    return apart & (z > 0)


def _settled(official: Official, alpha: float, margin: float) -> tuple[Flags, Flags]:
    """Pairs separated, and pairs shown equal, at all times at once.

    The error is shared by all pairs, because which bots end up as neighbours depends on the data.
    """
    n = len(official.bots)
    pairs = max(1, n * (n - 1) // 2)
    evidence = np.minimum(official.blocks[:, None], official.blocks[None, :]).astype(np.float64)
    radius = mixture_factor(evidence, alpha / pairs) * np.sqrt(official.gap_variance())
    gap = official.elo[:, None] - official.elo[None, :]
    known = official.pair_measurable() & (radius > 0)
    return known & (gap > radius), known & (np.abs(gap) + radius < margin)


def _best(official: Official, draws: int, seed: int) -> Floats:
    """How often each bot comes first when the ratings are drawn from their joint uncertainty.

    Bots that are not measurable yet take no part in the draw.
    """
    chance = np.full(len(official.bots), np.nan)
    known = np.flatnonzero(official.measurable)
    if not len(known):
        return chance
    values, vectors = np.linalg.eigh(official.covariance[np.ix_(known, known)])
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    rng = np.random.default_rng(seed)
    first = np.zeros(len(known), dtype=np.int64)
    for size in [1000] * (draws // 1000) + [draws % 1000]:
        drawn = official.elo[known] + rng.standard_normal((size, len(known))) @ root.T
        first += np.bincount(drawn.argmax(axis=1), minlength=len(known))
    chance[known] = first / draws
    return chance


def pair_verdict(ranking: Ranking, official: Official, i: int, j: int) -> PairVerdict:
    """What is known about one pair, at any time."""
    if not bool(official.pair_measurable()[i, j]):
        return PairVerdict.NOT_MEASURABLE
    if bool(ranking.settled_ahead[i, j]):
        return PairVerdict.HIGHER
    if bool(ranking.settled_ahead[j, i]):
        return PairVerdict.LOWER
    return PairVerdict.EQUAL if bool(ranking.equal[i, j]) else PairVerdict.OPEN


def letters(order: Ints, ahead: Flags) -> list[str]:
    """Letters by place: two bots that share a letter are not separable.

    A letter covers the longest run of places in which no two bots are separated.
    """
    apart = (ahead | ahead.T)[np.ix_(order, order)]
    n = len(order)
    marks = [""] * n
    reached, used = -1, 0
    for start in range(n):
        end = max(start, reached)
        while end + 1 < n and not bool(apart[start : end + 1, end + 1].any()):
            end += 1
        if end > reached:
            for place in range(start, end + 1):
                marks[place] += _letter(used)
            reached, used = end, used + 1
    return marks


def _letter(number: int) -> str:
    """a to z, then a1 to z1, a2 and so on.

    >>> _letter(0), _letter(25), _letter(26)
    ('a', 'z', 'a1')
    """
    turn, rest = divmod(number, 26)
    return ascii_lowercase[rest] + (str(turn) if turn else "")
