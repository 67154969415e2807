"""What the API says of seasons, as types."""

from datetime import datetime

from pydantic import Field

from api_models.base import Public
from api_models.states import EntryState, SeasonState


class SeasonOut(Public):
    """A season."""

    name: str = Field(examples=["autumn"])
    title: str
    about: str
    state: SeasonState
    rules: str
    options: dict[str, object]
    table_size: int
    boards: int
    passes: int
    time: dict[str, object]
    budget: dict[str, object] = Field(
        description="How often every two meet; of an adaptive season also its places and matches.",
        examples=[{"meetings": 2}, {"meetings": 1, "places": [1, 3], "matches": 400}],
    )
    opens_at: datetime | None
    freezes_at: datetime | None
    starts_at: datetime | None
    ends_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    commitment: str | None
    balance: dict[str, object] | None
    matches: dict[str, int] = Field(examples=[{"planned": 4, "done": 8}])
    standings_at: datetime | None


class EntryOut(Public):
    """A bot in a season."""

    bot: str
    version: int | None
    state: EntryState
    is_anchor: bool
    reason: str


class ChangeOut(Public):
    """One bot's line before and after; null: not in that table."""

    bot: str = Field(examples=["ada/greedy 3"])
    place_before: int | None
    place_after: int | None
    official_before: float | None
    official_after: float | None


class RemovalOut(Public):
    """What it means that a bot leaves a season."""

    bot: str = Field(examples=["ada/greedy"])
    state: EntryState = Field(description="Withdrawn or disqualified.")
    words: list[str] = Field(description="The same in sentences.")
    played: int = Field(description="Matches it has a result in.")
    ending: int = Field(description="Matches being played that end with it.")
    filled: int = Field(description="Open matches played with a platform bot in its seat.")
    cancelled: int = Field(description="Open matches that are not played.")
    changes: list[ChangeOut] = Field(description="The table before and after, if it changes.")


class StatusOut(Public):
    """The progress of a season, and what holds it up."""

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
    """The running rehearsal, and what the last one found."""

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
