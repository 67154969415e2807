"""Seasons, ladders and their entries, rating scales, version gates, workers."""

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Field

from api_models.states import EntryState, GateState, LadderState, SeasonState, WorkerState
from store.columns import Json, JsonDict, UtcTime, enum_field, utc_now
from store.tables.base import Row


class Season(Row, table=True):
    """A round robin with an end."""

    __tablename__ = "seasons"
    id: int = Field(default=None, primary_key=True)
    name: str = Field(max_length=60, unique=True)
    """Lower case, part of addresses."""
    title: str = ""
    about: str = ""
    state: SeasonState = enum_field(SeasonState, SeasonState.DRAFT)
    rules: str = Field(max_length=40)
    options: JsonDict = Field(default_factory=dict, sa_type=Json, nullable=False)
    table_size: int
    boards: int
    passes: int = 1
    """1, or the table size in duplicate form."""
    time: JsonDict = Field(default_factory=dict, sa_type=Json, nullable=False)
    """The time control: `move_ms`, `bank_ms`."""
    in_flight: int | None = None
    max_faults: int = 3
    budget: JsonDict = Field(default_factory=dict, sa_type=Json, nullable=False)
    """What may be spent: meetings, and of an adaptive season its places and matches."""
    rehearsal_of_id: int | None = Field(default=None, foreign_key="seasons.id", index=True)
    """The season that this one rehearses; None: it is a season of its own."""
    reported: bool = False
    """Of a rehearsal: no command waits for its end, so the clock keeps what it found."""
    verdict: JsonDict | None = Field(default=None, sa_type=Json)
    """Of an adaptive season: what is settled and what is still open."""
    rehearsed: JsonDict | None = Field(default=None, sa_type=Json)
    """What its last rehearsal found, until it is played differently."""
    opens_at: datetime | None = Field(default=None, sa_type=UtcTime)
    freezes_at: datetime | None = Field(default=None, sa_type=UtcTime)
    starts_at: datetime | None = Field(default=None, sa_type=UtcTime)
    ends_at: datetime | None = Field(default=None, sa_type=UtcTime)
    frozen_at: datetime | None = Field(default=None, sa_type=UtcTime)
    started_at: datetime | None = Field(default=None, sa_type=UtcTime)
    finished_at: datetime | None = Field(default=None, sa_type=UtcTime)
    commitment: str | None = None
    """Hash over the commitments of all matches in order, published at the freeze."""
    balance: JsonDict | None = Field(default=None, sa_type=Json)
    """The balance report of the schedule."""
    standings: JsonDict | None = Field(default=None, sa_type=Json)
    """The last computed standings, ready for pages; derived, never the truth."""
    standings_at: datetime | None = Field(default=None, sa_type=UtcTime)
    created_by_id: int | None = Field(default=None, foreign_key="owners.id")
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)

    @property
    def is_rehearsal(self) -> bool:
        """Whether it only tries out another season; only organisers see it."""
        return self.rehearsal_of_id is not None

    @property
    def told_budget(self) -> JsonDict:
        """The budget as API and archives show it, with facts that used to be kept in it."""
        shown: JsonDict = dict(self.budget)
        if self.rehearsal_of_id is not None:
            shown |= {"rehearsal": self.rehearsal_of_id, "reported": self.reported}
        return shown if self.verdict is None else {**shown, "verdict": self.verdict}


class Entry(Row, table=True):
    """A bot in a season; its version is pinned at the freeze."""

    __tablename__ = "entries"
    __table_args__ = (sa.UniqueConstraint("season_id", "bot_id"),)
    id: int = Field(default=None, primary_key=True)
    season_id: int = Field(foreign_key="seasons.id")
    bot_id: int = Field(foreign_key="bots.id", index=True)
    version_id: int | None = Field(default=None, foreign_key="versions.id", index=True)
    state: EntryState = enum_field(EntryState, EntryState.ENTERED)
    is_anchor: bool = False
    """Fills tables and holds the scale; it has no place in the standings."""
    reason: str = ""
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    left_at: datetime | None = Field(default=None, sa_type=UtcTime)


class Scale(Row, table=True):
    """One rating scale: rules, options and table size; each ladder and each season has its own."""

    __tablename__ = "scales"
    id: int = Field(default=None, primary_key=True)
    key: str = Field(unique=True)
    """Canonical text of what identifies the scale, from `scale_key`."""
    season_id: int | None = Field(default=None, foreign_key="seasons.id", unique=True)
    """The season it belongs to; None: it is a ladder's."""
    rules: str = Field(max_length=40)
    options: JsonDict = Field(default_factory=dict, sa_type=Json, nullable=False)
    table_size: int
    progress: JsonDict = Field(default_factory=dict, sa_type=Json, nullable=False)
    """Up to where the ratings have taken the blocks in; the league's own words."""
    standings: JsonDict | None = Field(default=None, sa_type=Json)
    """The last computed standings, ready for pages; derived, never the truth."""
    standings_at: datetime | None = Field(default=None, sa_type=UtcTime)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class Ladder(Row, table=True):
    """A competition without an end; what it says of strength is on its scale, which has its id."""

    __tablename__ = "ladders"
    id: int = Field(primary_key=True, foreign_key="scales.id")
    title: str = Field(default="", max_length=100)
    """What pages call it; empty: its rules and table size."""
    state: LadderState = enum_field(LadderState, LadderState.CLOSED)
    rules: str = Field(max_length=40)
    options: JsonDict = Field(default_factory=dict, sa_type=Json, nullable=False)
    table_size: int
    boards: int
    passes: int = 1
    time: JsonDict = Field(default_factory=dict, sa_type=Json, nullable=False)
    longest_wait: float | None = None
    """The promise in seconds; None: what the fleet can hold, computed from the field."""
    cap: int = 2
    """Matches that one bot may have queued or running."""
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)

    @property
    def is_open(self) -> bool:
        """Whether new matches are made."""
        return self.state is LadderState.OPEN


class LadderEntry(Row, table=True):
    """What was decided on a bot in a ladder. Bots without one play on every ladder of their rules;
    platform bots without one fill tables."""

    __tablename__ = "ladder_entries"
    ladder_id: int = Field(foreign_key="ladders.id", primary_key=True)
    bot_id: int = Field(foreign_key="bots.id", primary_key=True, index=True)
    state: EntryState = enum_field(EntryState, EntryState.ENTERED)
    is_anchor: bool = False
    """A platform bot that competes for no place."""
    reason: str = ""
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    left_at: datetime | None = Field(default=None, sa_type=UtcTime)


class Rating(Row, table=True):
    """What a scale says of a version now; derived from blocks and recomputable."""

    __tablename__ = "ratings"
    __table_args__ = (sa.Index("ix_ratings_scale_id_official", "scale_id", "official"),)
    scale_id: int = Field(foreign_key="scales.id", primary_key=True)
    version_id: int = Field(foreign_key="versions.id", primary_key=True, index=True)
    live: float = 1500.0
    """Live Elo."""
    blocks: int = 0
    games: int = 0
    provisional: bool = True
    official: float | None = None
    low: float | None = None
    high: float | None = None
    """The ends of the official rating's 95 % interval."""
    settled: bool = False
    stats: JsonDict = Field(default_factory=dict, sa_type=Json, nullable=False)
    """Everything else that standings show."""
    changed_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class RatingPoint(Row, table=True):
    """One point of a rating history."""

    __tablename__ = "rating_points"
    __table_args__ = (
        sa.Index("ix_rating_points_scale_id_version_id_id", "scale_id", "version_id", "id"),
    )
    id: int = Field(default=None, primary_key=True)
    scale_id: int = Field(foreign_key="scales.id")
    version_id: int = Field(foreign_key="versions.id")
    match_id: int | None = Field(default=None, foreign_key="matches.id")
    at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    blocks: int = 0
    live: float | None = None
    official: float | None = None
    low: float | None = None
    high: float | None = None


class Gate(Row, table=True):
    """A sequential comparison of a new version with the old one."""

    __tablename__ = "gates"
    id: int = Field(default=None, primary_key=True)
    owner_id: int = Field(foreign_key="owners.id", index=True)
    ladder_id: int = Field(foreign_key="ladders.id", index=True)
    """Where it is played."""
    new_version_id: int = Field(foreign_key="versions.id", index=True)
    old_version_id: int = Field(foreign_key="versions.id")
    rules: str = Field(max_length=40)
    options: JsonDict = Field(default_factory=dict, sa_type=Json, nullable=False)
    table_size: int
    state: GateState = enum_field(GateState, GateState.PLAYING)
    settings: JsonDict = Field(default_factory=dict, sa_type=Json, nullable=False)
    report: JsonDict | None = Field(default=None, sa_type=Json)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    finished_at: datetime | None = Field(default=None, sa_type=UtcTime)


class Worker(Row, table=True):
    """A worker process and its last sign of life."""

    __tablename__ = "workers"
    name: str = Field(primary_key=True, max_length=100)
    state: WorkerState = enum_field(WorkerState, WorkerState.UP)
    host: str = ""
    pid: int | None = None
    slots: int = 1
    busy: int = 0
    queues: list[str] = Field(default_factory=list, sa_type=Json, nullable=False)
    detail: JsonDict = Field(default_factory=dict, sa_type=Json, nullable=False)
    started_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    heartbeat_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime, index=True)
    """By the database's clock."""
