"""What a table is made of, as the store has it: blocks, facts of bots, who holds the scale."""

from dataclasses import dataclass

import numpy as np
import sqlalchemy as sa
from sqlmodel import Session, col, select

import store
from league.ratings.blocks import Block, BlockGame
from league.ratings.elo import START, EloRun, live
from league.ratings.holdback import held_back
from league.ratings.lineage import Lineage, lineage_of
from league.ratings.standings import BotFacts, Standings, make_standings


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Everything that a ladder's table is made of."""

    blocks: list[Block]
    facts: dict[str, BotFacts]
    anchors: dict[str, float]
    line: Lineage
    matches: dict[int, int]
    """Order of a block -> its match."""
    held: frozenset[int] = frozenset()
    """Matches whose results live Elo does not take in yet, because an earlier one is not over."""

    @property
    def has_table(self) -> bool:
        """Whether any bot that has played has a place."""
        return any(fact.ranked for fact in self.facts.values())

    def live(self) -> EloRun:
        """The live Elo of all versions, replayed."""
        released = [row for row in self.blocks if self.matches[row.order] not in self.held]
        return live(released, anchors=self.anchors, successors=self.line.successors)

    def table(self, run: EloRun | None = None) -> Standings:
        """The standings."""
        states = (run or self.live()).states
        return make_standings(self.blocks, self.facts, live=states, anchors=self.anchors)


def gather(session: Session, ladder_id: int, *, without: int | None = None) -> Material:
    """Read what a table is made of; `without`: as if the matches of this version did not count."""
    rows = [row for row in store.results.blocks(session, ladder_id) if without not in row.versions]
    line = lineage_of(session, ladder_id, {one for row in rows for one in row.versions})
    blocks = [_block(order, row, line) for order, row in enumerate(rows)]
    versions = sorted({int(bot) for block in blocks for bot in block.table})
    facts, anchors = _facts(session, ladder_id, versions, line)
    matches = {order: row.match_id for order, row in enumerate(rows)}
    return Material(
        blocks=blocks,
        facts=facts,
        anchors=anchors,
        line=line,
        matches=matches,
        held=held_back(session, ladder_id),
    )


def _block(order: int, row: store.RatedBlock, line: Lineage) -> Block:
    games = tuple(
        BlockGame(places=game.places, points=game.points, out=game.out, rounds=game.rounds)
        for game in row.games
    )
    return Block(order=order, table=line.table(row.versions), games=games)


def _facts(
    session: Session, ladder_id: int, versions: list[int], line: Lineage
) -> tuple[dict[str, BotFacts], dict[str, float]]:
    """What pages say of each version beside its results, and which of them hold the scale."""
    rows = session.execute(
        sa.select(store.Version, store.Bot)
        .join(store.Bot, col(store.Bot.id) == col(store.Version.bot_id))
        .where(col(store.Version.id).in_(versions))
    ).all()
    names = store.bots.full_names(session, [bot.id for _, bot in rows])
    faults = _faults(session, ladder_id)
    times = _think_times(session, ladder_id)
    # Of a season only its own: what is played later elsewhere changes nothing in its table.
    season_id = store.scales.scale(session, ladder_id).season_id
    rates = store.match_lists.void_rates(session, season_id=season_id)
    voids = {rate.bot_id: rate for rate in rates}
    facts: dict[str, BotFacts] = {}
    anchors: dict[str, float] = {}
    for version, bot in rows:
        median, worst = times.get(version.id, (None, None))
        rate = voids.get(bot.id)
        facts[str(version.id)] = BotFacts(
            bot=str(version.id),
            name=f"{names[bot.id]} {version.number}",
            owner=names[bot.id].split("/")[0],
            faults=faults.get(version.id, {}),
            median_ms=median,
            worst_ms=worst,
            attempts=rate.attempts if rate else 0,
            voids=rate.void + rate.lost if rate else 0,
            ranked=version.id in line.ranked,
            submitted=version.created_at.timestamp(),
        )
        if bot.is_anchor:
            anchors[str(version.id)] = START
    return facts, anchors


def _counts(ladder_id: int) -> sa.ColumnElement[bool]:
    """That a match counts in the table of this ladder."""
    match = store.Match
    return sa.and_(
        col(match.scale_id) == ladder_id,
        col(match.state) == store.MatchState.DONE,
        col(match.rated),
    )


def _faults(session: Session, ladder_id: int) -> dict[int, dict[str, int]]:
    """Faults by version and kind; those of attempts that do not count are left out."""
    query = (
        sa.select(col(store.Fault.version_id), col(store.Fault.kind), sa.func.count())
        .join(store.Match, col(store.Match.id) == col(store.Fault.match_id))
        .join(
            store.Seat,
            sa.and_(
                col(store.Seat.match_id) == col(store.Fault.match_id),
                col(store.Seat.number) == col(store.Fault.seat),
            ),
        )
        .where(
            _counts(ladder_id),
            col(store.Fault.attempt) == col(store.Match.attempts),
            ~col(store.Seat.substitute),
        )
        .group_by(col(store.Fault.version_id), col(store.Fault.kind))
    )
    found: dict[int, dict[str, int]] = {}
    for version_id, kind, count in session.execute(query):
        found.setdefault(version_id, {})[kind] = int(count)
    return found


def _think_times(session: Session, ladder_id: int) -> dict[int, tuple[float | None, float | None]]:
    """Median of the matches' medians, and the worst decision of all."""
    query = (
        select(store.Seat.version_id, store.Seat.stats)
        .join(store.Match, col(store.Match.id) == col(store.Seat.match_id))
        .where(_counts(ladder_id), col(store.Seat.games) > 0, ~col(store.Seat.substitute))
    )
    medians: dict[int, list[float]] = {}
    worst: dict[int, float] = {}
    for version_id, stats in session.exec(query):
        if stats.get("median_ms") is not None:
            medians.setdefault(version_id, []).append(float(stats["median_ms"]))
        if stats.get("worst_ms") is not None:
            worst[version_id] = max(worst.get(version_id, 0.0), float(stats["worst_ms"]))
    return {
        version_id: (float(np.median(values)), worst.get(version_id))
        for version_id, values in medians.items()
    }
