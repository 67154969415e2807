"""What an author chooses for a friendly match: one model with every bound and description.

The words are the same on the command line, by API and on the page; nothing here needs a database.
"""

from typing import Annotated

from pydantic import Field

from api_models.base import Given
from league.given import Refusing, Text, Whole
from league.plans import Options, RulesName

NAME_LENGTH = 90
"""The longest name of an opponent: OWNER/NAME@VERSION."""
Opponent = Annotated[str, Text(NAME_LENGTH, 1)]


class FriendlyWords(Given):
    """All that can be chosen for a friendly match."""

    bot: Annotated[
        str,
        Text(NAME_LENGTH, 1),
        Field(description="Your bot; NAME@3 for its version 3.", examples=["greedy"]),
    ]
    opponents: list[Opponent] = Field(
        min_length=1,
        max_length=9,
        description="OWNER/NAME of each; of your own bots and of the platform's the NAME alone,"
        " and of your own NAME@3 for a version.",
        examples=[["gap", "ada/greedy"]],
    )
    rules: RulesName | None = Field(
        default=None,
        description="The rules; those that all of them play if left out and there is one.",
        examples=["six-nimmt"],
    )
    options: Options = Field(
        default={},
        description="Options of the rules; all of them at once.",
        examples=[{"rounds": 1}],
    )
    boards: Annotated[
        int, Whole(1, 1000), Field(description="Boards in the match.", examples=[20])
    ] = 20
    duplicate: bool | None = Field(
        default=None,
        description="Every board with every seating; as usual for the table if left out.",
        examples=[True],
    )
    # A slot plays one of these at a time, so nobody may hold it for days.
    move_ms: Annotated[
        int, Whole(0, 5_000), Field(description="Time per move, in ms.", examples=[100])
    ] = 100
    bank_ms: Annotated[
        int, Whole(0, 60_000), Field(description="Time bank per pass, in ms.", examples=[1000])
    ] = 1000


class FriendlyPlan(FriendlyWords, Refusing):
    """What an author chose; values that do not fit raise Malformed."""
