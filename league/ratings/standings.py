"""The standings: one row a bot, every number with what is known about its error.

A pure function of the blocks and of facts about the bots: the same table in any order of arrival.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from league.arrays import Ints
from league.ratings.blocks import Block, Blocks, collect
from league.ratings.company import even_design
from league.ratings.elo import EloState
from league.ratings.elo import live as live_elo
from league.ratings.official import Official, fit
from league.ratings.ranking import Ranking, rank
from league.ratings.reports import (
    CalibrationBin,
    Crosstable,
    RotationSaving,
    calibration,
    crosstable,
    rotation_saving,
)
from league.ratings.rows import (
    Badge,
    BotFacts,
    StandingRow,
    StandingsSettings,
    Totals,
    count_totals,
    make_rows,
)

__all__ = [
    "Badge",
    "BotFacts",
    "RowChange",
    "StandingRow",
    "Standings",
    "StandingsSettings",
    "compare_standings",
    "make_standings",
]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Standings:
    """The table and the reports that belong on its page."""

    rows: tuple[StandingRow, ...]
    crosstable: Crosstable
    rotation: RotationSaving | None
    calibration: tuple[CalibrationBin, ...]
    official: Official
    """All rated bots, also those without a place."""
    ranking: Ranking
    """Indexed like `ranked`."""
    ranked: tuple[str, ...]
    blocks: int
    games: int


def make_standings(
    rows: Iterable[Block] | Blocks,
    facts: Mapping[str, BotFacts] | None = None,
    *,
    live: Mapping[str, EloState] | None = None,
    anchors: Mapping[str, float] | None = None,
    settings: StandingsSettings | None = None,
) -> Standings:
    """Compute everything from scratch. Without `live`, live Elo is replayed from the rows too."""
    settings = settings or StandingsSettings()
    known = dict(facts or {})
    blocks, states = _input(rows, live, anchors)
    about = [known.get(bot, BotFacts(bot=bot)) for bot in blocks.bots]
    design = even_design(blocks, {one.bot for one in about if one.ranked})
    official = fit(blocks, anchors=anchors, design=design)
    totals = count_totals(blocks, design)
    chosen = _display_order(official, totals, about)
    ranked = official.subset(chosen)
    ranking = rank(
        ranked,
        level=settings.level,
        margin=settings.margin_elo,
        draws=settings.draws,
        seed=settings.seed,
    )
    listed = [about[i] for i in chosen]
    return Standings(
        rows=make_rows(
            ranked,
            ranking,
            totals.subset(chosen),
            listed,
            states,
            settings.level,
            design.unmet.sum(axis=1)[chosen],
        ),
        crosstable=crosstable(blocks, ranked.bots, design),
        rotation=rotation_saving(blocks),
        calibration=calibration(blocks, official),
        official=official,
        ranking=ranking,
        ranked=ranked.bots,
        blocks=len(blocks),
        games=int(blocks.games.sum()),
    )


def _input(
    rows: Iterable[Block] | Blocks,
    live: Mapping[str, EloState] | None,
    anchors: Mapping[str, float] | None,
) -> tuple[Blocks, Mapping[str, EloState]]:
    if isinstance(rows, Blocks):
        if live is None:
            raise ValueError(
                "columns hold no single games: give live Elo, or rows to replay it from"
            )
        return rows, live
    kept = list(rows)
    return collect(kept), live if live is not None else live_elo(kept, anchors=anchors).states


def _display_order(official: Official, totals: Totals, about: list[BotFacts]) -> Ints:
    """Ranked bots by official rating; then points, faults, earlier submission, never a coin."""
    ranked = [i for i, facts in enumerate(about) if facts.ranked]
    ranked.sort(
        key=lambda i: (
            -round(float(official.elo[i]), 6),
            float(totals.points_per_round[i]),
            sum(about[i].faults.values()),
            about[i].submitted,
            official.bots[i],
        )
    )
    return np.array(ranked, dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChange:
    """What a withdrawal or a disqualification did to one bot. None = not in that table."""

    bot: str
    """What pages call it: name and version."""
    place_before: int | None
    place_after: int | None
    official_before: float | None
    official_after: float | None


def compare_standings(before: Standings, after: Standings | None) -> tuple[RowChange, ...]:
    """Put two tables side by side, in the order of the first; None: nothing is left of it."""
    old = {row.bot: row for row in before.rows}
    new = {row.bot: row for row in after.rows} if after is not None else {}
    bots = [*old, *(bot for bot in new if bot not in old)]
    return tuple(
        RowChange(
            bot=(old.get(bot) or new[bot]).name,
            place_before=old[bot].place if bot in old else None,
            place_after=new[bot].place if bot in new else None,
            official_before=old[bot].official if bot in old else None,
            official_after=new[bot].official if bot in new else None,
        )
        for bot in bots
    )
