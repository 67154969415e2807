"""What organisers send and get, as types; the words are those of the command line."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, Field

from dashboard.api.models import Given, Public
from store import GateState, MatchState, SeasonState, WorkerState

BotName = Annotated[
    str, Field(min_length=3, max_length=81, description="`owner/name`.", examples=["ada/greedy"])
]
Reason = Annotated[
    str,
    Field(
        max_length=500,
        description="Kept in the audit log.",
        examples=["It read the memory of another bot."],
    ),
]


def _utc(moment: datetime) -> datetime:
    """Without a zone it is UTC already."""
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("this date lies outside of the calendar") from None


# JSON has no dates, so that strictness would refuse every one of them.
Moment = Annotated[datetime, Field(strict=False), AfterValidator(_utc)]


class NewSeason(Given):
    """A season to be made, as a draft."""

    name: str = Field(min_length=1, max_length=40, examples=["autumn"])
    rules: str = Field(max_length=40, examples=["six-nimmt"])
    options: dict[str, bool | int | str] = Field(default={}, examples=[{"rounds": 1}])
    title: str = Field(default="", max_length=100)
    about: str = Field(default="", max_length=2000)
    table: int = Field(default=4, ge=2, le=10, description="Seats at a table.")
    boards: int = Field(default=100, ge=1, le=10_000)
    meetings: int = Field(default=1, ge=1, le=1000)
    places: list[int] = Field(
        default=[], max_length=20, description="Places to be settled: an adaptive season."
    )
    budget: int | None = Field(
        default=None, ge=1, le=1_000_000, description="With `places`: matches at most."
    )
    duplicate: bool | None = Field(default=None, description="null: for tables of 2 and 3.")
    move_ms: int = Field(default=100, ge=0, le=60_000)
    bank_ms: int = Field(default=1000, ge=0, le=600_000)
    opens_at: Moment | None = None
    freezes_at: Moment | None = None
    starts_at: Moment | None = None
    ends_at: Moment | None = None


class NewDates(Given):
    """When a season takes its steps by itself; null: not by itself. What is left out stays."""

    opens_at: Moment | None = None
    freezes_at: Moment | None = None
    starts_at: Moment | None = None
    ends_at: Moment | None = None


class Finish(Given):
    """How to end a season."""

    early: bool = Field(default=False, description="Cancel what is not played yet.")


class Entering(Given):
    """Bots to be entered."""

    bots: list[BotName] = Field(min_length=1, max_length=200, examples=[["house/gap"]])


class TakenOut(Given):
    """A bot to be taken out."""

    bot: BotName
    reason: Reason = ""


class Disqualified(TakenOut):
    """A bot to be disqualified."""

    preview: bool = Field(default=False, description="Only say what it would change.")


class WithReason(Given):
    """Why."""

    reason: Reason


class Rehearse(Given):
    """A rehearsal to be started."""

    bots: int | None = Field(default=None, ge=2, le=1000, description="null: as many as entered.")
    boards: int | None = Field(
        default=None, ge=1, le=10_000, description="In a match, if fewer than the season's."
    )


class Showcase(Given):
    """Games for people to watch."""

    games: int = Field(default=1, ge=1, le=50, description="One after the other.")


class NewInvitation(Given):
    """A link with which somebody can make an account."""

    role: str = Field(default="author", pattern="^(author|organiser)$")
    note: str = Field(default="", max_length=200, description="For whom, for the audit log.")


class ChangeOut(Public):
    """One bot's line before and after; null: not in that table."""

    bot: str = Field(examples=["ada/greedy 3"])
    place_before: int | None
    place_after: int | None
    official_before: float | None
    official_after: float | None


class StatusOut(Public):
    """How far a season is, and what holds it up."""

    season: str = Field(examples=["autumn"])
    state: SeasonState
    entries: int
    matches: int
    done: int
    states: dict[str, int] = Field(examples=[{"done": 8, "queued": 4}])
    stuck: dict[str, str] = Field(
        description="Stuck matches with what stopped them.", examples=[{"17": "the disk is full"}]
    )
    workers: int
    slots: int


class TimeLeftOut(Public):
    """What a season still has to play."""

    matches: int
    seconds: float | None = Field(description="null: nothing to go by yet.")
    words: str
    verdict: dict[str, object] | None = Field(description="Of an adaptive season: what is open.")


class RehearsalOut(Public):
    """The rehearsal that is on, and what the last one found."""

    running: bool
    matches: int
    done: int
    report: dict[str, object] | None = Field(
        examples=[{"good": True, "matches": 12, "done": 12, "games": 1200, "replays_wrong": 0}]
    )


class FairnessOut(Public):
    """Questions to ask, and no verdicts."""

    balance: str
    presence: list[dict[str, object]]
    presence_pairs: int
    alike: list[dict[str, object]]
    probes: int
    linked: list[dict[str, object]]


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
    """A worker and its last sign of life."""

    name: str
    state: WorkerState
    alive: bool
    host: str
    slots: int
    busy: int
    heartbeat_at: datetime


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
    action: str = Field(examples=["season.freeze"])
    subject: str
    subject_id: int | None
    reason: str
    detail: dict[str, object]


class InvitationOut(Public):
    """A link that works once; it is shown this once."""

    role: str
    url: str = Field(examples=["https://league.example/link/…"])


class NewLadder(Given):
    """A ladder to be opened."""

    rules: str = Field(max_length=40, examples=["six-nimmt"])
    options: dict[str, bool | int | str] = Field(default={}, examples=[{"rounds": 1}])
    table: int = Field(default=4, ge=2, le=10)
    boards: int = Field(default=100, ge=1, le=10_000)
    longest_wait: float | None = Field(default=None, gt=0, le=1e9, description="In seconds.")
    cap: int = Field(default=2, ge=1, le=1000)
    move_ms: int = Field(default=100, ge=0, le=60_000)
    bank_ms: int = Field(default=1000, ge=0, le=600_000)


class NewSettings(Given):
    """What the matches to come on a ladder are played with; what is left out stays."""

    boards: int | None = Field(default=None, ge=1, le=10_000)
    longest_wait: float | None = Field(
        default=None, ge=0, le=1e9, description="In seconds; 0: what the fleet can hold."
    )
    cap: int | None = Field(default=None, ge=1, le=1000)
    move_ms: int | None = Field(default=None, ge=0, le=60_000)
    bank_ms: int | None = Field(default=None, ge=0, le=600_000)


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

    required: bool
    bot: BotName | None = Field(default=None, description="null: of every bot.")


class GateOut(Public):
    """A comparison of two versions; `report` says what the games told so far.

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
