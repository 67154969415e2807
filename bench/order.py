"""Does an uneven design move the order? Estimators on leagues whose truth is known.

Run `python -m bench.order` (a minute) or with `--runs 20`. For every way of seating and every kind
of bots: the error of the ratings in Elo, how many pairs stand in the right order, how often the
95 % intervals hold the truth; for games counted alike, pairings averaged, and the league's own.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.options import described
from league.arrays import Floats, Ints
from league.ratings.blocks import Blocks
from league.ratings.company import FULL_BLOCKS, EvenDesign, even_design
from league.ratings.official import Official, fit
from tests.league.company_bots import DESIGNS, WORLDS

BOTS = {"cycle": 6, "hot table": 8}
USUAL_BOTS = 12
MATCHES = 120


def games_alike(blocks: Blocks) -> Official:
    """Every game counts alike, errors by block: what the league did before."""
    return fit(blocks)


def pairings(blocks: Blocks) -> Official:
    """Every pairing counts alike, whoever else sat there."""
    n = len(blocks.bots)
    pairs = blocks.pairs()
    key = blocks.member[:, :, None] * n + blocks.member[:, None, :]
    met = np.bincount(key[pairs], minlength=n * n)
    weight = np.where(pairs, 1.0 / np.maximum(met[key], FULL_BLOCKS), 0.0)
    return fit(blocks, design=_scaled(blocks, weight))


def tables(blocks: Blocks) -> Official:
    """Every table counts alike: inverse-probability weights from how often it was played."""
    design = even_design(blocks)
    count = np.bincount(design.table)[design.table]
    n = len(blocks.bots)
    pairs = blocks.pairs()
    key = blocks.member[:, :, None] * n + blocks.member[:, None, :]
    raw = np.where(pairs, 1.0 / np.maximum(count, FULL_BLOCKS)[:, None, None], 0.0)
    total = np.bincount(key[pairs], weights=raw[pairs], minlength=n * n)
    met = np.bincount(key[pairs], minlength=n * n)
    target = np.minimum(1.0, met / FULL_BLOCKS)
    return fit(blocks, design=_scaled(blocks, raw * (target / np.maximum(total, 1e-300))[key]))


def raked(blocks: Blocks) -> Official:
    """One weight for a whole block, fitted until all pairings come out alike."""
    n = len(blocks.bots)
    first, second = np.triu_indices(blocks.member.shape[1], 1)
    low = np.minimum(blocks.member[:, first], blocks.member[:, second])
    key = low * n + np.maximum(blocks.member[:, first], blocks.member[:, second])
    design = even_design(blocks)
    weight = 1.0 / np.maximum(np.bincount(design.table)[design.table], FULL_BLOCKS)
    target = np.minimum(1.0, np.bincount(key.ravel(), minlength=n * n) / FULL_BLOCKS)
    for _ in range(60):
        total = np.bincount(key.ravel(), np.repeat(weight, key.shape[1]), minlength=n * n)
        ratio = np.where(total > 0, target / np.maximum(total, 1e-300), 1.0)
        weight = weight * np.exp(np.log(ratio[key]).mean(axis=1))
    return fit(blocks, design=_scaled(blocks, weight[:, None, None] * blocks.pairs()))


def third_bots(blocks: Blocks) -> Official:
    """What the league does: pairings alike, and in a pairing all third bots alike."""
    return fit(blocks, design=even_design(blocks))


def _scaled(blocks: Blocks, weight: Floats) -> EvenDesign:
    whole = blocks.pairs().sum() / weight.sum()
    return replace(even_design(blocks), weight=weight * whole)


ESTIMATORS = {
    "games alike": games_alike,
    "pairings": pairings,
    "tables": tables,
    "raked": raked,
    "third bots": third_bots,
}


@dataclass(slots=True)
class Tally:
    """What one estimator did over all runs."""

    squares: list[float] = field(default_factory=list)
    right: list[float] = field(default_factory=list)
    held: list[float] = field(default_factory=list)

    def add(self, found: Official, truth: Floats) -> None:
        error = found.elo - truth
        self.squares.append(float((error**2).mean()))
        first, second = np.triu_indices(len(truth), 1)
        ours = found.elo[first] > found.elo[second]
        self.right.append(float((ours == (truth[first] > truth[second])).mean()))
        self.held.append(float((np.abs(error) <= found.half_width()).mean()))


def measure(world: str, design: str, runs: int) -> dict[str, Tally]:
    """All estimators on the same leagues."""
    bots = BOTS.get(design, USUAL_BOTS)
    found = {name: Tally() for name in ESTIMATORS}
    for run in range(runs):
        rng = np.random.default_rng([run, 7])
        made = WORLDS[world](rng, bots)
        member: Ints = DESIGNS[design](rng, bots, MATCHES)
        blocks = made.play(rng, member)
        truth = made.elo()
        for name, estimate in ESTIMATORS.items():
            found[name].add(estimate(blocks), truth)
    return found


def main() -> None:
    """Measure and print one table."""
    parser = described(__doc__)
    parser.add_argument("--runs", type=int, default=60, help="leagues of each kind")
    runs = parser.parse_args().runs
    table = Table("bots", "seating", "estimator", "error, Elo", "pairs right", "intervals hold")
    for world in WORLDS:
        for design in DESIGNS:
            for name, tally in measure(world, design, runs).items():
                table.add_row(
                    world,
                    design,
                    name,
                    f"{np.sqrt(np.mean(tally.squares)):.1f}",
                    f"{100 * np.mean(tally.right):.1f} %",
                    f"{100 * np.mean(tally.held):.1f} %",
                )
    Console().print(table)


if __name__ == "__main__":
    main()
