"""Matches, the attempts to play them, and what they produced."""

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Field

from api_models.states import (
    AttemptState,
    BlobKind,
    MatchKind,
    MatchState,
    ReviewReason,
    ReviewState,
)
from store.columns import Json, JsonDict, UtcTime, enum_field, utc_now
from store.tables.base import Row


class Match(Row, table=True):
    """One scheduled unit: a table, rules, boards and passes. Its id is the order of creation."""

    __tablename__ = "matches"
    __table_args__ = (
        sa.Index("ix_matches_season_id_state_id", "season_id", "state", "id"),
        sa.Index("ix_matches_season_id_id", "season_id", "id"),
        # Counting the matches of a season by state reads this index and no row.
        sa.Index("ix_matches_season_id_state_rated", "season_id", "state", "rated"),
        sa.Index("ix_matches_scale_id_id", "scale_id", "id"),
        sa.Index("ix_matches_state_id", "state", "id"),
        sa.Index("ix_matches_state_finished_at", "state", "finished_at"),
    )
    id: int = Field(default=None, primary_key=True)
    kind: MatchKind = enum_field(MatchKind)
    state: MatchState = enum_field(MatchState, MatchState.PLANNED)
    season_id: int | None = Field(default=None, foreign_key="seasons.id")
    scale_id: int | None = Field(default=None, foreign_key="scales.id")
    """The scale that its blocks move; None: it is not rated."""
    gate_id: int | None = Field(default=None, foreign_key="gates.id", index=True)
    round_no: int | None = None
    """The round of the season's schedule."""
    rules: str = Field(max_length=40)
    options: JsonDict = Field(default_factory=dict, sa_type=Json, nullable=False)
    table_size: int
    boards: int
    passes: int = 1
    time: JsonDict = Field(default_factory=dict, sa_type=Json, nullable=False)
    in_flight: int | None = None
    max_faults: int = 3
    rated: bool = True
    """False: the result is kept but does not count (withdrawn, disqualified, struck out)."""
    rated_why: str = ""
    key: bytes = Field(sa_column=sa.Column(sa.LargeBinary, nullable=False), repr=False)
    """Secret until the match is done; see `public_key`."""
    commitment: str = Field(max_length=80)
    queue: str = Field(max_length=20)
    attempts: int = 0
    """How many attempts there have been; also the number of the latest."""
    failures: int = 0
    """How many came to nothing since the match was last put in the queue by hand."""
    token: str | None = Field(default=None, max_length=40, unique=True)
    """The fencing token of the running attempt, None when none runs."""
    worker: str | None = Field(default=None, max_length=100)
    lease_until: datetime | None = Field(default=None, sa_type=UtcTime, index=True)
    published_at: datetime | None = Field(default=None, sa_type=UtcTime)
    """Since when it has been waiting in the queue, by the database's clock."""
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    started_at: datetime | None = Field(default=None, sa_type=UtcTime)
    finished_at: datetime | None = Field(default=None, sa_type=UtcTime)
    seconds: float | None = None
    """How long the counted attempt took."""
    runner: str | None = Field(default=None, max_length=20)
    """In what the bots ran: `docker`, or `process`, which pages call uncontained."""


class Friendly(Row, table=True):
    """Who asked for a friendly match; the match itself has the kind `practice`."""

    __tablename__ = "friendlies"
    __table_args__ = (sa.Index("ix_friendlies_owner_id_match_id", "owner_id", "match_id"),)
    match_id: int = Field(foreign_key="matches.id", primary_key=True)
    owner_id: int = Field(foreign_key="owners.id")
    bot_id: int = Field(foreign_key="bots.id")
    """The bot that it is about: the owner's own, in seat 0."""
    shared: bool = False
    """Whether everyone with its address may see it."""
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class Attempt(Row, table=True):
    """One try at playing a match; the lease itself is on the match."""

    __tablename__ = "attempts"
    __table_args__ = (
        # At most one attempt of a match can be running, whatever the code does.
        sa.Index(
            "uq_attempts_running",
            "match_id",
            unique=True,
            sqlite_where=sa.text("state = 'running'"),
            postgresql_where=sa.text("state = 'running'"),
        ),
        sa.Index("ix_attempts_worker_state", "worker", "state"),
    )
    match_id: int = Field(foreign_key="matches.id", primary_key=True)
    number: int = Field(primary_key=True)
    token: str = Field(max_length=40, unique=True)
    state: AttemptState = enum_field(AttemptState, AttemptState.RUNNING)
    worker: str = Field(max_length=100)
    reason: str = ""
    """Why it is void or lost."""
    charged: bool = True
    """Whether a failure counts towards `stuck`; a drained worker's does not."""
    evidence: JsonDict | None = Field(default=None, sa_type=Json)
    started_at: datetime = Field(sa_type=UtcTime)
    heartbeat_at: datetime = Field(sa_type=UtcTime)
    finished_at: datetime | None = Field(default=None, sa_type=UtcTime)


class Seat(Row, table=True):
    """A bot at the table of a match; the number is its seat in the first game.

    The sums are over the games of the counted attempt and zero until the match is done.
    """

    __tablename__ = "seats"
    __table_args__ = (
        sa.Index("ix_seats_bot_id_match_id", "bot_id", "match_id"),
        sa.Index("ix_seats_version_id_match_id", "version_id", "match_id"),
    )
    match_id: int = Field(foreign_key="matches.id", primary_key=True)
    number: int = Field(primary_key=True)
    version_id: int = Field(foreign_key="versions.id")
    bot_id: int = Field(foreign_key="bots.id")
    substitute: bool = False
    """A platform bot in the seat of one that left: nothing in this seat counts for it."""
    games: int = 0
    rounds: int = 0
    points: float = 0.0
    places: float = 0.0
    """Sum of the places."""
    wins: float = 0.0
    """Games won, a shared first place split."""
    faults: int = 0
    out_games: int = 0
    decisions: int = 0
    think_ms: float = 0.0
    stats: JsonDict = Field(default_factory=dict, sa_type=Json, nullable=False)
    """Quantiles of think time, CPU time, peak memory and the like."""


class Game(Row, table=True):
    """The result of one game; its replay is a line of the match's blob."""

    __tablename__ = "games"
    match_id: int = Field(foreign_key="matches.id", primary_key=True)
    pass_no: int = Field(primary_key=True)
    game_no: int = Field(primary_key=True)
    board: int
    line: int
    """Which line of the replay blob it is, from 0."""
    seats: list[int] = Field(sa_type=Json, nullable=False)
    """Entry s: the number of the `Seat` row whose bot sat at seat s in this game."""
    points: list[int] = Field(sa_type=Json, nullable=False)
    """By seat, as played."""
    places: list[int] = Field(sa_type=Json, nullable=False)
    """By seat."""
    rounds: int = 1
    out: list[int] = Field(default_factory=list, sa_type=Json, nullable=False)
    """The seats that were out."""


class Block(Row, table=True):
    """The unit of statistics: games in which every bot has had every seat."""

    __tablename__ = "blocks"
    __table_args__ = (sa.Index("ix_blocks_scale_id", "scale_id", "match_id", "number"),)
    match_id: int = Field(foreign_key="matches.id", primary_key=True)
    number: int = Field(primary_key=True)
    scale_id: int | None = Field(default=None, foreign_key="scales.id")
    versions: list[int] = Field(sa_type=Json, nullable=False)
    """The table: versions by the number of their `Seat` row, substitutes left out."""
    games: list[list[object]] = Field(sa_type=Json, nullable=False)
    """A list `[places, points, out flags or [], rounds]` a game, in the order of the table;
    read through `results.blocks`."""
    at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class Fault(Row, table=True):
    """What a bot did wrong, and where."""

    __tablename__ = "faults"
    __table_args__ = (
        sa.Index("ix_faults_version_id_id", "version_id", "id"),
        sa.Index("ix_faults_match_id_attempt", "match_id", "attempt"),
    )
    id: int = Field(default=None, primary_key=True)
    match_id: int = Field(foreign_key="matches.id")
    attempt: int
    seat: int
    """The number of the `Seat` row."""
    version_id: int = Field(foreign_key="versions.id")
    kind: str = Field(max_length=20)
    cause: str = ""
    """One line saying what happened."""
    pass_no: int | None = None
    game_no: int | None = None
    round_no: int | None = None
    decision: int | None = None
    detail: JsonDict | None = Field(default=None, sa_type=Json)
    at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class ReplayBlob(Row, table=True):
    """A stored file of an attempt; where it lies follows from its hash."""

    __tablename__ = "replay_blobs"
    match_id: int = Field(foreign_key="matches.id", primary_key=True)
    attempt: int = Field(primary_key=True)
    kind: BlobKind = Field(
        sa_column=sa.Column(
            sa.Enum(
                BlobKind,
                native_enum=False,
                length=20,
                values_callable=lambda members: [member.value for member in members],
            ),
            primary_key=True,
        )
    )
    sha256: str = Field(max_length=64, index=True)
    size: int
    lines: int
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class Review(Row, table=True):
    """The review of one game: wanted, being made, or there to read."""

    __tablename__ = "reviews"
    __table_args__ = (
        sa.UniqueConstraint("match_id", "attempt", "pass_no", "game_no"),
        sa.Index("ix_reviews_state_turn_id", "state", "turn", "id"),
    )
    id: int = Field(default=None, primary_key=True)
    match_id: int | None = Field(default=None, foreign_key="matches.id")
    """None: the game belongs to no match, and `replay` names it."""
    replay: str | None = Field(default=None, max_length=64, unique=True, index=True)
    """The hash of the stored file whose first line is the replay, for a game of no match."""
    attempt: int
    """The attempt whose game it is; a match that is played again gets other games."""
    pass_no: int
    game_no: int
    state: ReviewState = enum_field(ReviewState, ReviewState.WAITING)
    reason: ReviewReason = enum_field(ReviewReason)
    turn: int
    """Smaller ones are made first; then in the order of asking."""
    worker: str | None = Field(default=None, max_length=100)
    lease_until: datetime | None = Field(default=None, sa_type=UtcTime)
    tries: int = 0
    done: int = 0
    """Decisions that have been looked at."""
    total: int = 0
    """Decisions there are; 0 until the work begins."""
    error: str = ""
    """Why it failed."""
    summary: JsonDict = Field(default_factory=dict, sa_type=Json, nullable=False)
    """What lists of games say of it: the costliest mistake, and whom luck helped most."""
    document: bytes | None = Field(
        default=None, sa_column=sa.Column(sa.LargeBinary, nullable=True), repr=False
    )
    """`bullring-review/1`, compressed; read through `reviews.document`."""
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    finished_at: datetime | None = Field(default=None, sa_type=UtcTime)
