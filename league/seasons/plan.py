"""What an organiser chooses for a season, checked; knows rows, but reads and writes none.

What is given has the same words on the command line, by API and on the pages (`amended`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import nimmt
import store
from league.errors import LeagueRefusal
from league.matches import DEFAULT_BOARDS, DEFAULT_TIME, DUPLICATE_BELOW, whole_laps
from league.seasons.life import DATES, REHEARSAL
from store import Season

_FIELDS = {"table": "table_size", "budget": "most_matches"}
"""Words of an organiser whose field of the plan is called differently."""
_TIME = ("move_ms", "bank_ms")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonPlan:
    """What an organiser chooses when a season is created."""

    name: str
    rules: str
    options: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    about: str = ""
    table_size: int = 4
    boards: int = DEFAULT_BOARDS
    duplicate: bool | None = None
    """None: for tables below four."""
    meetings: int = 1
    """How often every two bots meet, about."""
    places: tuple[int, ...] = ()
    """Places whose border to the next one matters: the season goes on until they are settled."""
    most_matches: int | None = None
    """The budget of such a season; without one it would not have to end."""
    time: Mapping[str, int] = field(default_factory=lambda: dict(DEFAULT_TIME))
    in_flight: int | None = None
    max_faults: int = 3
    opens_at: datetime | None = None
    freezes_at: datetime | None = None
    starts_at: datetime | None = None
    ends_at: datetime | None = None


def plan_from(given: Mapping[str, Any]) -> SeasonPlan:
    """The plan of a new season, from an organiser's words; `name` and `rules` have to be there."""
    return amended(SeasonPlan(name=given["name"], rules=given["rules"]), given)


def amended(plan: SeasonPlan, given: Mapping[str, Any]) -> SeasonPlan:
    """A plan with what was given instead of what it says; words that were not given stay.

    >>> plan = SeasonPlan(name="spring", rules="six-nimmt", options={"rounds": 1})
    >>> amended(plan, {"table": 3, "bank_ms": 500}).time
    {'move_ms': 100, 'bank_ms': 500}
    """
    fields = {_FIELDS.get(word, word): given[word] for word in given if word not in _TIME}
    if time := {word: given[word] for word in _TIME if word in given}:
        fields["time"] = {**plan.time, **time}
    if given.get("rules", plan.rules) != plan.rules:
        # Options are those of the rules, and other rules do not know them.
        fields.setdefault("options", {})
    if "places" in given:
        fields["places"] = tuple(given["places"])
        if not given["places"]:
            fields.setdefault("most_matches", None)
    return replace(plan, **fields)


def plan_of(season: Season) -> SeasonPlan:
    """The plan behind a season; what is as usual stays so when the plan is changed."""
    duplicated = season.passes > 1
    usual = duplicated == (season.table_size < DUPLICATE_BELOW)
    said = as_choices(season)
    return SeasonPlan(
        name=season.name,
        rules=season.rules,
        options=season.options,
        title="" if season.title == season.name else season.title,
        about=season.about,
        table_size=season.table_size,
        boards=season.boards,
        duplicate=None if usual else duplicated,
        meetings=said["meetings"],
        places=tuple(said["places"]),
        most_matches=said["budget"],
        time={name: int(str(ms)) for name, ms in season.time.items()},
        in_flight=season.in_flight,
        max_faults=season.max_faults,
        **{name: getattr(season, name) for name in DATES},
    )


def as_choices(season: Season) -> dict[str, Any]:
    """What was chosen for a season, in the words of an organiser and as JSON can hold it."""
    dates = {name: getattr(season, name) for name in DATES}
    return {
        **{word: getattr(season, word) for word in ("name", "title", "about", "rules")},
        "options": dict(season.options),
        "table": season.table_size,
        "boards": season.boards,
        "duplicate": season.passes > 1,
        "meetings": season.budget.get("meetings", 1),
        "places": season.budget.get("places", []),
        "budget": season.budget.get("matches"),
        **{word: season.time.get(word) for word in _TIME},
        **{name: None if at is None else _written(at) for name, at in dates.items()},
    }


def _written(at: datetime) -> str:
    """A date of the store, which is in UTC, no longer than it has to be."""
    exact = "auto" if at.second or at.microsecond else "minutes"
    return at.isoformat(timespec=exact).replace("+00:00", "Z")


def check_name(name: str) -> None:
    """SeasonError unless a season could be called that."""
    if not store.bots.NAME.fullmatch(name):
        raise LeagueRefusal(
            f"got the season name {name!r}, expected lower-case letters, digits and hyphens"
        )
    if name.startswith(REHEARSAL):
        raise LeagueRefusal(f"got the season name {name!r}; names of rehearsals begin like that")


def columns(plan: SeasonPlan) -> dict[str, Any]:
    """The row that a plan makes, checked but for its dates."""
    check_name(plan.name)
    try:
        rules = nimmt.get(plan.rules, plan.options)
        rules.check_players(plan.table_size)
    except nimmt.RulesError as error:
        raise LeagueRefusal(str(error)) from None
    if plan.boards < 1 or plan.meetings < 1:
        raise LeagueRefusal("a season needs at least one board a match and one meeting")
    duplicated = plan.table_size < DUPLICATE_BELOW if plan.duplicate is None else plan.duplicate
    passes = plan.table_size if duplicated else 1
    return {
        "name": plan.name,
        "title": plan.title or plan.name,
        "about": plan.about,
        "rules": rules.name,
        "options": dict(rules.options),
        "table_size": plan.table_size,
        "boards": whole_laps(plan.boards, plan.table_size, passes),
        "passes": passes,
        "time": dict(plan.time),
        "in_flight": plan.in_flight,
        "max_faults": plan.max_faults,
        "budget": _budget(plan),
        **{name: getattr(plan, name) for name in DATES},
    }


def _budget(plan: SeasonPlan) -> store.JsonDict:
    if not plan.places:
        if plan.most_matches is not None:
            raise LeagueRefusal(
                f"got a budget of {plan.most_matches} matches for a season that ends with its"
                " meetings; give the places that shall be settled too"
            )
        return {"meetings": plan.meetings}
    if min(plan.places) < 1 or plan.most_matches is None or plan.most_matches < 1:
        raise LeagueRefusal(
            f"a season that ends when places {list(plan.places)} are settled needs places from 1"
            f" on and a budget of matches, got {plan.most_matches!r}"
        )
    places = sorted(set(plan.places))
    return {"meetings": plan.meetings, "places": places, "matches": plan.most_matches}
