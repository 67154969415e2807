"""How balanced a schedule is, counted from the finished tables, and how good it could be."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from league.arrays import Flags, Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class BalanceReport:
    """Counted, not promised: meetings, plays and seats of a schedule."""

    bots: int
    seats_per_table: int
    tables: int
    anchor_seats: int
    """Seats filled by anchor bots; they count for nothing below."""
    pairs_min: int
    pairs_max: int
    pairs_bound: int
    """No schedule in which the bots play this often has a smaller max - min."""
    pairs_apart: int
    """Pairs of one owner, which never meet and are left out above."""
    plays_min: int
    plays_max: int
    seats_spread: int
    """The largest difference, over all bots, between its counts of two first seats."""

    @property
    def pairs_spread(self) -> int:
        """Largest minus smallest number of meetings."""
        return self.pairs_max - self.pairs_min

    @property
    def holds(self) -> bool:
        """Meetings within 2 (or proven best), plays and seats within 1."""
        pairs = self.pairs_spread <= max(2, self.pairs_bound)
        return pairs and self.plays_max - self.plays_min <= 1 and self.seats_spread <= 1

    @property
    def words(self) -> str:
        """The report in plain sentences."""
        best = (
            "which is the best possible with these plays"
            if self.pairs_spread == self.pairs_bound
            else f"where no plan with these plays can be below {self.pairs_bound}"
        )
        parts = [
            f"{self.bots} bots at {self.tables} tables of {self.seats_per_table}.",
            f"Two bots meet {_range(self.pairs_min, self.pairs_max)} times: "
            f"a difference of {self.pairs_spread}, {best}.",
            f"A bot plays {_range(self.plays_min, self.plays_max)} matches; "
            f"its counts per first seat differ by at most {self.seats_spread}.",
        ]
        return " ".join([*parts, *self._beside])

    @property
    def played_words(self) -> str:
        """The same about a season that was played, without the promises."""
        uneven = "" if self.holds else " In the standings all pairs count alike nevertheless."
        parts = [
            f"Played: {self.bots} bots at {self.tables} tables of {self.seats_per_table}.",
            f"Two bots met {_range(self.pairs_min, self.pairs_max)} times,"
            f" a bot played {_range(self.plays_min, self.plays_max)} matches.{uneven}",
        ]
        return " ".join([*parts, *self._beside])

    @property
    def _beside(self) -> list[str]:
        parts = []
        if self.pairs_apart:
            parts.append(f"{self.pairs_apart} pairs of one owner never meet.")
        if self.anchor_seats:
            parts.append(f"{self.anchor_seats} seats are filled with anchor bots.")
        return parts


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def count_balance(seated: Sequence[Sequence[int]], allowed: Flags, k: int) -> BalanceReport:
    """Count everything again from the tables; bot numbers from len(allowed) on are anchor bots."""
    n = len(allowed)
    met = np.zeros((n, n), dtype=np.int64)
    chairs = np.zeros((n, k), dtype=np.int64)
    filled = 0
    for row in seated:
        own = [bot for bot in row if bot < n]
        filled += len(row) - len(own)
        met[np.ix_(own, own)] += 1
        for place, bot in enumerate(row):
            if bot < n:
                chairs[bot, place] += 1
    plays = chairs.sum(axis=1)
    counts = met[allowed]
    return BalanceReport(
        bots=n,
        seats_per_table=k,
        tables=len(seated),
        anchor_seats=filled,
        pairs_min=int(counts.min()) if len(counts) else 0,
        pairs_max=int(counts.max()) if len(counts) else 0,
        pairs_bound=_bound(met, allowed),
        pairs_apart=(n * (n - 1) - int(allowed.sum())) // 2,
        plays_min=int(plays.min()),
        plays_max=int(plays.max()),
        seats_spread=int(np.ptp(chairs, axis=1).max()),
    )


def _bound(met: Ints, allowed: Flags) -> int:
    """A proof: among any pairs, one meets at least as often as their mean, and one at most.

    How often a bot meets others at all follows from its plays. So does how often the bots of one
    owner meet the rest, and with that, how often the rest meet among themselves.
    """
    total = np.where(allowed, met, 0).sum(axis=1)
    degree = allowed.sum(axis=1)
    sums, sizes = list(total), list(degree)
    for group in np.unique(~allowed, axis=0):
        sums += [total[group].sum(), total.sum() // 2 - total[group].sum()]
        outward = degree[group].sum()
        sizes += [outward, allowed.sum() // 2 - outward]
    known = [(int(one), int(size)) for one, size in zip(sums, sizes, strict=True) if size > 0]
    if not known:
        return 0
    return max(-(-one // size) for one, size in known) - min(one // size for one, size in known)
