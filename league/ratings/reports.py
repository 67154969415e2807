"""Tables beside the standings: who beat whom, what seat rotation saved, whether predictions hold.

Read-only views of `Blocks` and `Official`; nothing here changes a rating.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from league.arrays import Floats, Ints
from league.ratings.blocks import Blocks
from league.ratings.company import EvenDesign
from league.ratings.official import ELO_PER_LOGIT, MEASURABLE_BLOCKS, Official
from league.ratings.quantiles import t_as_z


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One bot against another."""

    score: float
    """Share of the games in which the first was placed before the second, ties half."""
    games: int
    z: float | None
    """Distance from one half in standard errors, by block; None = not measurable."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Crosstable:
    """Every bot against every other, in the given order of bots."""

    bots: tuple[str, ...]
    score: Floats
    games: Ints
    blocks: Ints
    z: Floats
    """NaN where fewer than 20 shared blocks, or blocks that never vary, allow no judgement."""

    def cell(self, first: str, second: str) -> Cell | None:
        """The cell of two bots, or None when they have not met."""
        i, j = self.bots.index(first), self.bots.index(second)
        if i == j or not int(self.games[i, j]):
            return None
        z = float(self.z[i, j])
        return Cell(
            score=float(self.score[i, j]),
            games=int(self.games[i, j]),
            z=None if np.isnan(z) else z,
        )


def crosstable(blocks: Blocks, bots: Sequence[str], design: EvenDesign | None = None) -> Crosstable:
    """Sum up all meetings of the given bots; with a `design`, all company counting alike."""
    n = len(blocks.bots)
    b, i, j = np.nonzero(blocks.pairs())
    key = blocks.member[b, i] * n + blocks.member[b, j]
    played = blocks.games[b].astype(np.float64)
    weight = played if design is None else played * design.weight[b, i, j]
    score = blocks.score[b, i, j]
    met = np.bincount(key, minlength=n * n).astype(np.int64)
    games = np.bincount(key, weights=played, minlength=n * n)
    whole = np.bincount(key, weights=weight, minlength=n * n)
    won = np.bincount(key, weights=weight * score, minlength=n * n)
    mean = np.divide(won, whole, out=np.full(n * n, np.nan), where=whole > 0)
    residual = weight * (score - mean[key])
    squares = np.bincount(key, weights=residual**2, minlength=n * n)
    enough = (met >= MEASURABLE_BLOCKS) & (squares > 1e-12 * whole**2)
    factor = met / np.maximum(met - 1, 1)
    error = np.sqrt(squares * factor, where=enough, out=np.ones(n * n))
    ratio = np.where(enough, (won - whole / 2) / error, np.nan)
    z = t_as_z(ratio, np.maximum(met - 1, 1).astype(np.float64))
    place = {bot: index for index, bot in enumerate(blocks.bots)}
    pick = np.ix_([place[bot] for bot in bots], [place[bot] for bot in bots])
    return Crosstable(
        bots=tuple(bots),
        score=mean.reshape(n, n)[pick],
        games=games.astype(np.int64).reshape(n, n)[pick],
        blocks=met.reshape(n, n)[pick],
        z=z.reshape(n, n)[pick],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RotationSaving:
    """What blocks really saved: variance of independent games over variance of block games."""

    factor: float
    """1 = nothing; 2 = half the games are enough for the same precision."""
    low: float
    high: float
    """95 % interval by leaving out one twentieth of the blocks at a time."""
    blocks: int


def rotation_saving(blocks: Blocks) -> RotationSaving | None:
    """Measure it on differences in points; None below 20 blocks or without variation."""
    if len(blocks) < MEASURABLE_BLOCKS:
        return None
    usual = int(np.bincount(blocks.games).argmax())
    b, i, j = np.nonzero(np.triu(blocks.pairs()) & (blocks.games == usual)[:, None, None])
    first, second = blocks.member[b, i], blocks.member[b, j]
    flip = np.where(first < second, 1.0, -1.0)
    key = np.minimum(first, second) * len(blocks.bots) + np.maximum(first, second)
    _, pair = np.unique(key, return_inverse=True)
    total = flip * (blocks.points[b, i] - blocks.points[b, j])
    squares = blocks.gap_squares[b, i, j]
    whole = _saving(pair, total, squares, usual)
    if whole is None:
        return None
    part = b % 20
    parts = [
        _saving(pair[part != p], total[part != p], squares[part != p], usual) for p in range(20)
    ]
    logs = np.log([p for p in parts if p is not None])
    error = float(np.sqrt((len(logs) - 1) * np.var(logs))) if len(logs) > 1 else np.inf
    return RotationSaving(
        factor=whole,
        low=whole * float(np.exp(-2.09 * error)),
        high=whole * float(np.exp(2.09 * error)),
        blocks=len(np.unique(b)),
    )


def _saving(pair: Ints, total: Floats, squares: Floats, games: int) -> float | None:
    """Pooled over pairs: variance of single games / games, over variance of block means."""
    size = int(pair.max(initial=-1)) + 1
    met = np.bincount(pair, minlength=size).astype(np.float64)
    mean = np.bincount(pair, weights=total, minlength=size) / np.maximum(met * games, 1)
    between = float(((total / games - mean[pair]) ** 2).sum())
    single = float((squares - 2 * mean[pair] * total + games * mean[pair] ** 2).sum())
    freedom = float((met - (met > 0)).sum())
    if between <= 1e-12 or freedom < 1:
        return None
    alone = single / float((met * games - (met > 0)).sum())
    return alone / games / (between / freedom)


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationBin:
    """All pairs whose predicted score falls into one class."""

    low: float
    high: float
    predicted: float
    observed: float
    half_width: float
    """95 % by blocks."""
    games: int

    @property
    def holds(self) -> bool:
        """Is the prediction inside the interval of what was observed?"""
        return abs(self.predicted - self.observed) <= self.half_width


def calibration(
    blocks: Blocks, official: Official, *, step: float = 0.05
) -> tuple[CalibrationBin, ...]:
    """Predicted against observed share of wins of the favourite, in classes of `step`."""
    elo = dict(zip(official.bots, official.elo, strict=True))
    theta = np.array([elo[bot] for bot in blocks.bots]) / ELO_PER_LOGIT
    b, i, j = np.nonzero(blocks.pairs())
    gap = theta[blocks.member[b, i]] - theta[blocks.member[b, j]]
    # Each pair is counted once, from the side of the favourite.
    side = (gap > 0) | ((gap == 0) & (i < j))
    b, i, j, gap = b[side], i[side], j[side], gap[side]
    predicted = 1.0 / (1.0 + np.exp(-gap))
    weight = blocks.games[b].astype(np.float64)
    observed = blocks.score[b, i, j]
    which = np.minimum((predicted - 0.5) / step, 0.5 / step - 1e-9).astype(np.int64)
    bins: list[CalibrationBin] = []
    for number in np.unique(which):
        inside = which == number
        games = float(weight[inside].sum())
        mean = float((weight * observed)[inside].sum()) / games
        residual = np.bincount(b[inside], weights=(weight * (observed - mean))[inside])
        bins.append(
            CalibrationBin(
                low=0.5 + float(number) * step,
                high=min(1.0, 0.5 + float(number + 1) * step),
                predicted=float((weight * predicted)[inside].sum()) / games,
                observed=mean,
                half_width=1.96 * float(np.sqrt((residual**2).sum())) / games,
                games=int(games),
            )
        )
    return tuple(bins)
