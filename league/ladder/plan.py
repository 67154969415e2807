"""What an organiser chooses for a ladder: one model with every bound, default and description.

The words are the same on the command line, by API and on the pages; nothing here needs a database.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from api_models.base import Given
from league.given import Decimal, Text, Whole, take
from league.plans import BankMs, Boards, GamePlan, GameWords, MoveMs

LONGEST_WAIT = 1e9
Cap = Annotated[
    int,
    Whole(1, 1000),
    Field(description="Matches that one bot may have queued or running.", examples=[2]),
]

Title = Annotated[
    str,
    Text(100),
    Field(
        description="What pages call it; its rules and table size if left out.",
        examples=["Evening ladder"],
    ),
]


class LadderWords(GameWords):
    """All that can be chosen for a ladder, in the words of an organiser."""

    title: Title = ""
    longest_wait: Annotated[float, Decimal(LONGEST_WAIT)] | None = Field(
        default=None,
        description="Promised longest wait in seconds; what the fleet can hold if left out.",
        examples=[600.0],
    )
    cap: Cap = 2


class LadderPlan(LadderWords, GamePlan):
    """What an organiser chose; values that do not fit raise Malformed."""


def plan_from(given: Mapping[str, Any]) -> LadderPlan:
    """The plan of a ladder to be opened, from an organiser's words; `rules` has to be there."""
    return take(LadderPlan, given)


class LadderSettings(Given):
    """What the matches to come on a ladder are played with; None: it stays."""

    title: Title | None = Field(
        default=None, description="What pages call it.", examples=["Evening ladder"]
    )
    boards: Boards | None = Field(default=None, description="Boards in a match.", examples=[20])
    longest_wait: Annotated[float, Decimal(LONGEST_WAIT, from_zero=True)] | None = Field(
        default=None,
        description="Promised longest wait in seconds; 0: what the fleet can hold.",
        examples=[600.0],
    )
    cap: Cap | None = Field(
        default=None, description="Matches that one bot may have queued or running.", examples=[2]
    )
    move_ms: MoveMs | None = Field(
        default=None, description="Time per move, in ms.", examples=[100]
    )
    bank_ms: BankMs | None = Field(
        default=None, description="Time bank per pass, in ms.", examples=[1000]
    )
