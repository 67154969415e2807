"""What an organiser chooses for a season: one model with every bound, default and description.

The words are the same on the command line, by API, on the pages and in season files. How a plan
becomes a row is in `rows`; nothing here needs a database.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from api_models.base import Given
from league.errors import Malformed
from league.given import Moment, Text, Whole, take
from league.plans import GamePlan, GameWords, RulesName, check_game
from league.words import counted

SeasonName = Annotated[
    str,
    Text(least=1, most=40),
    Field(description="Its name, part of its address.", examples=["autumn"]),
]
Meetings = Annotated[
    int, Whole(1, 1000), Field(description="How often every two bots meet.", examples=[2])
]
Budget = Annotated[int, Whole(1, 1_000_000)]
BOTS = Whole(2, 1000)
Bots = Annotated[int, BOTS, Field(description="How many bots take part.", examples=[8])]
PLACE = Whole(1, 1000)
"""A place that matters."""


class SeasonDates(Given):
    """When a season takes its steps by itself; None: an organiser takes them."""

    opens_at: Moment | None = Field(
        default=None, description="When entries open, UTC.", examples=["2031-10-01T18:00:00Z"]
    )
    freezes_at: Moment | None = Field(
        default=None, description="When entries freeze, UTC.", examples=["2031-10-08T18:00:00Z"]
    )
    starts_at: Moment | None = Field(
        default=None, description="When play begins, UTC.", examples=["2031-10-08T19:00:00Z"]
    )
    ends_at: Moment | None = Field(
        default=None,
        description="When it ends at the latest, UTC.",
        examples=["2031-10-15T18:00:00Z"],
    )


class SeasonWords(SeasonDates, GameWords):
    """All that can be chosen for a season, in the words of an organiser."""

    name: SeasonName = ""
    rules: RulesName = ""
    title: Annotated[str, Text(100)] = Field(
        default="", description="What pages call it; its name if left out.", examples=["Autumn cup"]
    )
    about: Annotated[str, Text(2000)] = Field(
        default="", description="What the season's page says about it.", examples=["Open to all."]
    )
    meetings: Meetings = 1
    places: tuple[int, ...] = Field(
        default=(),
        strict=False,
        max_length=20,
        description="Places to be settled: an adaptive season. None: it ends with its meetings.",
        examples=[[1, 3]],
    )
    budget: Budget | None = Field(
        default=None,
        description="Matches to play at most, of a season with places.",
        examples=[400],
    )
    duplicate: bool | None = Field(
        default=None,
        description="Every board with every seating; if left out, for tables of 2 and 3.",
        examples=[True],
    )


class SeasonPlan(SeasonWords, GamePlan):
    """What an organiser chose; values that do not fit raise Malformed.

    >>> SeasonPlan(name="spring", rules="six-nimmt", move_ms=-5)
    Traceback (most recent call last):
    league.errors.Malformed: move_ms: got -5, expected a whole number from 0 to 60000
    """

    name: SeasonName
    rules: RulesName
    in_flight: Annotated[int, Whole(1, 1024)] | None = None
    """Games at once; None: as many as usual."""
    max_faults: Annotated[int, Whole(1, 1000)] = 3
    """Faults in a pass that put a bot out."""


USUAL = SeasonWords()
"""A season with all defaults."""


def plan_from(given: Mapping[str, Any]) -> SeasonPlan:
    """The plan of a new season, from an organiser's words; `name` and `rules` have to be there."""
    return take(SeasonPlan, given)


def amended(plan: SeasonPlan, given: Mapping[str, Any]) -> SeasonPlan:
    """A plan with what was given instead of what it says; words that were not given stay.

    What stays is not checked again: boards were rounded up to whole laps of the table.

    >>> plan = SeasonPlan(name="spring", rules="six-nimmt", options={"rounds": 1})
    >>> amended(plan, {"table": 3, "bank_ms": 500}).time
    {'move_ms': 100, 'bank_ms': 500}
    """
    words = take(SeasonWords, given)
    fields = {word: getattr(words, word) for word in given}
    if fields.get("rules", plan.rules) != plan.rules:
        # Options are those of the rules, and other rules do not know them.
        fields.setdefault("options", {})
    if fields.get("places") == ():
        fields.setdefault("budget", None)
    return plan.model_copy(update=fields)


def check_plan(plan: SeasonPlan) -> None:
    """Malformed for words that fit one by one, but not together."""
    check_game(plan.rules, plan.options, plan.table)
    for place in plan.places:
        PLACE.check("places", place)
    if plan.places and plan.budget is None:
        raise Malformed(
            f"a season that ends when places {list(plan.places)} are settled needs a budget of"
            " matches too; without one it might never end"
        )
    if plan.budget is not None and not plan.places:
        raise Malformed(
            f"got a budget of {counted(plan.budget, 'match', 'matches')} for a season that ends"
            " with its meetings; give the places to settle too"
        )
