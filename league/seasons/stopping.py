"""Adaptive seasons: stop when the places that matter are settled, and spend boards on the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import sqrt

import numpy as np

from league.ratings import PairVerdict, Standings, pair_verdict
from league.seasons.power import blocks_peeking


class StopReason(Enum):
    """Why a season goes on or ends."""

    SETTLED = "Every place that matters is settled."
    BUDGET = "The budget is spent; what is not settled is shared."
    OPEN = "Places that matter are open and there is budget left."


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPair:
    """Two neighbours in the table whose order is not known yet."""

    upper: str
    lower: str
    verdict: PairVerdict
    blocks_left: int | None
    """Blocks per bot until the badge, if the gap is what it seems; None = no telling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonVerdict:
    """Whether to go on, and with whom."""

    reason: StopReason
    open_pairs: tuple[OpenPair, ...]

    @property
    def done(self) -> bool:
        """No further boards are to be played."""
        return self.reason is not StopReason.OPEN


def season_verdict(
    table: Standings, *, places: Sequence[int], budget_blocks: int, level: float = 0.95
) -> SeasonVerdict:
    """Judge the borders below the given places (1 = between first and second)."""
    official = table.official
    index = {bot: i for i, bot in enumerate(official.bots)}
    n = len(table.ranked)
    field = official.subset(np.array([index[bot] for bot in table.ranked], dtype=np.int64))
    found: list[OpenPair] = []
    for place in sorted(set(places)):
        if not 1 <= place < n:
            continue
        known = pair_verdict(table.ranking, field, place - 1, place)
        if known.is_final:
            continue
        gap = float(field.elo[place - 1] - field.elo[place])
        variance = float(field.gap_variance()[place - 1, place])
        played = int(min(field.blocks[place - 1], field.blocks[place]))
        found.append(
            OpenPair(
                upper=table.ranked[place - 1],
                lower=table.ranked[place],
                verdict=known,
                blocks_left=_left(gap, variance, played, n, level),
            )
        )
    reason = StopReason.OPEN
    if not found:
        reason = StopReason.SETTLED
    elif table.blocks >= budget_blocks:
        reason = StopReason.BUDGET
    return SeasonVerdict(reason=reason, open_pairs=tuple(found))


def _left(gap: float, variance: float, played: int, n: int, level: float) -> int | None:
    block_sd = sqrt(variance * max(1, played))
    if gap <= 0 or block_sd <= 0 or gap < block_sd / 1000:
        return None
    needed = blocks_peeking(gap, block_sd, power=0.5, level=level, pairs=n * (n - 1) // 2)
    return max(1, needed - played)


def next_tables(
    found: SeasonVerdict, table: Standings, owners: dict[str, str], *, seats: int
) -> tuple[tuple[str, ...], ...]:
    """One table for every open pair: the two, then further open bots, then their neighbours."""
    urgent = [bot for pair in found.open_pairs for bot in (pair.upper, pair.lower)]
    rank = {bot: place for place, bot in enumerate(table.ranked)}
    tables: list[tuple[str, ...]] = []
    for pair in found.open_pairs:
        if owners.get(pair.upper, pair.upper) == owners.get(pair.lower, pair.lower):
            # Bots of one owner never share a table; both play against the same neighbours.
            firsts: list[list[str]] = [[pair.upper], [pair.lower]]
        else:
            firsts = [[pair.upper, pair.lower]]
        for chosen in firsts:
            middle = rank[pair.upper]
            others = sorted(
                table.ranked, key=lambda bot: (bot not in urgent, abs(rank[bot] - middle), bot)
            )
            for bot in others:
                taken = {owners.get(one, one) for one in chosen}
                if len(chosen) < seats and owners.get(bot, bot) not in taken:
                    chosen.append(bot)
            if len(chosen) == seats:
                tables.append(tuple(chosen))
    return tuple(tables)
