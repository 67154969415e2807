"""Friendly matches as rows: who asked for which, how many lately, and what their blocks hold.

Whether one may be asked for is decided by `league.friendlies`.
"""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from api_models.states import MatchState
from store.columns import db_time
from store.engine import database_time, locked
from store.tables import Friendly, Match

HOUR, DAY = 3600.0, 86_400.0
OPEN = (MatchState.PLANNED, MatchState.QUEUED, MatchState.RUNNING)
PAGE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What an owner has asked for lately."""

    open: int
    """Those that wait or are played."""
    hour: int
    day: int
    now: datetime
    hour_since: datetime | None
    """When the first of the last hour was asked for; None: there was none."""
    day_since: datetime | None


def add(session: Session, match_id: int, owner_id: int, bot_id: int) -> Friendly:
    """Note who asked for a match."""
    row = Friendly(
        match_id=match_id, owner_id=owner_id, bot_id=bot_id, created_at=database_time(session)
    )
    session.add(row)
    session.flush()
    return row


def find(session: Session, match_id: int) -> Friendly | None:
    """What is known of a friendly match beside the match itself."""
    return session.get(Friendly, match_id)


def asked(session: Session, owner_id: int) -> Asked:
    """How many matches an owner has asked for; hold the owner's lock to count before adding."""
    own = col(Friendly.owner_id) == owner_id
    waiting = (
        select(sa.func.count())
        .select_from(Friendly)
        .join(Match, col(Match.id) == col(Friendly.match_id))
        .where(own, col(Match.state).in_(OPEN))
    )
    counts: list[tuple[int, datetime | None]] = []
    for seconds in (HOUR, DAY):
        query = sa.select(sa.func.count(), sa.func.min(col(Friendly.created_at))).where(
            own, col(Friendly.created_at) >= db_time(-seconds)
        )
        count, first = session.execute(query).one()
        counts.append((int(count), first))
    (hour, hour_since), (day, day_since) = counts
    return Asked(
        open=int(session.exec(waiting).one()),
        hour=hour,
        day=day,
        now=database_time(session),
        hour_since=hour_since,
        day_since=day_since,
    )


def page(
    session: Session,
    *,
    owner_id: int | None = None,
    bot_id: int | None = None,
    before: int | None = None,
    limit: int = PAGE,
) -> list[tuple[Friendly, Match]]:
    """Friendly matches, newest first: of an owner, of one of their bots, or all."""
    query = select(Friendly, Match).join(Match, col(Match.id) == col(Friendly.match_id))
    if owner_id is not None:
        query = query.where(Friendly.owner_id == owner_id)
    if bot_id is not None:
        query = query.where(Friendly.bot_id == bot_id)
    if before is not None:
        query = query.where(col(Friendly.match_id) < before)
    rows = session.exec(query.order_by(col(Friendly.match_id).desc()).limit(limit)).all()
    return [(friendly, match) for friendly, match in rows]


def ahead(session: Session, match: Match) -> int:
    """How many matches of its queue wait longer than this one."""
    earlier = sa.or_(
        col(Match.published_at) < match.published_at,
        sa.and_(col(Match.published_at) == match.published_at, col(Match.id) < match.id),
    )
    query = select(sa.func.count()).where(
        Match.state == MatchState.QUEUED, Match.queue == match.queue, earlier
    )
    return int(session.exec(query).one())


def waiting(session: Session, queue: str) -> list[int]:
    """The matches that wait in a queue, the longest first."""
    query = select(Match.id).where(Match.state == MatchState.QUEUED, Match.queue == queue)
    return list(session.exec(query.order_by(col(Match.published_at), col(Match.id))).all())


def share(session: Session, match_id: int, shared: bool) -> Friendly:
    """Let everyone with its address see a match, or no longer."""
    row = locked(session, Friendly, match_id)
    row.shared = shared
    session.flush()
    return row
