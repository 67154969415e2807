"""What the API says of ladders, gates, accounts and the fleet, as types."""

from datetime import datetime

from pydantic import Field, field_validator

from api_models.base import Public
from api_models.states import GateState, LadderState, MatchState, WorkerState
from api_models.words import with_both_names


class AccountOut(Public):
    """An account as organisers see it."""

    handle: str = Field(description="Its name.", examples=["ada"])
    role: str = Field(description="`author` or `organiser`.", examples=["author"])
    disabled: bool = Field(
        description="Disabled: it cannot sign in, and its tokens do not work.", examples=[False]
    )


class SeparationOut(Public):
    """What it takes to tell a gap apart."""

    gap: float = Field(description="Points per round.", examples=[1.7])
    level: float = Field(description="How sure the answer is to be.", examples=[0.95])
    power: float = Field(description="How likely the gap is to be found.", examples=[0.8])
    games_per_bot: int = Field(description="For one look at the end.", examples=[1200])
    games_per_bot_peeking: int = Field(description="For the settled badge.", examples=[2100])
    matches: int = Field(description="Matches of the whole season.", examples=[84])
    seconds: float = Field(description="How long they take on this fleet.", examples=[3600])
    words: str = Field(
        description="The same in a sentence.", examples=["1.7 points apart: 84 matches, 1 h"]
    )


class ReachOut(Public):
    """What a season of this size costs, and what it can tell apart."""

    matches: int = Field(description="Matches that it has.", examples=[28])
    games_per_bot: int = Field(description="Games that every bot plays.", examples=[1400])
    seconds: float = Field(description="How long it takes on this fleet.", examples=[900])
    gap_once: float | None = Field(
        description="Points per round that one look at the end tells apart; null: none.",
        examples=[1.6],
    )
    gap_badge: float | None = Field(
        description="Points per round that the settled badge tells apart; null: none.",
        examples=[2.2],
    )
    words: str = Field(description="The same in a sentence.", examples=["28 matches, 15 min"])


class PlanOut(Public):
    """The planner's answer."""

    reach: ReachOut = Field(
        description="What the season as asked for can do.",
        examples=[
            {
                "matches": 28,
                "games_per_bot": 1400,
                "seconds": 900,
                "gap_once": 1.6,
                "gap_badge": 2.2,
                "words": "28 matches, 15 min",
            }
        ],
    )
    gaps: list[SeparationOut] = Field(
        description="What each gap that was asked for takes.", examples=[[]]
    )
    measured: str = Field(
        description="Where the numbers are from.", examples=["from 200 matches of this league"]
    )


class WorkerOut(Public):
    """A worker and its last heartbeat."""

    name: str = Field(description="Its name.", examples=["arena-1"])
    state: WorkerState = Field(description="What it says of itself.", examples=["up"])
    alive: bool = Field(description="Whether it was heard of lately.", examples=[True])
    host: str = Field(description="The machine that it runs on.", examples=["arena"])
    slots: int = Field(description="Matches that it plays at once.", examples=[2])
    busy: int = Field(description="Matches that it plays now.", examples=[1])
    heartbeat_at: datetime = Field(
        description="When it was last heard of.", examples=["2031-10-01T18:00:00Z"]
    )
    problems: dict[str, str] = Field(
        default_factory=dict,
        description="What it says is wrong, by the name of its check.",
        examples=[{"disk": "less than 1 GiB is free"}],
    )


class QueueOut(Public):
    """How many matches of a queue are in a state."""

    queue: str = Field(description="Which queue.", examples=["season"])
    state: MatchState = Field(description="Which state.", examples=["queued"])
    matches: int = Field(description="How many.", examples=[12])


class FleetOut(Public):
    """Workers and queue at a glance."""

    workers: list[WorkerOut] = Field(description="Every worker that is known.", examples=[[]])
    slots: int = Field(description="Matches that all of them play at once.", examples=[4])
    busy: int = Field(description="Matches that are played now.", examples=[3])
    queues: list[QueueOut] = Field(description="What waits and what runs.", examples=[[]])


class InvitationOut(Public):
    """A link that works once; it is shown this once."""

    role: str = Field(description="The role of whoever uses it.", examples=["author"])
    url: str = Field(description="The link.", examples=["https://league.example/link/…"])


class LadderOut(Public):
    """A rating scale that is not a season's."""

    id: int = Field(description="Its number.", examples=[1])
    title: str = Field(
        description="What pages call it; empty: its rules and table size.",
        examples=["Evening ladder"],
    )
    rules: str = Field(description="The rules that are played.", examples=["six-nimmt"])
    options: dict[str, object] = Field(
        description="The options of the rules.", examples=[{"rounds": 1}]
    )
    table_size: int = Field(description="Seats at a table.", examples=[4])
    boards: int = Field(description="Boards in a match.", examples=[20])
    time: dict[str, object] = Field(
        description="The clock, in milliseconds.", examples=[{"move_ms": 100, "bank_ms": 1000}]
    )
    longest_wait: float | None = Field(
        description="In seconds; null: what the fleet can hold.", examples=[600]
    )
    cap: int = Field(description="Matches that one bot may have queued or running.", examples=[2])
    state: LadderState = Field(description="Whether it makes matches.", examples=["open"])
    is_open: bool = Field(description="The same as yes or no.", examples=[True])
    standings_at: datetime | None = Field(
        description="How old its standings are; null: there are none.",
        examples=["2031-10-01T18:00:00Z"],
    )


class GateOut(Public):
    """A comparison of two versions; `report` says what the games show so far.

    Its `not_counted_because` is why passing would not let the version play; empty: it would.
    Until version 2 of the API, `hindrance` says the same: commands of the version before read it.
    """

    gate: int = Field(description="Its number.", examples=[5])
    bot: str = Field(description="The bot, `owner/name`.", examples=["ada/greedy"])
    new: int = Field(description="The version that wants to play.", examples=[3])
    old: int = Field(description="The version that it is compared with.", examples=[2])
    state: GateState = Field(description="How it stands.", examples=["passed"])
    rules: str = Field(description="The rules that are played.", examples=["six-nimmt"])
    table_size: int = Field(description="Seats at a table.", examples=[4])
    report: dict[str, object] | None = Field(
        description="What the games show; null: none was played.",
        examples=[{"words": "2.1 points a round better (95 %).", "not_counted_because": ""}],
    )
    created_at: datetime = Field(
        description="When it was opened.", examples=["2031-10-01T18:00:00Z"]
    )
    finished_at: datetime | None = Field(
        description="When it was over; null: it is not.", examples=["2031-10-01T18:20:00Z"]
    )

    @field_validator("report")
    @classmethod
    def _both_names(cls, report: dict[str, object] | None) -> dict[str, object] | None:
        return None if report is None else with_both_names(report)


class WhyOut(Public):
    """Why a bot is not playing on one ladder right now."""

    ladder: int = Field(description="The ladder.", examples=[1])
    bot: str = Field(description="The bot, `owner/name`.", examples=["ada/greedy"])
    version: int | None = Field(description="Which version; null: none plays.", examples=[3])
    reason: str = Field(description="A name for programs.", examples=["ITS_TURN_COMES"])
    words: str = Field(description="The same in a sentence.", examples=["It waits for its turn."])
    detail: str = Field(description="What else is to be said; often empty.", examples=[""])
    in_flight: int = Field(description="Its matches that are queued or running.", examples=[1])
    idle_seconds: float = Field(description="Since when it has not played.", examples=[42.0])
    longest_wait: float = Field(description="What the ladder promises, in seconds.", examples=[600])
