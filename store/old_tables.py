"""Tables with people that ended long ago: what nobody needs any more is removed, a part at a time.

What stays of a game that was begun: its match with result and replay, its seats, what its people
chose, its first decision (by which a rating knows that it was begun), and of what each seat was
sent the first frame and the last. A table that ended before its first card goes altogether.
"""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, col, select

from api_models.states import SittingState
from store import settings
from store.columns import db_time
from store.tables import (
    Attempt,
    Block,
    Fault,
    Game,
    Match,
    ReplayBlob,
    Review,
    Seat,
    Sitting,
    SittingChoice,
    SittingDecision,
    SittingFrame,
    SittingSeat,
)

AT_ONCE = 50
"""Tables that one turn looks at."""
PLACE = "old_tables"
"""The setting that tells where the next turn goes on: `{"after": match}`."""
_PARTS = (
    *(SittingFrame, SittingChoice, SittingDecision, SittingSeat, Sitting),
    *(Fault, ReplayBlob, Review, Block, Game, Attempt, Seat),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """What one turn found and removed."""

    looked: int = 0
    """Tables that ended long enough ago."""
    emptied: int = 0
    """Frames and decisions that went."""
    removed: tuple[int, ...] = ()
    """Matches of tables that went altogether."""


def clean(session: Session, *, kept: float, most: int = AT_ONCE) -> Cleaned:
    """Clean the next tables that ended at least `kept` seconds ago; after the last, the first.

    Two that clean at once do it one after the other.
    """
    old = sa.and_(
        col(Sitting.state).in_((SittingState.OVER, SittingState.CLOSED)),
        col(Sitting.finished_at) < db_time(-kept),
    )
    if session.exec(select(Sitting.match_id).where(old).limit(1)).first() is None:
        return Cleaned()
    after = _place(session)
    query = select(Sitting.match_id).where(old, col(Sitting.match_id) > after)
    found = list(session.exec(query.order_by(col(Sitting.match_id)).limit(most)).all())
    unplayed = _unplayed(session, found)
    if unplayed:
        for table in _PARTS:
            session.exec(sa.delete(table).where(col(table.match_id).in_(unplayed)))
        session.exec(sa.delete(Match).where(col(Match.id).in_(unplayed)))
    emptied = _empty(session, [one for one in found if one not in set(unplayed)])
    # A league with old tables and nothing left to remove writes nothing, turn after turn.
    next_after = found[-1] if len(found) == most else 0
    if next_after != after:
        settings.write(session, PLACE, {"after": next_after})
    return Cleaned(looked=len(found), emptied=emptied, removed=tuple(unplayed))


def _place(session: Session) -> int:
    """After which match this turn goes on; locked."""
    place = settings.read(session, PLACE, to_change=True)
    if place is None:
        settings.ensure(session, PLACE, {"after": 0})
        place = settings.read(session, PLACE, to_change=True) or {"after": 0}
    return int(str(place["after"]))


def _unplayed(session: Session, ids: list[int]) -> list[int]:
    """Those of closed tables at which nothing was decided, so that nothing of them counts."""
    query = select(Sitting.match_id).where(
        col(Sitting.match_id).in_(ids),
        col(Sitting.state) == SittingState.CLOSED,
        ~_exists(SittingDecision),
        ~_exists(Game),
    )
    return list(session.exec(query.order_by(col(Sitting.match_id))).all())


def _exists(table: type[SittingDecision] | type[Game]) -> sa.ColumnElement[bool]:
    of_table = col(table.match_id) == col(Sitting.match_id)
    return sa.select(col(table.match_id)).where(of_table).exists()


def _empty(session: Session, ids: list[int]) -> int:
    """Remove the frames between the first and the last of a seat, and the decisions but one."""
    ends = (
        sa.select(
            col(SittingFrame.match_id),
            col(SittingFrame.seat),
            sa.func.min(col(SittingFrame.number)).label("first"),
            sa.func.max(col(SittingFrame.number)).label("last"),
        )
        .where(col(SittingFrame.match_id).in_(ids))
        .group_by(col(SittingFrame.match_id), col(SittingFrame.seat))
        # The first and the last stay, so a seat that was emptied has two.
        .having(sa.func.count() > 2)
    )
    count = 0
    for match_id, seat, first, last in session.execute(ends).all():
        between = sa.and_(
            col(SittingFrame.match_id) == match_id,
            col(SittingFrame.seat) == seat,
            col(SittingFrame.number) > first,
            col(SittingFrame.number) < last,
        )
        count += session.exec(sa.delete(SittingFrame).where(between)).rowcount
    later = sa.and_(col(SittingDecision.match_id).in_(ids), col(SittingDecision.number) > 1)
    if session.exec(select(SittingDecision.number).where(later).limit(1)).first() is not None:
        count += session.exec(sa.delete(SittingDecision).where(later)).rowcount
    return count
