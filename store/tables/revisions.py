"""What the database itself keeps about changes; `store.revisions` says how."""

import sqlalchemy as sa
from sqlmodel import Field

from api_models.states import MatchState
from store.columns import enum_field
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


class SeasonCount(Row, table=True):
    """How many matches of a season are in a state and count or not, or a part of that number."""

    __tablename__ = "season_counts"
    __table_args__ = ({"info": {"backed_up": False}},)
    season_id: int = Field(primary_key=True)
    """Not a foreign key: of a season that is deleted the numbers stay, and are zero."""
    state: MatchState = enum_field(MatchState, primary_key=True)
    rated: bool = Field(primary_key=True)
    lane: int = Field(primary_key=True)
    """As for tokens; the number is the sum over the lanes."""
    matches: int
    """Of one lane alone; may be below zero."""
