"""What the plans of a season and of a ladder share: the game, the table, the boards, the time.

Every bound, default and description of a field is here or in the plan of its room. Forms, API,
command line and season files are made from them.
"""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

import nimmt
from api_models.base import Given
from league.errors import Malformed
from league.given import Refusing, Text, Whole

Options = Mapping[str, bool | int | str]
RulesName = Annotated[
    str,
    Text(most=40),
    Field(description=f"The rules: {', '.join(nimmt.GAMES)}.", examples=["six-nimmt"]),
]
Table = Annotated[int, Whole(2, 10), Field(description="Seats at a table.", examples=[4])]
Boards = Annotated[int, Whole(1, 10_000), Field(description="Boards in a match.", examples=[100])]
MoveMs = Annotated[
    int, Whole(0, 60_000), Field(description="Time per move, in ms.", examples=[100])
]
BankMs = Annotated[
    int, Whole(0, 600_000), Field(description="Time bank per pass, in ms.", examples=[1000])
]


class GameWords(Given):
    """What is played, and on what clock; what is left out is as usual."""

    options: Options = Field(
        default={},
        description="Options of the rules; all of them at once.",
        examples=[{"rounds": 1}],
    )
    table: Table = 4
    boards: Boards = 100
    move_ms: MoveMs = 100
    bank_ms: BankMs = 1000

    @property
    def time(self) -> dict[str, int]:
        """The time control, as rows and replays hold it."""
        return {"move_ms": self.move_ms, "bank_ms": self.bank_ms}


class GamePlan(GameWords, Refusing):
    """A plan as the league takes it: with rules, and refusing what does not fit."""

    rules: RulesName
    start_ms: Annotated[int, Whole(1, 3_600_000)] | None = None
    """How long a bot may take to start; None: as usual."""

    @property
    def time(self) -> dict[str, int]:
        """The time control, as rows and replays hold it."""
        start = {} if self.start_ms is None else {"start_ms": self.start_ms}
        return {**super().time, **start}


def check_game(rules: str, options: Options, table: int) -> nimmt.Rules:
    """The rules as chosen; Malformed for options or a table that they do not allow."""
    try:
        found = nimmt.get(rules, dict(options))
        found.check_players(table)
    except nimmt.RulesError as error:
        raise Malformed(str(error)) from None
    return found
