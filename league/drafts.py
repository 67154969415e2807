"""A season before it is settled: made from a plan, changed, deleted; guarded and audited.

What happens to it from its opening on is in `seasons`. What an organiser gives has the same words
on the command line, by API and on the pages (`amended`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlmodel import Session

import nimmt
import store
from league.seasons import (
    DATES,
    DEFAULT_BOARDS,
    DEFAULT_TIME,
    DUPLICATE_BELOW,
    REHEARSAL,
    Actor,
    SeasonError,
    audit,
    check_dates,
    check_future,
    whole_laps,
)
from store import Owner, Season


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


def check_name(name: str) -> None:
    """SeasonError unless a season could be called that."""
    if not store.bots.NAME.fullmatch(name):
        raise SeasonError(
            f"got the season name {name!r}, expected lower-case letters, digits and hyphens"
        )
    if name.startswith(REHEARSAL):
        raise SeasonError(f"got the season name {name!r}; names of rehearsals begin like that")


def create(session: Session, plan: SeasonPlan, actor: Actor) -> Season:
    """Make a draft season; everything that could fail later is checked now."""
    made_by = actor.id if isinstance(actor, Owner) else None
    season = Season(**_columns(plan), created_by_id=made_by)
    check_dates(season)
    check_future(session, season, DATES)
    store.seasons.add_season(session, season)
    audit(session, actor, "season.create", season, {"rules": season.rules, "boards": season.boards})
    return season


def _columns(plan: SeasonPlan) -> dict[str, Any]:
    """The row that a plan makes, checked but for its dates."""
    check_name(plan.name)
    try:
        rules = nimmt.get(plan.rules, plan.options)
        rules.check_players(plan.table_size)
    except nimmt.RulesError as error:
        raise SeasonError(str(error)) from None
    if plan.boards < 1 or plan.meetings < 1:
        raise SeasonError("a season needs at least one board a match and one meeting")
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
        return {"meetings": plan.meetings}
    if min(plan.places) < 1 or plan.most_matches is None or plan.most_matches < 1:
        raise SeasonError(
            f"a season that ends when places {list(plan.places)} are settled needs places from 1"
            f" on and a budget of matches, got {plan.most_matches!r}"
        )
    places = sorted(set(plan.places))
    return {"meetings": plan.meetings, "places": places, "matches": plan.most_matches}
