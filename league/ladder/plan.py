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
    int, Whole(1, 1000), Field(description="Matches that one bot may have queued or running.")
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
    )
    cap: Cap = 2


class LadderPlan(LadderWords, GamePlan):
    """What an organiser chose; values that do not fit raise LeagueRefusal."""


def plan_from(given: Mapping[str, Any]) -> LadderPlan:
    """The plan of a ladder to be opened, from an organiser's words; `rules` has to be there."""
    return take(LadderPlan, given)


class LadderSettings(Given):
    """What the matches to come on a ladder are played with; None: it stays."""

    title: Title | None = None
    boards: Boards | None = None
    longest_wait: Annotated[float, Decimal(LONGEST_WAIT, from_zero=True)] | None = Field(
        default=None,
        description="Promised longest wait in seconds; 0: what the fleet can hold.",
    )
    cap: Cap | None = None
    move_ms: MoveMs | None = None
    bank_ms: BankMs | None = None
