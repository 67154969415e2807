"""How much each block counts, so that chance in the company at a table decides nothing.

The target is the even design: tables drawn evenly from the field, so every opponent, and every two
opponents together, are met equally often (docs/adr/0009-estimand.md has the choice and its price).
"""

from collections.abc import Collection
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from league.arrays import Flags, Floats, Ints
from league.ratings.blocks import Blocks

FULL_BLOCKS = 10
"""From this many blocks on a pairing counts fully, before that in proportion: fewer say too little
for a full share."""
OUTSIDE = 0.05
"""What a pairing with a bot outside the field counts: enough to rate fillers and old versions and
to hold the scale, too little to move a bot of the field."""
POOLED = 4.0
"""The spread between tables that all bots share counts like this many tables of a bot's own."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EvenDesign:
    """The weights of all blocks, and what is known of the tables behind them."""

    weight: Floats
    """[block, i, j]: how much the result of this pairing counts; 1 on the mean of all games."""
    table: Ints
    """[block]: the same number for the same bots, whoever had the first seat."""
    played: float
    """Share of all possible tables of the field that were played: 1 = nothing is left to chance."""
    unmet: Flags
    """[i, j]: both are in the field and have never met."""

    def of_bot(self) -> Floats:
        """[block, i]: how much a block counts for one bot, over all its opponents there."""
        seats = np.maximum((self.weight > 0).sum(axis=2), 1)
        share: Floats = self.weight.sum(axis=2) / seats
        return share


def even_design(blocks: Blocks, field: Collection[str] | None = None) -> EvenDesign:
    """The weights under which every pairing of the field counts alike; None: all bots are in it.

    A pairing's average is taken over third bots: each that sat with the two counts alike, and with
    each of them every table, so that one played over and over does not speak for all the others.
    """
    n = len(blocks.bots)
    inside = np.array([field is None or bot in field for bot in blocks.bots], dtype=np.bool_)
    b, i, j = np.nonzero(blocks.pairs())
    key = blocks.member[b, i] * n + blocks.member[b, j]
    games = blocks.games[b].astype(np.float64)
    table = _tables(blocks)
    raw = _by_third_bots(blocks, table, inside)[b, i, j] * games
    met = np.bincount(key, minlength=n * n)
    target = np.minimum(1.0, met / FULL_BLOCKS)
    target[~(inside[:, None] & inside[None, :]).ravel()] *= OUTSIDE
    total = np.bincount(key, weights=raw, minlength=n * n)
    scale = np.divide(target, total, out=np.zeros(n * n), where=total > 0)
    weight = np.zeros(blocks.score.shape)
    counted = raw * scale[key]
    weight[b, i, j] = counted / games * (games.sum() / max(counted.sum(), 1e-300))
    apart = met.reshape(n, n) == 0
    return EvenDesign(
        weight=weight,
        table=table,
        played=_played(blocks, table, inside),
        unmet=apart & inside[:, None] & inside[None, :] & ~np.eye(n, dtype=np.bool_),
    )


def _by_third_bots(blocks: Blocks, table: Ints, inside: Flags) -> Floats:
    """[block, i, j]: what a block counts in the average of a pairing, third bots counting alike.

    One outside the field counts less here too: it is company that an even table would not have.
    """
    n, width = len(blocks.bots), blocks.member.shape[1]
    trios = list(combinations(range(width), 3))
    ordered = np.sort(blocks.member, axis=1)
    own = 1.0 / np.maximum(np.bincount(table, minlength=1)[table], FULL_BLOCKS)
    if not trios:
        return blocks.pairs() * own[:, None, None]
    # Whoever is sorted first has the smallest number; an empty chair (-1) makes no trio.
    place = np.argsort(blocks.member, axis=1, kind="stable")
    key = np.stack([(ordered[:, a] * n + ordered[:, b]) * n + ordered[:, c] for a, b, c in trios])
    real = np.stack([ordered[:, a] >= 0 for a, _, _ in trios])
    _, which = np.unique(np.where(real, key, -1), return_inverse=True)
    which = which.reshape(key.shape)
    # With a third bot, tables that are played enough count 1 each; together they count 1.
    together = np.bincount(which.ravel(), weights=np.tile(own, len(trios)))
    share = np.where(real, own / np.maximum(together[which], 1.0), 0.0)
    own_field = inside[ordered]
    share[~np.stack([own_field[:, list(trio)].all(axis=1) for trio in trios])] *= OUTSIDE
    weight = np.zeros(blocks.score.shape)
    row = np.arange(len(blocks))
    for number, trio in enumerate(trios):
        for a, b in combinations(trio, 2):
            weight[row, place[:, a], place[:, b]] += share[number]
            weight[row, place[:, b], place[:, a]] += share[number]
    # At a table of two there is no third bot, and a block is a block.
    alone = blocks.present.sum(axis=1) == 2
    weight[alone] = blocks.pairs()[alone] * own[alone, None, None]
    return weight


def _tables(blocks: Blocks) -> Ints:
    if not len(blocks):
        return np.zeros(0, dtype=np.int64)
    _, table = np.unique(np.sort(blocks.member, axis=1), axis=0, return_inverse=True)
    return table.reshape(-1).astype(np.int64)


def _played(blocks: Blocks, table: Ints, inside: Flags) -> float:
    """Share of the possible tables of the usual size that have been played often enough."""
    seats = blocks.present.sum(axis=1)
    if not len(seats):
        return 0.0
    usual = int(np.bincount(seats).argmax())
    whole = (seats == usual) & (inside[blocks.member] | ~blocks.present).all(axis=1)
    possible = comb(int(inside.sum()), usual)
    if not possible:
        return 1.0
    count = np.bincount(table[whole], minlength=1)
    return min(1.0, float(np.minimum(count / FULL_BLOCKS, 1.0).sum()) / possible)


def table_spread(blocks: Blocks, design: EvenDesign, scores: Floats) -> Floats:
    """By how much each bot's variance is larger than its blocks alone say: 1 or more.

    `scores` [block, i] are what blocks add to a result. Blocks of one table have their company in
    common; where it matters, sums by table vary more than blocks do. A bot's own few tables tell
    that badly, so the spread of all bots counts as well.
    """
    n = len(blocks.bots)
    b, i = np.nonzero(blocks.present)
    who, value = blocks.member[b, i], scores[b, i]
    by_block = np.bincount(who, weights=value**2, minlength=n).astype(np.float64)
    seat = design.table[b] * n + who
    used, where = np.unique(seat, return_inverse=True)
    sums = np.bincount(where.reshape(-1), weights=value, minlength=len(used))
    tables = np.bincount(used % n, minlength=n).astype(np.float64)
    by_table = np.bincount(used % n, weights=sums**2, minlength=n) * (
        tables / np.maximum(tables - 1, 1)
    )
    blocks_played = np.maximum(blocks.count(), 2)
    by_block = by_block * blocks_played / (blocks_played - 1)
    own = np.divide(by_table, by_block, out=np.ones(n), where=by_block > 0)
    shared = float(by_table.sum() / by_block.sum()) if by_block.sum() > 0 else 1.0
    freedom = np.maximum(tables - 1, 0)
    found = np.maximum(1.0, (POOLED * shared + freedom * own) / (POOLED + freedom))
    spread: Floats = 1.0 + (1.0 - design.played) * (found - 1.0)
    return spread
