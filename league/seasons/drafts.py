"""A season before it is settled: made from a plan, changed, deleted; guarded and audited.

What happens to it from its opening on is in `life`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlmodel import Session

import store
from league.audit import Action, Actor
from league.errors import LeagueRefusal
from league.seasons import rehearsal, rows
from league.seasons.life import DATES, audit, check_dates, check_future
from league.seasons.plan import SeasonPlan, amended
from league.seasons.rows import as_choices, plan_of
from store import Bot, Owner, Season, SeasonState, Store

FREE = frozenset({"title", "about", *DATES})
"""What may still be changed when entries are open: no author entered because of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What was changed in a plan, as JSON can hold it."""

    before: object
    after: object


def create(session: Session, plan: SeasonPlan, actor: Actor) -> Season:
    """Make a draft season; everything that could fail later is checked now."""
    made_by = actor.id if isinstance(actor, Owner) else None
    season = Season(**rows.columns(plan), created_by_id=made_by)
    check_dates(season)
    check_future(session, season, DATES)
    store.seasons.add_season(session, season)
    audit(
        session,
        actor,
        Action.SEASON_CREATE,
        season,
        {"rules": season.rules, "boards": season.boards},
    )
    return season


def edit(
    session: Session, season_id: int, given: Mapping[str, Any], actor: Actor
) -> dict[str, Change]:
    """Change the plan of a draft; returns what is different, by its word.

    Only organisers have seen a draft. When entries are open only what is `FREE` changes.
    """
    season = store.locked(session, Season, season_id)
    if season.state not in (SeasonState.DRAFT, SeasonState.OPEN):
        raise LeagueRefusal(
            f"season {season.name!r} is {season.state}; its plan can be changed before the freeze"
        )
    columns = rows.columns(amended(plan_of(season), given))
    if columns["name"] != season.name:
        store.seasons.check_free(session, columns["name"])
    before = as_choices(season)
    for name, value in columns.items():
        setattr(season, name, value)
    after = as_choices(season)
    changed = {
        word: Change(before=before[word], after=after[word])
        for word in after
        if before[word] != after[word]
    }
    if changed:
        _check_change(session, season, set(changed))
        session.flush()
        detail = {word: asdict(one) for word, one in changed.items()}
        audit(session, actor, Action.SEASON_EDIT, season, dict(detail))
    return changed


def _check_change(session: Session, season: Season, words: set[str]) -> None:
    """LeagueRefusal where authors rely on what was changed; else what depends on it follows."""
    check_dates(season)
    check_future(session, season, [name for name in DATES if name in words])
    fixed = words - FREE
    if season.state is not SeasonState.DRAFT and fixed:
        raise LeagueRefusal(
            f"season {season.name!r} is {season.state}, and its entrants rely on"
            f" {', '.join(sorted(fixed))}; only title, about and dates can be changed now"
        )
    if fixed <= {"name"}:
        return
    if rehearsal.leftover_rehearsals(session, season.id):
        raise LeagueRefusal(
            f"a rehearsal of {season.name!r} with the old plan is running; stop it, or wait"
        )
    season.rehearsed = None
    entries = store.seasons.entries(session, season.id, only_entered=True)
    bots = [store.present(session, Bot, entry.bot_id) for entry in entries]
    names = store.bots.full_names(session, [bot.id for bot in bots])
    lost = [names[bot.id] for bot in bots if season.rules not in bot.rules]
    if lost:
        raise LeagueRefusal(
            f"bots that do not play {season.rules} are entered: {', '.join(lost)};"
            " withdraw them first"
        )
    store.seasons.fit_scale(session, season)


def delete(database: Store, season_id: int, actor: Actor) -> None:
    """Delete a draft with its entries and rehearsals; the audit log keeps what it was."""
    with database.read() as session:
        check_draft(store.seasons.season(session, season_id))
    rehearsal.stop_rehearsal(database, season_id, actor)
    with database.write() as session:
        season = store.locked(session, Season, season_id)
        check_draft(season)
        if rehearsal.leftover_rehearsals(session, season_id):
            raise LeagueRefusal(f"a rehearsal of {season.name!r} has just begun; try again")
        entries = len(store.seasons.entries(session, season_id, only_entered=True))
        audit(
            session, actor, Action.SEASON_DELETE, season, {**as_choices(season), "entries": entries}
        )
        store.seasons.remove(session, season_id)


def check_draft(season: Season) -> None:
    """LeagueRefusal unless it can still be deleted."""
    if season.state is not SeasonState.DRAFT:
        raise LeagueRefusal(
            f"season {season.name!r} is {season.state}; only a draft can be deleted, everything"
            " later is kept for good"
        )
