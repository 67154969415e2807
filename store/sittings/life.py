"""The life of a table: it is opened, people sit down, it begins, is played and ends."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, col, select

from api_models.states import MatchState, SittingState
from store import matches
from store.columns import JsonDict, db_time
from store.engine import database_time, locked, present
from store.errors import Conflict
from store.records import Doorbell, NewMatch
from store.sittings.seating import free_seats, seat_of
from store.tables import Match, Person, Seat, Sitting, SittingSeat, Version

CODE_BYTES = 15
OPEN = [state for state in SittingState if state.is_open]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSeat:
    """A seat of a table that is being opened."""

    name: str
    """Of the bot; of a person what the others read."""
    for_person: bool = False
    person_id: str | None = None
    name_shown: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTable:
    """A table that is being opened; its seats are those of the match, in order."""

    match: NewMatch
    seats: tuple[NewSeat, ...]
    creator_id: str
    address_hash: str
    move_ms: int
    one_round: bool = False
    ratable: bool = True
    source: JsonDict | None = None
    memory: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTables:
    """How many tables are open now."""

    of_person: int
    of_address: int
    of_league: int


def count_open(session: Session, person_id: str, address_hash: str) -> OpenTables:
    """The open tables of a person, of an address and of the league."""
    is_open = col(Sitting.state).in_(OPEN)

    def count(*conditions: sa.ColumnElement[bool]) -> int:
        query = select(sa.func.count()).select_from(Sitting).where(is_open, *conditions)
        return int(session.exec(query).one())

    return OpenTables(
        of_person=count(col(Sitting.creator_id) == person_id),
        of_address=count(col(Sitting.address_hash) == address_hash),
        of_league=count(),
    )


def open_table(session: Session, new: NewTable) -> tuple[Sitting, Doorbell | None]:
    """Add a table; one that waits for no other person is queued at once, and rung for.

    Whoever opens several at once is counted: the row of the person is locked.
    """
    locked(session, Person, new.creator_id)
    awaited = any(seat.for_person and seat.person_id is None for seat in new.seats)
    bell: Doorbell | None = None
    if awaited:
        [match_id] = matches.plan(session, [new.match])
    else:
        [bell] = matches.queue(session, [new.match])
        match_id = bell.match_id
    sitting = Sitting(
        match_id=match_id,
        code=secrets.token_urlsafe(CODE_BYTES),
        creator_id=new.creator_id,
        address_hash=new.address_hash,
        state=SittingState.LOBBY if awaited else SittingState.WAITING,
        one_round=new.one_round,
        ratable=new.ratable,
        source=new.source,
        move_ms=new.move_ms,
        memory=new.memory,
    )
    session.add(sitting)
    now = database_time(session)
    for number, seat in enumerate(new.seats):
        session.add(
            SittingSeat(
                match_id=match_id,
                seat=number,
                for_person=seat.for_person,
                person_id=seat.person_id,
                name=seat.name,
                name_shown=seat.name_shown,
                seen_at=None if seat.person_id is None else now,
            )
        )
    session.flush()
    return sitting, bell


def by_code(session: Session, code: str) -> Sitting | None:
    """The table at an address."""
    return session.exec(select(Sitting).where(Sitting.code == code)).one_or_none()


def join(
    session: Session, match_id: int, person_id: str, name: str, *, name_shown: bool = False
) -> SittingSeat:
    """Sit down at a table that waits for people; whoever sits there already stays.

    Raises Conflict when nobody is awaited any more.
    """
    # The match first, as all who change a table do: the last to come begins it at once.
    locked(session, Match, match_id)
    sitting = locked(session, Sitting, match_id)
    own = seat_of(session, match_id, person_id)
    if own is not None:
        return own
    free = free_seats(session, match_id)
    if sitting.state is not SittingState.LOBBY or not free:
        raise Conflict("got a table where no seat is free for you; open one of your own")
    seat = free[0]
    seat.person_id, seat.name, seat.name_shown = person_id, name, name_shown
    seat.seen_at = database_time(session)
    session.flush()
    return seat


def begin(session: Session, match_id: int, bots: Sequence[tuple[str, int]] = ()) -> Doorbell:
    """Queue a table out of its lobby; bots, by name and version, take the seats still free."""
    locked(session, Match, match_id)
    sitting = locked(session, Sitting, match_id)
    if sitting.state is not SittingState.LOBBY:
        raise Conflict(f"got a table that is {sitting.state}, expected one in its lobby")
    for seat, (name, version_id) in zip(free_seats(session, match_id), bots, strict=True):
        version = present(session, Version, version_id)
        seat.for_person, seat.name = False, name
        row = present(session, Seat, (match_id, seat.seat))
        row.version_id, row.bot_id = version.id, version.bot_id
    sitting.state = SittingState.WAITING
    session.flush()
    [bell] = matches.publish(session, [match_id])
    return bell


def finish(session: Session, match_id: int) -> None:
    """The game was played; its result is stored in the same transaction."""
    _end(session, match_id, SittingState.OVER)


def close(session: Session, match_id: int, why: str) -> bool:
    """End a table without a result; False: it had ended before."""
    locked(session, Match, match_id)
    if not _end(session, match_id, SittingState.CLOSED, why):
        return False
    matches.cancel(session, match_id, why)
    return True


def _end(session: Session, match_id: int, state: SittingState, why: str = "") -> bool:
    change = (
        sa.update(Sitting)
        .where(col(Sitting.match_id) == match_id, col(Sitting.state).in_(OPEN))
        .values(state=state, closed_why=why, finished_at=db_time())
    )
    return bool(session.exec(change).rowcount)


def abandoned(session: Session, seconds: float) -> list[int]:
    """Tables that wait, for people or for a worker, and have heard from none of their people for
    so long; one whose worker died may wait for good."""
    waits = sa.or_(
        col(Sitting.state).in_((SittingState.LOBBY, SittingState.WAITING)),
        sa.and_(col(Sitting.state) == SittingState.PLAYING, col(Match.state) == MatchState.QUEUED),
    )
    here = (
        sa.select(col(SittingSeat.match_id))
        .where(
            col(SittingSeat.match_id) == col(Sitting.match_id),
            col(SittingSeat.seen_at) >= db_time(-seconds),
        )
        .exists()
    )
    query = (
        select(Sitting.match_id)
        .join(Match, col(Match.id) == col(Sitting.match_id))
        .where(waits, ~here)
    )
    return list(session.exec(query).all())


def open_of(session: Session, person_id: str) -> list[Sitting]:
    """The open tables at which a person sits, newest first."""
    query = (
        select(Sitting)
        .join(SittingSeat, col(SittingSeat.match_id) == col(Sitting.match_id))
        .where(
            SittingSeat.person_id == person_id,
            col(SittingSeat.left_at).is_(None),
            col(Sitting.state).in_(OPEN),
        )
        .order_by(col(Sitting.match_id).desc())
    )
    return list(session.exec(query).all())


def ahead_of(session: Session, match_id: int) -> int:
    """How many tables are before this one in the queue."""
    query = (
        select(sa.func.count())
        .select_from(Sitting)
        .where(col(Sitting.state) == SittingState.WAITING, col(Sitting.match_id) < match_id)
    )
    return int(session.exec(query).one())
