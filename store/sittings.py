"""Tables with people: who sits where, what each seat was sent, and what was chosen there.

How they are played is the matter of their match. The worker that holds the match adds frames and
decisions, the pages add choices; a choice stands from the moment it is stored.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, col, select

from api_models.states import ChoiceBy, MatchState, SittingState
from store import matches
from store.columns import JsonDict, db_time, utc_now
from store.engine import database_time, locked, present
from store.errors import Conflict, StoreError
from store.records import Doorbell, NewMatch
from store.tables import (
    Match,
    Person,
    Seat,
    Sitting,
    SittingChoice,
    SittingDecision,
    SittingFrame,
    SittingSeat,
    Version,
)

CODE_BYTES = 15
PERSON_BYTES = 15
PERSON_BOT = "person"
"""The platform bot whose one version stands in the seat of every person."""
OPEN = [state for state in SittingState if state.is_open]


class NotHeld(StoreError):
    """The worker no longer holds the table: another one goes on with it."""


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


# People.


def add_person(session: Session, owner_id: int | None = None) -> Person:
    """Somebody new."""
    person = Person(id=secrets.token_urlsafe(PERSON_BYTES), owner_id=owner_id)
    session.add(person)
    session.flush()
    return person


def find_person(session: Session, person_id: str) -> Person | None:
    """The person of a cookie."""
    return session.get(Person, person_id)


def person_of(session: Session, owner_id: int) -> Person | None:
    """The person of an account."""
    return session.exec(select(Person).where(Person.owner_id == owner_id)).one_or_none()


def attach(session: Session, person_id: str, owner_id: int) -> Person:
    """The guest of this cookie has signed in: from now on the account's person.

    An account that played before keeps the person it had.
    """
    known = person_of(session, owner_id)
    if known is not None:
        return known
    person = locked(session, Person, person_id)
    if person.owner_id is not None:
        return add_person(session, owner_id)
    person.owner_id = owner_id
    session.flush()
    return person


def forget_name(session: Session, person_id: str, instead: str) -> None:
    """Write another word wherever people at a table, or readers of its replay, see this name."""
    query = select(SittingSeat).where(SittingSeat.person_id == person_id)
    own = {seat.match_id: seat for seat in session.exec(query)}
    for seat in own.values():
        seat.name = instead
    # The first frame says who plays.
    sent = select(SittingFrame).where(
        col(SittingFrame.match_id).in_(list(own)), SittingFrame.number == 1
    )
    for frame in session.exec(sent):
        players = frame.data.get("players")
        if isinstance(players, list):
            number = own[frame.match_id].seat
            named = [{**one, "name": instead} if one["seat"] == number else one for one in players]
            frame.data = {**frame.data, "players": named}
    session.flush()


# Opening, sitting down, beginning.


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


def seats(session: Session, match_id: int) -> list[SittingSeat]:
    """The seats of a table, in order."""
    query = select(SittingSeat).where(SittingSeat.match_id == match_id)
    return list(session.exec(query.order_by(col(SittingSeat.seat))).all())


def seat_of(session: Session, match_id: int, person_id: str) -> SittingSeat | None:
    """Where a person sits."""
    query = select(SittingSeat).where(
        SittingSeat.match_id == match_id, SittingSeat.person_id == person_id
    )
    return session.exec(query).one_or_none()


def join(
    session: Session, match_id: int, person_id: str, name: str, *, name_shown: bool = False
) -> SittingSeat:
    """Sit down at a table that waits for people; whoever sits there already stays.

    Raises Conflict when nobody is awaited any more.
    """
    sitting = locked(session, Sitting, match_id)
    own = seat_of(session, match_id, person_id)
    if own is not None:
        return own
    free = [seat for seat in seats(session, match_id) if seat.for_person and seat.person_id is None]
    if sitting.state is not SittingState.LOBBY or not free:
        raise Conflict("got a table where no seat is free for you; open one of your own")
    seat = free[0]
    seat.person_id, seat.name, seat.name_shown = person_id, name, name_shown
    seat.seen_at = database_time(session)
    session.flush()
    return seat


def begin(session: Session, match_id: int, version_id: int, bot: str) -> Doorbell:
    """Queue a table out of its lobby; a bot takes every seat that is still free."""
    locked(session, Match, match_id)
    sitting = locked(session, Sitting, match_id)
    if sitting.state is not SittingState.LOBBY:
        raise Conflict(f"got a table that is {sitting.state}, expected one in its lobby")
    version = present(session, Version, version_id)
    for seat in seats(session, match_id):
        if seat.for_person and seat.person_id is None:
            seat.for_person, seat.name = False, bot
            row = present(session, Seat, (match_id, seat.seat))
            row.version_id, row.bot_id = version.id, version.bot_id
    sitting.state = SittingState.WAITING
    session.flush()
    [bell] = matches.publish(session, [match_id])
    return bell


# The end.


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
    """Tables that wait, for people or for a worker, and none of whose people was heard of for so
    long; one that was played on a worker that died may wait for good."""
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
        .where(SittingSeat.person_id == person_id, col(Sitting.state).in_(OPEN))
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


# Frames and decisions: what the worker that holds the table adds.


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


# Choices: what the pages add, and the worker reads.


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


def leave(session: Session, match_id: int, seat: int) -> None:
    """A person gets up."""
    change = sa.update(SittingSeat).where(
        col(SittingSeat.match_id) == match_id,
        col(SittingSeat.seat) == seat,
        col(SittingSeat.left_at).is_(None),
    )
    session.exec(change.values(left_at=db_time()))


def assist(session: Session, match_id: int) -> None:
    """Somebody takes a hint: from now on the game counts as assisted, and is rated for nobody."""
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
