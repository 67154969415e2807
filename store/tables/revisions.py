"""What the database itself keeps about changes; `store.revisions` says how."""

import sqlalchemy as sa
from sqlmodel import Field

from store.tables.base import Row


class Revision(Row, table=True):
    """The token of a topic: whatever changes the topic gives it another one."""

    __tablename__ = "revisions"
    __table_args__ = ({"info": {"backed_up": False}},)
    topic: str = Field(primary_key=True, max_length=40)
    lane: int = Field(primary_key=True)
    """Writers at the same time use different lanes, so that none waits for another."""
    token: int = Field(sa_type=sa.BigInteger)
    """Random and never a count: a database that was restored must not come to an old number."""
