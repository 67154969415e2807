"""The official rating: batch Bradley-Terry on the Elo scale, with errors robust to blocks.

All blocks at once, so the order of play cannot matter. Ranking and wording are in `standings`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from league.arrays import Flags, Floats, Ints
from league.ratings.blocks import Blocks
from league.ratings.company import EvenDesign, table_spread
from league.ratings.elo import START
from league.ratings.quantiles import normal_quantile, t_as_z, z_as_t

ELO_PER_LOGIT = 400.0 / float(np.log(10.0))
MEASURABLE_BLOCKS = 20
"""Below this many distinct blocks no interval is given (docs/ratings.md)."""
_STEPS = 100


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Official:
    """Ratings of all bots of one ladder or season, with their joint uncertainty."""

    bots: tuple[str, ...]
    elo: Floats
    covariance: Floats
    """[i, j] in Elo squared, relative to the anchors (or to the mean where there are none)."""
    blocks: Ints
    distinct: Ints
    measurable: Flags
    """Enough distinct blocks, and results that vary: only then is there an interval."""

    def subset(self, chosen: Ints) -> "Official":
        """The same ratings for some of the bots only."""
        return Official(
            bots=tuple(self.bots[i] for i in chosen),
            elo=self.elo[chosen],
            covariance=self.covariance[np.ix_(chosen, chosen)],
            blocks=self.blocks[chosen],
            distinct=self.distinct[chosen],
            measurable=self.measurable[chosen],
        )

    def half_width(self, level: float = 0.95) -> Floats:
        """Half the interval of each bot, by t quantiles; NaN where it is not measurable."""
        freedom = np.maximum(self.blocks - 1, 1).astype(np.float64)
        quantile = z_as_t(normal_quantile(0.5 + level / 2), freedom)
        width: Floats = quantile * np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        return np.where(self.measurable, width, np.nan)

    def gap_variance(self) -> Floats:
        """[i, j]: variance of the difference of two ratings."""
        own = np.diag(self.covariance)
        spread: Floats = own[:, None] + own[None, :] - 2.0 * self.covariance
        return np.maximum(spread, 0.0)

    def pair_measurable(self) -> Flags:
        """[i, j]: may the difference of these two be judged at all?"""
        both: Flags = self.measurable[:, None] & self.measurable[None, :]
        return both & ~np.eye(len(self.bots), dtype=np.bool_)

    def z(self) -> Floats:
        """[i, j]: difference over its standard error, t-corrected; 0 where not measurable."""
        gap = self.elo[:, None] - self.elo[None, :]
        error = np.sqrt(self.gap_variance())
        known = self.pair_measurable() & (error > 0)
        ratio = np.divide(gap, error, out=np.zeros_like(gap), where=known)
        fewer = np.minimum(self.blocks[:, None], self.blocks[None, :])
        return t_as_z(ratio, np.maximum(fewer - 1, 1).astype(np.float64))


def fit(
    blocks: Blocks,
    *,
    anchors: Mapping[str, float] | None = None,
    ridge: float = 0.1,
    design: EvenDesign | None = None,
) -> Official:
    """Fit all ratings. `ridge` (in games) keeps a bot that always wins at a finite rating.

    With a `design` every pairing counts as in tables drawn evenly from the field, and errors hold
    for bots whose strength depends on the company; without, every game counts alike.
    """
    n = len(blocks.bots)
    weight = blocks.pairs().astype(np.float64) if design is None else design.weight
    wins, played = _pair_totals(blocks, weight)
    theta = _newton(wins, played, ridge)
    scores = _block_scores(blocks, theta, weight)
    hessian = _information(theta, played, ridge)
    meat = _meat(blocks, scores, n)
    if design is not None:
        wider = np.sqrt(table_spread(blocks, design, scores))
        meat = meat * wider[:, None] * wider[None, :]
    inverse = np.linalg.inv(hessian) if n else np.zeros((0, 0))
    centre, origin = _centre(blocks.bots, anchors or {})
    spread = centre @ inverse
    covariance = ELO_PER_LOGIT**2 * (spread @ meat @ spread.T)
    count, distinct = blocks.count(), blocks.distinct()
    return Official(
        bots=blocks.bots,
        elo=origin + ELO_PER_LOGIT * (centre @ theta),
        covariance=(covariance + covariance.T) / 2,
        blocks=count,
        distinct=distinct,
        measurable=(distinct >= MEASURABLE_BLOCKS) & _varies(blocks, n),
    )


def _flat(blocks: Blocks, first: Ints, second: Ints, values: Floats) -> Floats:
    """Sum values over (first, second) into an n x n matrix, always in the same order."""
    n = len(blocks.bots)
    total = np.bincount(first * n + second, weights=values, minlength=n * n)
    return total.astype(np.float64).reshape(n, n)


def _pair_totals(blocks: Blocks, weight: Floats) -> tuple[Floats, Floats]:
    both = blocks.pairs()
    b, i, j = np.nonzero(both)
    first, second = blocks.member[b, i], blocks.member[b, j]
    games = blocks.games[b] * weight[b, i, j]
    wins = _flat(blocks, first, second, blocks.score[b, i, j] * games)
    return wins, wins + wins.T


def _chance(theta: Floats) -> Floats:
    gap = np.clip(theta[:, None] - theta[None, :], -60.0, 60.0)
    chance: Floats = 1.0 / (1.0 + np.exp(-gap))
    return chance


def _information(theta: Floats, played: Floats, ridge: float) -> Floats:
    chance = _chance(theta)
    weight = played * chance * (1.0 - chance)
    information: Floats = np.diag(weight.sum(axis=1) + ridge) - weight
    return information


def _penalised(theta: Floats, wins: Floats, ridge: float) -> float:
    gap = theta[:, None] - theta[None, :]
    return float(-(wins * np.logaddexp(0.0, -gap)).sum() - ridge / 2 * (theta**2).sum())


def _newton(wins: Floats, played: Floats, ridge: float) -> Floats:
    """Maximise the penalised likelihood; it is strictly concave, so the answer is unique."""
    theta = np.zeros(len(wins))
    value = _penalised(theta, wins, ridge)
    for _ in range(_STEPS):
        gradient = wins.sum(axis=1) - (played * _chance(theta)).sum(axis=1) - ridge * theta
        step = np.linalg.solve(_information(theta, played, ridge), gradient)
        if not len(step) or float(gradient @ step) <= 1e-13 * max(1.0, abs(value)):
            # So near the top a full step is exact, and the likelihood too flat to compare.
            return theta + step
        # A full step can overshoot when a bot wins everything; halving always finds a rise.
        for _ in range(40):
            better = _penalised(theta + step, wins, ridge)
            if better >= value:
                break
            step = step / 2
        theta, value = theta + step, better
    return theta


def _block_scores(blocks: Blocks, theta: Floats, weight: Floats) -> Floats:
    """[block, i]: how much better than expected each bot did, in games."""
    member = np.maximum(blocks.member, 0)
    own = theta[member]
    gap = np.clip(own[:, :, None] - own[:, None, :], -60.0, 60.0)
    surprise = (blocks.score - 1.0 / (1.0 + np.exp(-gap))) * weight
    total: Floats = surprise.sum(axis=2) * blocks.games[:, None]
    return total


def _meat(blocks: Blocks, scores: Floats, n: int) -> Floats:
    """Sum over blocks of the outer product of their scores, with the small-sample factor."""
    here = blocks.present
    both = here[:, :, None] & here[:, None, :]
    b, i, j = np.nonzero(both)
    first, second = blocks.member[b, i], blocks.member[b, j]
    meat = _flat(blocks, first, second, scores[b, i] * scores[b, j])
    count = np.maximum(blocks.count(), 2).astype(np.float64)
    factor = np.sqrt(count / (count - 1.0))
    corrected: Floats = meat * factor[:, None] * factor[None, :]
    return corrected


def _centre(bots: tuple[str, ...], anchors: Mapping[str, float]) -> tuple[Floats, float]:
    """The projection that puts the scale on the anchors, or on the mean, and its origin."""
    n = len(bots)
    known = [i for i, bot in enumerate(bots) if bot in anchors]
    weight = np.zeros(n)
    origin = START
    if known:
        weight[known] = 1.0 / len(known)
        origin = sum(anchors[bots[i]] for i in known) / len(known)
    elif n:
        weight[:] = 1.0 / n
    return np.eye(n) - weight[None, :], origin


def _varies(blocks: Blocks, n: int) -> Flags:
    """Did a bot's result ever differ from block to block?"""
    here = blocks.present
    own = blocks.score.sum(axis=2)[here]
    who = blocks.member[here]
    lowest, highest = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(lowest, who, own)
    np.maximum.at(highest, who, own)
    varies: Flags = highest - lowest > 1e-12
    return varies
