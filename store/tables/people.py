"""Accounts and what belongs to them: sign-ins and where from, invitations, tokens, inbox; also
the audit log."""

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Field

from api_models.states import InvitationKind, Role
from store.columns import Json, JsonDict, UtcTime, enum_field, utc_now
from store.tables.base import Row


class Owner(Row, table=True):
    """An account; it owns bots."""

    __tablename__ = "owners"
    id: int = Field(default=None, primary_key=True)
    handle: str = Field(max_length=40, unique=True)
    """Lower case, part of addresses and of bot names (`handle/bot`)."""
    name: str = Field(default="", max_length=100)
    password_hash: str | None = Field(default=None, repr=False)
    """None: the account cannot sign in by password (house accounts, links)."""
    role: Role = enum_field(Role, Role.AUTHOR)
    is_house: bool = False
    """The league's own account, owner of the anchor bots."""
    webhook: str | None = None
    disabled_at: datetime | None = Field(default=None, sa_type=UtcTime)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class SignIn(Row, table=True):
    """One browser in which an owner is signed in."""

    __tablename__ = "sign_ins"
    id: int = Field(default=None, primary_key=True)
    owner_id: int = Field(foreign_key="owners.id", index=True)
    secret_hash: str = Field(max_length=64, unique=True, repr=False)
    agent: str = Field(default="", max_length=200)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    seen_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    expires_at: datetime = Field(sa_type=UtcTime)


class SeenAddress(Row, table=True):
    """An address from which an owner has signed in, as a keyed hash; it outlives the sign-in."""

    __tablename__ = "seen_addresses"
    owner_id: int = Field(foreign_key="owners.id", primary_key=True)
    address_mac: str = Field(max_length=64, primary_key=True, index=True)
    times: int = 1
    first_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    last_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class Invitation(Row, table=True):
    """A link that works once."""

    __tablename__ = "invitations"
    id: int = Field(default=None, primary_key=True)
    kind: InvitationKind = enum_field(InvitationKind)
    secret_hash: str = Field(max_length=64, unique=True, repr=False)
    owner_id: int | None = Field(default=None, foreign_key="owners.id", index=True)
    """Whose password it resets, if that is what it is for."""
    role: Role = enum_field(Role, Role.AUTHOR)
    note: str = ""
    invited_by_id: int | None = Field(default=None, foreign_key="owners.id")
    used_by_id: int | None = Field(default=None, foreign_key="owners.id")
    used_at: datetime | None = Field(default=None, sa_type=UtcTime)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    expires_at: datetime = Field(sa_type=UtcTime)


class Token(Row, table=True):
    """A key to the API, shown once and stored as a hash."""

    __tablename__ = "tokens"
    id: int = Field(default=None, primary_key=True)
    owner_id: int = Field(foreign_key="owners.id", index=True)
    name: str = Field(max_length=100)
    prefix: str = Field(max_length=12)
    """The first characters, so that an owner can tell tokens apart."""
    secret_hash: str = Field(max_length=64, unique=True, repr=False)
    scopes: list[str] = Field(default_factory=list, sa_type=Json, nullable=False)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    last_used_at: datetime | None = Field(default=None, sa_type=UtcTime)
    expires_at: datetime | None = Field(default=None, sa_type=UtcTime)
    revoked_at: datetime | None = Field(default=None, sa_type=UtcTime)


class InboxMessage(Row, table=True):
    """Something an owner is told."""

    __tablename__ = "inbox"
    __table_args__ = (sa.Index("ix_inbox_owner_id_id", "owner_id", "id"),)
    id: int = Field(default=None, primary_key=True)
    owner_id: int = Field(foreign_key="owners.id")
    kind: str = Field(max_length=40)
    title: str = Field(max_length=200)
    body: str = ""
    link: str | None = None
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    read_at: datetime | None = Field(default=None, sa_type=UtcTime)


class AuditEntry(Row, table=True):
    """Who did what to what, and why; rows are only ever added."""

    __tablename__ = "audit_log"
    __table_args__ = (sa.Index("ix_audit_log_subject_id", "subject", "subject_id", "id"),)
    id: int = Field(default=None, primary_key=True)
    at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    actor_id: int | None = Field(default=None, foreign_key="owners.id")
    actor: str = Field(max_length=100)
    """The handle at that time, or the name of the part of the league that acted."""
    action: str = Field(max_length=60)
    subject: str = Field(max_length=40)
    subject_id: int | None = None
    reason: str = ""
    detail: JsonDict = Field(default_factory=dict, sa_type=Json, nullable=False)


class Setting(Row, table=True):
    """A choice of the organiser that outlives a restart."""

    __tablename__ = "settings"
    key: str = Field(primary_key=True, max_length=60)
    value: JsonDict = Field(default_factory=dict, sa_type=Json, nullable=False)
    changed_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
