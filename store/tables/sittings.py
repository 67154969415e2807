"""People at tables: who they are, where they sit, what they were shown and what they chose."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field

from api_models.states import ChoiceBy, SittingState
from store.columns import Json, JsonDict, UtcTime, enum_field, utc_now
from store.tables.base import Row


class Person(Row, table=True):
    """A person who plays: a guest known by a cookie, or the owner of an account."""

    __tablename__ = "people"
    id: str = Field(primary_key=True, max_length=40)
    """Random, and the only thing in the cookie beside its signature."""
    owner_id: int | None = Field(default=None, foreign_key="owners.id", unique=True)
    """The account; None: a guest."""
    name: str = Field(default="", max_length=40)
    name_shown: bool = False
    """Whether this person agreed to be named on pages."""
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class Sitting(Row, table=True):
    """One game at a table with at least one person; it is played as a match."""

    __tablename__ = "sittings"
    __table_args__ = (
        sa.Index("ix_sittings_creator_id_state", "creator_id", "state"),
        sa.Index("ix_sittings_state_address_hash", "state", "address_hash"),
    )
    match_id: int = Field(foreign_key="matches.id", primary_key=True)
    code: str = Field(max_length=40, unique=True)
    """In its address: whoever knows it may ask to sit down."""
    creator_id: str = Field(foreign_key="people.id", max_length=40)
    address_hash: str = Field(default="", max_length=64)
    """The address of whoever opened it, as a keyed hash; for limits alone."""
    state: SittingState = enum_field(SittingState)
    one_round: bool = False
    assisted: bool = False
    """Whether anybody had hints: from then on it counts as assisted."""
    ratable: bool = True
    """False: somebody knew the board, so it says nothing about skill."""
    source: JsonDict | None = Field(default=None, sa_type=Json)
    """`{match, pass, game_no, seat}` of the game whose board it is; None: a fresh board."""
    shared: bool = False
    """Whether others may see its replay."""
    move_ms: int
    """How long a person may think about one ask."""
    memory: int | None = Field(default=None, sa_type=sa.BigInteger)
    """The most memory that its bots may use together, in bytes; None: not limited."""
    closed_why: str = ""
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    finished_at: datetime | None = Field(default=None, sa_type=UtcTime)


class SittingSeat(Row, table=True):
    """One seat of a table: a person, one who is still awaited, or a bot."""

    __tablename__ = "sitting_seats"
    __table_args__ = (sa.Index("ix_sitting_seats_person_id", "person_id"),)
    match_id: int = Field(foreign_key="matches.id", primary_key=True)
    seat: int = Field(primary_key=True)
    for_person: bool = False
    person_id: str | None = Field(default=None, foreign_key="people.id", max_length=40)
    """None: a bot, or a person who has not come yet."""
    name: str = Field(default="", max_length=100)
    """What the others at the table read; for a bot its full name."""
    name_shown: bool = False
    seen_at: datetime | None = Field(default=None, sa_type=UtcTime)
    """When this person's browser was last heard of."""
    left_at: datetime | None = Field(default=None, sa_type=UtcTime)


class SittingFrame(Row, table=True):
    """Something that one seat was sent."""

    __tablename__ = "sitting_frames"
    match_id: int = Field(foreign_key="matches.id", primary_key=True)
    seat: int = Field(primary_key=True)
    number: int = Field(primary_key=True)
    """From 1, for each seat, going on from attempt to attempt."""
    data: JsonDict = Field(sa_type=Json, nullable=False)
    at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class SittingChoice(Row, table=True):
    """What was chosen at one ask of one person: once, however often it is sent."""

    __tablename__ = "sitting_choices"
    match_id: int = Field(foreign_key="matches.id", primary_key=True)
    seat: int = Field(primary_key=True)
    ask_no: int = Field(primary_key=True)
    """From 1, for each seat."""
    choice: Any = Field(sa_type=Json, nullable=False)
    """As replays write it."""
    by: ChoiceBy = enum_field(ChoiceBy)
    at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class SittingDecision(Row, table=True):
    """A decision of any seat as its referee recorded it: where another attempt goes on."""

    __tablename__ = "sitting_decisions"
    match_id: int = Field(foreign_key="matches.id", primary_key=True)
    number: int = Field(primary_key=True)
    """From 1, in the order of deciding."""
    data: JsonDict = Field(sa_type=Json, nullable=False)
