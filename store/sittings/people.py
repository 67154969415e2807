"""People at tables, with an account or without one."""

import secrets

from sqlmodel import Session, col, select

from store.engine import locked
from store.tables import Person, SittingFrame, SittingSeat

PERSON_BYTES = 15
PERSON_BOT = "person"
"""The platform bot whose one version stands in the seat of every person."""


def add_person(session: Session, owner_id: int | None = None) -> Person:
    """Add a person: a guest, or the owner of an account who plays for the first time."""
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
