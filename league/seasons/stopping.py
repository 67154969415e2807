"""Adaptive seasons: stop when the places that matter are settled, and spend boards on the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import sqrt
from random import Random

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


Step = tuple[tuple[str, ...], ...]
"""Tables that belong together: one with each of the two, or one with both of them."""


def matched_tables(
    pair: OpenPair, owners: dict[str, str], *, seats: int, steps: int, rng: Random
) -> list[Step]:
    """Further tables for an open pair: the same others once with each of the two.

    The others are dealt evenly from the whole field, the rival included: where it is drawn, the
    two tables are one and the same. `owners` lists all bots that take part. Empty: there are too
    few bots for a table.
    """
    two = (pair.upper, pair.lower)
    if not all(bot in owners for bot in two):
        return []
    rivals = owners[pair.upper] != owners[pair.lower]
    others = [
        bot
        for bot in sorted(owners)
        if bot not in two and owners[bot] not in (owners[pair.upper], owners[pair.lower])
    ]
    apart = len({owners[bot] for bot in others}) >= seats - 1
    together = rivals and len({owners[bot] for bot in others}) >= seats - 2
    share = (seats - 1) / (len(others) + 1) if apart and together else float(together)
    deck: list[str] = []
    made: list[Step] = []
    for _ in range(steps if apart or together else 0):
        # Of its opponents a bot meets its rival as often as any other.
        if rng.random() < share:
            company = _deal(deck, others, owners, seats - 2, rng)
            made.append(((*two, *company),))
        else:
            company = _deal(deck, others, owners, seats - 1, rng)
            made.append(tuple((bot, *company) for bot in two))
    return made


def _deal(
    deck: list[str], others: list[str], owners: dict[str, str], count: int, rng: Random
) -> list[str]:
    """The next of a shuffled field, each owner once; the field is shuffled again when it is out."""
    chosen: list[str] = []
    held: list[str] = []
    while len(chosen) < count:
        if not deck:
            deck += rng.sample(others, len(others))
        bot = deck.pop()
        taken = {owners[one] for one in chosen}
        (held if owners[bot] in taken else chosen).append(bot)
    # Who could not sit here because of its owner comes next.
    deck += [bot for bot in held if bot not in deck]
    return chosen
