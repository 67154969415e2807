"""The log of changes: what a reader that keeps rows in memory has to read again."""

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Field

from store.columns import UtcTime
from store.tables.base import Row


class Change(Row, table=True):
    """A row was changed that ladders are drawn from; written by triggers of the database.

    It is no part of the league's memory: backups leave it out, and old rows are removed.
    """

    __tablename__ = "changes"
    __table_args__ = ({"info": {"backed_up": False}, "sqlite_autoincrement": True},)
    id: int = Field(
        default=None,
        sa_column=sa.Column(sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True),
    )
    topic: str = Field(max_length=10)
    """What was changed; the members of `store.changes.Topic`."""
    key: int
    """The id of the row it is about."""
    scale_id: int | None = None
    """The ladder that it concerns; None: any may be."""
    txid: int = Field(sa_column=sa.Column(sa.BigInteger(), nullable=False, index=True))
    """PostgreSQL: the transaction that made the change. SQLite, where writers take turns: 0."""
    at: datetime = Field(sa_type=UtcTime)
