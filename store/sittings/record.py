"""The record of a table: what each seat was sent, what was decided, what people chose.

The worker that holds the table adds frames and decisions, the pages add choices.
"""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, col, select

from api_models.states import ChoiceBy, MatchState, SittingState
from store.columns import JsonDict, utc_now
from store.errors import StoreError
from store.sittings.life import OPEN
from store.sittings.seating import seats
from store.tables import Match, Sitting, SittingChoice, SittingDecision, SittingFrame


class NotHeld(StoreError):
    """The worker no longer holds the table: another one goes on with it."""


def begin_playing(session: Session, match_id: int, token: str) -> None:
    """A worker has the table."""
    _held(session, match_id, token)
    change = sa.update(Sitting).where(
        col(Sitting.match_id) == match_id, col(Sitting.state).in_(OPEN)
    )
    session.exec(change.values(state=SittingState.PLAYING))


def add_frames(
    session: Session, match_id: int, frames: Sequence[tuple[int, int, JsonDict]]
) -> None:
    """Add what seats are sent: seat, number, frame."""
    now = utc_now()
    rows = [
        {"match_id": match_id, "seat": seat, "number": number, "data": data, "at": now}
        for seat, number, data in frames
    ]
    if rows:
        session.execute(sa.insert(SittingFrame), rows)


def tell(session: Session, match_id: int, frame: JsonDict) -> None:
    """Send the same frame to every person, after whatever they were sent before."""
    for seat in seats(session, match_id):
        if seat.for_person:
            last = latest_frames(session, match_id, seat.seat, 1)
            number = last[0][0] + 1 if last else 1
            add_frames(session, match_id, [(seat.seat, number, frame)])


def add_decisions(
    session: Session, match_id: int, decisions: Sequence[tuple[int, JsonDict]]
) -> None:
    """Add what was decided: number, decision."""
    rows = [{"match_id": match_id, "number": number, "data": data} for number, data in decisions]
    if rows:
        session.execute(sa.insert(SittingDecision), rows)


def require_held(session: Session, match_id: int, token: str) -> None:
    """Raise NotHeld unless this attempt has the table."""
    _held(session, match_id, token)


def _held(session: Session, match_id: int, token: str) -> None:
    query = select(Match.id).where(
        Match.id == match_id, Match.token == token, Match.state == MatchState.RUNNING
    )
    # Locked until the end of the transaction: whoever loses the lease meanwhile waits for it.
    if session.exec(query.with_for_update(key_share=True)).one_or_none() is None:
        raise NotHeld(f"another worker goes on with the table of match {match_id}")


def decisions(session: Session, match_id: int) -> list[JsonDict]:
    """All decisions so far, in order."""
    query = select(SittingDecision.data).where(SittingDecision.match_id == match_id)
    found = session.exec(query.order_by(col(SittingDecision.number))).all()
    return [dict(one) for one in found]


def frames(
    session: Session, match_id: int, seat: int, after: int = 0, limit: int = 1000
) -> list[tuple[int, JsonDict]]:
    """What a seat was sent after a number, in order."""
    query = (
        select(SittingFrame.number, SittingFrame.data)
        .where(
            SittingFrame.match_id == match_id,
            SittingFrame.seat == seat,
            SittingFrame.number > after,
        )
        .order_by(col(SittingFrame.number))
        .limit(limit)
    )
    return [(number, dict(data)) for number, data in session.exec(query)]


def seconds_played(session: Session, match_id: int) -> float:
    """How long a table has been played: between its frames, but for the waits for a worker.

    A wait ends with a frame `paused`, the first that the next worker adds.
    """
    query = (
        select(SittingFrame.seat, SittingFrame.at, SittingFrame.data)
        .where(SittingFrame.match_id == match_id)
        .order_by(col(SittingFrame.seat), col(SittingFrame.number))
    )
    played: dict[int, float] = {}
    before: dict[int, datetime] = {}
    for seat, at, data in session.exec(query):
        counts = seat in before and data["type"] != "paused"
        passed = (at - before[seat]).total_seconds() if counts else 0.0
        played[seat] = played.get(seat, 0.0) + max(0.0, passed)
        before[seat] = at
    return max(played.values(), default=0.0)


def latest_frames(
    session: Session, match_id: int, seat: int, limit: int
) -> list[tuple[int, JsonDict]]:
    """The last frames of a seat, newest first."""
    query = (
        select(SittingFrame.number, SittingFrame.data)
        .where(SittingFrame.match_id == match_id, SittingFrame.seat == seat)
        .order_by(col(SittingFrame.number).desc())
        .limit(limit)
    )
    return [(number, dict(data)) for number, data in session.exec(query)]


# Choices: one stands from the moment it is stored.


def put_choice(session: Session, match_id: int, seat: int, ask_no: int, choice: object) -> bool:
    """A person's choice; False: this ask has been answered."""
    dialect = session.get_bind().dialect.name
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    row = insert(SittingChoice).values(
        match_id=match_id,
        seat=seat,
        ask_no=ask_no,
        choice=choice,
        by=ChoiceBy.PERSON,
        at=utc_now(),
    )
    added = row.on_conflict_do_nothing().returning(col(SittingChoice.ask_no))
    return session.execute(added).first() is not None


def put_platform_choice(
    session: Session, match_id: int, seat: int, ask_no: int, choice: object
) -> None:
    """What the platform chose; it stands even when the person's own came too late."""
    dialect = session.get_bind().dialect.name
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    values = {"choice": choice, "by": ChoiceBy.PLATFORM, "at": utc_now()}
    row = insert(SittingChoice).values(match_id=match_id, seat=seat, ask_no=ask_no, **values)
    session.execute(
        row.on_conflict_do_update(index_elements=["match_id", "seat", "ask_no"], set_=values)
    )


def find_choice(session: Session, match_id: int, seat: int, ask_no: int) -> SittingChoice | None:
    """What was chosen at an ask."""
    return session.get(SittingChoice, (match_id, seat, ask_no))
