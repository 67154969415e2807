"""Bots, their versions, and the submissions that versions come from."""

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Field

from api_models.states import SubmissionKind, SubmissionState, VersionState
from store.columns import Json, JsonDict, UtcTime, enum_field, utc_now
from store.tables.base import Row


class Bot(Row, table=True):
    """A named entrant of an owner."""

    __tablename__ = "bots"
    __table_args__ = (sa.UniqueConstraint("owner_id", "name"),)
    id: int = Field(default=None, primary_key=True)
    owner_id: int = Field(foreign_key="owners.id")
    name: str = Field(max_length=40)
    about: str = ""
    rules: list[str] = Field(default_factory=list, sa_type=Json, nullable=False)
    """The names of the rules it plays."""
    is_anchor: bool = Field(default=False, index=True)
    """A frozen sample that fixes the rating scale and fills tables."""
    current_version: int | None = None
    """The number of the version that plays and ranks; roll-back changes it."""
    friendlies: bool = True
    """Whether other owners may ask for friendly matches against it."""
    suspended_at: datetime | None = Field(default=None, sa_type=UtcTime)
    suspended_why: str | None = None
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class Version(Row, table=True):
    """One submitted, immutable build of a bot."""

    __tablename__ = "versions"
    __table_args__ = (sa.UniqueConstraint("bot_id", "number"),)
    id: int = Field(default=None, primary_key=True)
    bot_id: int = Field(foreign_key="bots.id")
    number: int
    state: VersionState = enum_field(VersionState, VersionState.CHECKING)
    image: str | None = None
    """`sha256:…` of the image; None for a program."""
    program: list[str] | None = Field(default=None, sa_type=Json)
    """The command line of a trusted local program; None for an image."""
    fingerprint: str | None = Field(default=None, index=True)
    """Hash of the flattened files and the command: equal ones are one entrant."""
    gate_due: bool = Field(default=False, index=True)
    """Accepted, and its required gate is still to be opened."""
    gate_wait: str = ""
    """Why that gate cannot begin, as its author was told; empty: it begins in a moment."""
    report: JsonDict | None = Field(default=None, sa_type=Json)
    log: str = Field(default="", repr=False)
    note: str = ""
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    accepted_at: datetime | None = Field(default=None, sa_type=UtcTime)


class Submission(Row, table=True):
    """What an owner submitted, on its way to a version."""

    __tablename__ = "submissions"
    __table_args__ = (
        sa.UniqueConstraint("owner_id", "idempotency_key"),
        sa.Index("ix_submissions_state_id", "state", "id"),
        sa.Index("ix_submissions_owner_id_id", "owner_id", "id"),
    )
    id: int = Field(default=None, primary_key=True)
    owner_id: int = Field(foreign_key="owners.id")
    bot_id: int = Field(foreign_key="bots.id", index=True)
    version_id: int | None = Field(default=None, foreign_key="versions.id", index=True)
    kind: SubmissionKind = enum_field(SubmissionKind)
    state: SubmissionState = enum_field(SubmissionState, SubmissionState.RECEIVED)
    source: str
    """The stored upload, the image reference or the program, by kind."""
    size: int = 0
    detail: JsonDict = Field(default_factory=dict, sa_type=Json, nullable=False)
    report: JsonDict | None = Field(default=None, sa_type=Json)
    log: str = Field(default="", repr=False)
    idempotency_key: str | None = Field(default=None, max_length=100)
    tries: int = 0
    worker: str | None = None
    token: str | None = Field(default=None, max_length=40)
    lease_until: datetime | None = Field(default=None, sa_type=UtcTime)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    finished_at: datetime | None = Field(default=None, sa_type=UtcTime)
