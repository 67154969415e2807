"""What organisers send and get on ladders, gates and the fleet, as types."""

from datetime import datetime

from pydantic import Field

from dashboard.api.models import Public
from dashboard.api.season_models import BotName
from league.audit import Action
from league.authors import LinkKind
from league.given import Given
from league.ladder import LadderSettings, LadderWords
from league.plans import RulesName
from store import GateState, LadderState, MatchState, WorkerState


class NewInvitation(Given):
    """A link for one new account."""

    role: str = Field(default="author", pattern="^(author|organiser)$")
    note: str = Field(default="", max_length=200, description="For whom, for the audit log.")


class NewAccess(Given):
    """What to do to an account."""

    access: str = Field(
        examples=["organiser"],
        max_length=40,
        description="disable ends its access, enable restores it; author and organiser are roles",
    )
    reason: str = Field(default="", max_length=500, description="For the audit log.")


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


class AuditOut(Public):
    """One act."""

    id: int
    at: datetime
    actor: str
    action: str = Field(examples=[Action.SEASON_FREEZE.value])
    subject: str
    subject_id: int | None
    reason: str
    detail: dict[str, object]


class AccountQuestionOut(Public):
    """Accounts that have something in common which strangers rarely have; no verdict."""

    owners: list[str] = Field(examples=[["ada", "bob"]])
    kind: LinkKind
    evidence: str
    where: str = Field(description="The season or ladder whose games say so, or empty.")
    question: str = Field(description="What to ask before anything is concluded.")


class InvitationOut(Public):
    """A link that works once; it is shown this once."""

    role: str
    url: str = Field(examples=["https://league.example/link/…"])


class LadderOut(Public):
    """A rating scale that is not a season's."""

    id: int
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


class NewLadder(LadderWords):
    """A ladder to be opened."""

    rules: RulesName


class NewSettings(LadderSettings):
    """The settings of future matches on a ladder; what is left out stays."""


class NewGate(Given):
    """Two versions to be compared."""

    bot: BotName
    new: int = Field(ge=1, le=1_000_000, description="The version that wants to play.")
    old: int | None = Field(
        default=None,
        ge=1,
        le=1_000_000,
        description="null: the one with the place; a gate against another is for information "
        "where the league requires one.",
    )
    replace: bool = Field(default=True, description="Let it play when it passes, if that counts.")
    gain: float = Field(
        default=0.5,
        gt=0,
        le=20,
        description="Points per round to be better; another gain than the league's is for "
        "information where it requires a gate, except from organisers.",
    )


class GateRule(Given):
    """Whether new versions have to pass a gate."""

    required: bool | None = Field(description="null, for one bot: the league's rule applies.")
    bot: BotName | None = Field(default=None, description="null: every bot.")


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
