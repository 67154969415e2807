"""Ratings and their history as rows; how they are computed is the league's."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import Session, col, select

from store import changes
from store.columns import utc_now
from store.engine import locked
from store.tables import Rating, RatingPoint, Scale

MAX_POINTS = 2000


def save(session: Session, scale_id: int, rows: Sequence[Rating]) -> None:
    """Replace the ratings of a scale's versions by these; others stay as they are."""
    scale = locked(session, Scale, scale_id)
    now = utc_now()
    for row in rows:
        row.scale_id = scale_id
        row.changed_at = now
        session.merge(row)
    session.flush()
    if scale.season_id is None:
        # Ladders are drawn by them; one note for thousands of rows.
        changes.note(session, changes.Topic.RATINGS, scale_id, scale_id)


def replace_all(session: Session, scale_id: int, rows: Sequence[Rating]) -> None:
    """Make these the only ratings of a scale (recomputed from scratch)."""
    locked(session, Scale, scale_id)
    session.exec(sa.delete(Rating).where(col(Rating.scale_id) == scale_id))
    session.expunge_all()
    save(session, scale_id, rows)


def table(session: Session, scale_id: int) -> list[Rating]:
    """The ratings of a scale, best official rating first, unrated ones last."""
    query = (
        select(Rating)
        .where(Rating.scale_id == scale_id)
        .order_by(
            col(Rating.official).is_(None),
            col(Rating.official).desc(),
            col(Rating.live).desc(),
            col(Rating.version_id),
        )
    )
    return list(session.exec(query).all())


def add_points(session: Session, points: Sequence[RatingPoint]) -> None:
    """Add to the history."""
    session.add_all(points)
    session.flush()


class HistoryPoint(NamedTuple):
    """A `RatingPoint` as a plain row: pages read thousands of them at once."""

    version_id: int
    match_id: int | None
    at: datetime
    blocks: int
    live: float | None
    official: float | None
    low: float | None
    high: float | None


def history(
    session: Session, scale_id: int, version_ids: Sequence[int], *, limit: int = MAX_POINTS
) -> list[HistoryPoint]:
    """The latest points of these versions, oldest first."""
    query = (
        sa.select(*(getattr(RatingPoint, name) for name in HistoryPoint._fields))
        .where(
            col(RatingPoint.scale_id) == scale_id,
            col(RatingPoint.version_id).in_(list(version_ids)),
        )
        .order_by(col(RatingPoint.id).desc())
        .limit(limit)
    )
    return [HistoryPoint(*row) for row in reversed(session.execute(query).all())]
