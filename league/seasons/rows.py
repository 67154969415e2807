"""A plan as a row of the store, and a row as the plan behind it; reads and writes no row itself."""

from datetime import datetime
from typing import Any

import store
from api_models.words import NAME
from league.errors import Malformed
from league.matches import DUPLICATE_BELOW, whole_laps
from league.plans import check_game
from league.seasons.life import DATES, REHEARSAL
from league.seasons.plan import SeasonPlan, check_plan
from store import Season

_TIME = ("move_ms", "bank_ms")


def plan_of(season: Season) -> SeasonPlan:
    """The plan behind a season; what is as usual stays so when the plan is changed."""
    duplicated = season.passes > 1
    usual = duplicated == (season.table_size < DUPLICATE_BELOW)
    chosen = as_choices(season)
    # It was checked when it was made, and its boards may have been rounded up since.
    return SeasonPlan.model_construct(
        **chosen
        | {
            "title": "" if season.title == season.name else season.title,
            "duplicate": None if usual else duplicated,
            "places": tuple(chosen["places"]),
            "in_flight": season.in_flight,
            "max_faults": season.max_faults,
        }
        | {word: int(str(ms)) for word, ms in season.time.items()}
        | {name: getattr(season, name) for name in DATES}
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
        "meetings": meetings_of(season),
        "places": season.budget.get("places", []),
        "budget": season.budget.get("matches"),
        **{word: season.time.get(word) for word in _TIME},
        **{name: None if at is None else _written(at) for name, at in dates.items()},
    }


def meetings_of(season: Season) -> int:
    """How often every two bots of a season meet."""
    return int(str(season.budget.get("meetings", 1)))


def _written(at: datetime) -> str:
    """A date of the store, which is in UTC, no longer than it has to be."""
    exact = "auto" if at.second or at.microsecond else "minutes"
    return at.isoformat(timespec=exact).replace("+00:00", "Z")


def check_name(name: str) -> None:
    """LeagueRefusal unless a season could have this name."""
    if not NAME.fullmatch(name):
        raise Malformed(
            f"got the season name {name!r}, expected lower-case letters, digits and hyphens"
        )
    if name.startswith(REHEARSAL):
        raise Malformed(f"got the season name {name!r}; only names of rehearsals begin like that")


def columns(plan: SeasonPlan) -> dict[str, Any]:
    """The row that a plan makes, checked but for its dates."""
    check_name(plan.name)
    check_plan(plan)
    rules = check_game(plan.rules, plan.options, plan.table)
    duplicated = plan.table < DUPLICATE_BELOW if plan.duplicate is None else plan.duplicate
    passes = plan.table if duplicated else 1
    return {
        "name": plan.name,
        "title": plan.title or plan.name,
        "about": plan.about,
        "rules": rules.name,
        "options": dict(rules.options),
        "table_size": plan.table,
        "boards": whole_laps(plan.boards, plan.table, passes),
        "passes": passes,
        "time": plan.time,
        "in_flight": plan.in_flight,
        "max_faults": plan.max_faults,
        "budget": _budget(plan),
        **{name: getattr(plan, name) for name in DATES},
    }


def _budget(plan: SeasonPlan) -> store.JsonDict:
    found: store.JsonDict = {"meetings": plan.meetings}
    if plan.places:
        found |= {"places": sorted(set(plan.places)), "matches": plan.budget}
    return found
