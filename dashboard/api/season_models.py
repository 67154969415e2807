"""Seasons as types: what the API says of them, and what organisers send."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from dashboard.api.models import Public
from league.given import Given
from league.plans import Boards, RulesName
from league.seasons import Bots, SeasonDates, SeasonName, SeasonWords
from store import EntryState, SeasonState

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


class NewDates(SeasonDates):
    """When a season takes its steps by itself; null: not by itself. What is left out stays."""


class NewSeason(SeasonWords):
    """A season to be made, as a draft."""

    name: SeasonName
    rules: RulesName


def _without_defaults(schema: dict[str, Any]) -> None:
    """What is left out stays as it is, so there is nothing that holds instead."""
    for described in schema["properties"].values():
        described.pop("default", None)
    schema["examples"] = [{"boards": 200, "freezes_at": "2031-10-01T18:00:00Z", "ends_at": None}]


class EditSeason(SeasonWords):
    """What to change in a draft. What is left out stays; `options` are given all at once.

    When entries are open only `title`, `about` and the dates can still be changed.
    """

    model_config = ConfigDict(json_schema_extra=_without_defaults)


class NewEntry(Given):
    """A bot that wants to take part."""

    bot: str = Field(min_length=1, max_length=40, description="One of your bots, its name alone.")


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


class RemovalKind(StrEnum):
    """How a bot leaves a season."""

    WITHDRAW = "withdraw"
    """Its owner takes it out; its results stand."""
    DISQUALIFY = "disqualify"
    """An organiser takes it out; its results count no more."""

    @property
    def state(self) -> EntryState:
        """What its entry is then."""
        out = self is RemovalKind.DISQUALIFY
        return EntryState.DISQUALIFIED if out else EntryState.WITHDRAWN


class WithReason(Given):
    """Why."""

    reason: Reason


class Rehearse(Given):
    """A rehearsal to be started."""

    bots: Bots | None = Field(default=None, description="null: as many as entered.")
    boards: Boards | None = Field(
        default=None, description="In a match, if fewer than the season's."
    )


class Showcase(Given):
    """Games for people to watch."""

    games: int = Field(default=1, ge=1, le=50, description="One after the other.")


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
