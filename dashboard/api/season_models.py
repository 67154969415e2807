"""What organisers send on seasons, as types; what the API answers is in `api_models`."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from api_models.base import Given
from api_models.states import EntryState
from league.plans import Boards, RulesName
from league.seasons import Bots, SeasonDates, SeasonName, SeasonWords

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

    bot: str = Field(
        min_length=1,
        max_length=40,
        description="One of your bots, its name alone.",
        examples=["greedy"],
    )


class Finish(Given):
    """How to end a season."""

    early: bool = Field(
        default=False, description="Cancel what is not played yet.", examples=[False]
    )


class Entering(Given):
    """Bots to be entered."""

    bots: list[BotName] = Field(
        min_length=1,
        max_length=200,
        description="Bots, each `owner/name`.",
        examples=[["house/gap"]],
    )


class TakenOut(Given):
    """A bot to be taken out."""

    bot: BotName
    reason: Reason = ""


class Disqualified(TakenOut):
    """A bot to be disqualified."""

    preview: bool = Field(
        default=False, description="Only say what it would change.", examples=[True]
    )


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

    bots: Bots | None = Field(default=None, description="null: as many as entered.", examples=[8])
    boards: Boards | None = Field(
        default=None, description="In a match, if fewer than the season's.", examples=[4]
    )


class Showcase(Given):
    """Games for people to watch."""

    games: int = Field(default=1, ge=1, le=50, description="One after the other.", examples=[3])
