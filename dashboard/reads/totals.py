"""What a bot has done in all its matches. Rehearsals try a season out: they count nowhere."""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, col, select

from dashboard.reads.access import in_public
from store import Fault, Match, Seat

THINK_MATCHES = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """A bot's matches, added up."""

    matches: int
    games: int
    wins: float
    points: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Think:
    """How long a bot thought in one match, on average."""

    match_id: int
    mean_ms: float
    decisions: int


def sums_of(
    session: Session,
    bot_id: int,
    *,
    scale_id: int | None = None,
    version_id: int | None = None,
) -> Sums:
    """Everything that a bot has played, added up; or on one scale, or by one version."""
    query = (
        select(
            sa.func.count(),
            sa.func.coalesce(sa.func.sum(Seat.games), 0),
            sa.func.coalesce(sa.func.sum(Seat.wins), 0.0),
            sa.func.coalesce(sa.func.sum(Seat.points), 0.0),
        )
        .join(Match, col(Match.id) == col(Seat.match_id))
        .where(Seat.bot_id == bot_id, col(Seat.games) > 0, ~col(Seat.substitute), in_public())
    )
    if scale_id is not None:
        query = query.where(col(Match.scale_id) == scale_id)
    if version_id is not None:
        query = query.where(col(Seat.version_id) == version_id)
    count, games, wins, points = session.exec(query).one()
    return Sums(matches=int(count), games=int(games), wins=float(wins), points=float(points))


def fault_counts(session: Session, version_ids: Sequence[int]) -> dict[str, int]:
    """How often versions failed, by kind."""
    query = (
        select(col(Fault.kind), sa.func.count())
        .join(Match, col(Match.id) == col(Fault.match_id))
        .where(col(Fault.version_id).in_(list(version_ids)), in_public())
        .group_by(col(Fault.kind))
        .order_by(sa.func.count().desc())
    )
    return {kind: int(count) for kind, count in session.exec(query)}


def think_times(session: Session, bot_id: int, version_id: int | None = None) -> list[Think]:
    """Mean think time of a bot, or of one version, in its latest matches, oldest first."""
    query = (
        select(col(Seat.match_id), col(Seat.think_ms), col(Seat.decisions))
        .join(Match, col(Match.id) == col(Seat.match_id))
        .where(Seat.bot_id == bot_id, col(Seat.decisions) > 0, ~col(Seat.substitute), in_public())
        .order_by(col(Seat.match_id).desc())
        .limit(THINK_MATCHES)
    )
    if version_id is not None:
        query = query.where(col(Seat.version_id) == version_id)
    rows = [
        Think(match_id=match_id, mean_ms=total / decisions, decisions=decisions)
        for match_id, total, decisions in session.exec(query)
    ]
    return rows[::-1]
