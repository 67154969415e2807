"""What the API says of ladders, gates, accounts and the fleet, as types."""

from datetime import datetime

from pydantic import Field

from api_models.base import Public
from api_models.states import GateState, LadderState, MatchState, WorkerState


class AccountOut(Public):
    """An account as organisers see it."""

    handle: str = Field(examples=["ada"])
    role: str = Field(examples=["author"])
    disabled: bool = Field(description="Disabled: it cannot sign in, and its tokens do not work.")


class SeparationOut(Public):
    """What it takes to tell a gap apart."""

    gap: float = Field(description="Points per round.")
    level: float
    power: float
    games_per_bot: int = Field(description="For one look at the end.")
    games_per_bot_peeking: int = Field(description="For the settled badge.")
    matches: int
    seconds: float
    words: str


class ReachOut(Public):
    """What a season of this size costs, and what it can tell apart."""

    matches: int
    games_per_bot: int
    seconds: float
    gap_once: float | None
    gap_badge: float | None
    words: str


class PlanOut(Public):
    """The planner's answer."""

    reach: ReachOut
    gaps: list[SeparationOut]
    measured: str = Field(description="Where the numbers are from.")


class WorkerOut(Public):
    """A worker and its last heartbeat."""

    name: str
    state: WorkerState
    alive: bool
    host: str
    slots: int
    busy: int
    heartbeat_at: datetime
    problems: dict[str, str] = Field(
        default_factory=dict, description="What it says is wrong, by the name of its check."
    )


class QueueOut(Public):
    """How many matches of a queue are in a state."""

    queue: str = Field(examples=["season"])
    state: MatchState
    matches: int


class FleetOut(Public):
    """Workers and queue at a glance."""

    workers: list[WorkerOut]
    slots: int
    busy: int
    queues: list[QueueOut]


class InvitationOut(Public):
    """A link that works once; it is shown this once."""

    role: str
    url: str = Field(examples=["https://league.example/link/…"])


class LadderOut(Public):
    """A rating scale that is not a season's."""

    id: int
    title: str = Field(description="What pages call it; empty: its rules and table size.")
    rules: str
    options: dict[str, object]
    table_size: int
    boards: int
    time: dict[str, object]
    longest_wait: float | None = Field(description="In seconds; null: what the fleet can hold.")
    cap: int = Field(description="Matches that one bot may have queued or running.")
    state: LadderState
    is_open: bool
    standings_at: datetime | None


class GateOut(Public):
    """A comparison of two versions; `report` says what the games show so far.

    Its `hindrance` is why passing would not let the version play; empty: it would.
    """

    gate: int
    bot: str = Field(examples=["ada/greedy"])
    new: int
    old: int
    state: GateState
    rules: str
    table_size: int
    report: dict[str, object] | None
    created_at: datetime
    finished_at: datetime | None


class WhyOut(Public):
    """Why a bot is not playing on one ladder right now."""

    ladder: int
    bot: str = Field(examples=["ada/greedy"])
    version: int | None
    reason: str = Field(examples=["ITS_TURN_COMES"])
    words: str
    detail: str
    in_flight: int
    idle_seconds: float
    longest_wait: float
