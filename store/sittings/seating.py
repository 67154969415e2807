"""The seats of a table: who sits there, and what they do besides playing."""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, col, select

from store.columns import db_time
from store.engine import locked
from store.tables import Seat, Sitting, SittingSeat, Version


def seats(session: Session, match_id: int) -> list[SittingSeat]:
    """The seats of a table, in order."""
    query = select(SittingSeat).where(SittingSeat.match_id == match_id)
    return list(session.exec(query.order_by(col(SittingSeat.seat))).all())


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatMemory:
    """What is known of the memory of whoever sits in a seat."""

    is_program: bool
    """Whether it is a program of the platform: those run without a bound."""
    peak: int | None
    """The most that it used, in bytes; None: not over, or not measured."""


def memory(session: Session, match_id: int) -> dict[int, SeatMemory]:
    """The memory of all seats of a table."""
    query = (
        sa.select(col(Seat.number), col(Seat.stats), col(Version.program))
        .join(Version, col(Version.id) == col(Seat.version_id))
        .where(col(Seat.match_id) == match_id)
    )
    return {
        number: SeatMemory(is_program=program is not None, peak=stats.get("memory_peak"))
        for number, stats, program in session.execute(query)
    }


def free_seats(session: Session, match_id: int) -> list[SittingSeat]:
    """The seats for people to which nobody has come yet."""
    return [one for one in seats(session, match_id) if one.for_person and one.person_id is None]


def seat_of(session: Session, match_id: int, person_id: str) -> SittingSeat | None:
    """Where a person sits."""
    query = select(SittingSeat).where(
        SittingSeat.match_id == match_id, SittingSeat.person_id == person_id
    )
    return session.exec(query).one_or_none()


def leave(session: Session, match_id: int, seat: int) -> None:
    """A person gets up."""
    change = sa.update(SittingSeat).where(
        col(SittingSeat.match_id) == match_id,
        col(SittingSeat.seat) == seat,
        col(SittingSeat.left_at).is_(None),
    )
    session.exec(change.values(left_at=db_time()))


def assist(session: Session, match_id: int) -> None:
    """A person takes a hint: from now on the game counts as assisted and changes no rating."""
    change = sa.update(Sitting).where(col(Sitting.match_id) == match_id)
    session.exec(change.values(assisted=True))


def share(session: Session, match_id: int) -> None:
    """Let others see the replay."""
    locked(session, Sitting, match_id).shared = True
    session.flush()


def see(session: Session, match_id: int, seat: int) -> None:
    """The browser of a person has been heard of."""
    change = sa.update(SittingSeat).where(
        col(SittingSeat.match_id) == match_id, col(SittingSeat.seat) == seat
    )
    session.exec(change.values(seen_at=db_time()))


def have_left(session: Session, match_id: int) -> set[int]:
    """The seats whose people have got up."""
    query = select(SittingSeat.seat).where(
        SittingSeat.match_id == match_id, col(SittingSeat.left_at).is_not(None)
    )
    return set(session.exec(query).all())
