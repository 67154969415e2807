"""What a step that cannot be taken back would do, before it is taken."""

from dataclasses import dataclass

from sqlmodel import Session

from dashboard.reads import access
from league import seasons
from league.seasons import lineup
from store import EntryState, Season, SeasonState
from store.seasons import Progress, progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """A season before its next step."""

    bots: int
    drops: list[tuple[str, str]]
    """Entries that would not play, with the reason."""
    matches: int
    seconds: float | None
    """On the workers that are alive; None: there is nothing to play."""
    slots: int
    progress: Progress


def step_outlook(session: Session, season: Season) -> Outlook:
    """Who plays, how many matches and how long; as planned, or as far as can be said before."""
    entries = access.entries(session, season.id)
    drops: list[tuple[str, str]] = []
    bots = sum(entry.state is EntryState.ENTERED for entry, _, _ in entries)
    if season.state in (SeasonState.DRAFT, SeasonState.OPEN):
        names = {entry.id: name for entry, name, _ in entries}
        found = lineup(session, season)
        bots = len(found.plays)
        drops = [(names[entry.id], reason) for entry, reason in found.drops]
    planned = progress(session, season.id)
    ahead = seasons.look_ahead(session, _question(season, bots), ()) if bots > 1 else None
    matches = planned.total or (ahead.reach.matches if ahead else 0)
    return Outlook(
        bots=bots,
        drops=drops,
        matches=matches,
        seconds=ahead.reach.seconds * matches / ahead.reach.matches if ahead else None,
        slots=ahead.measured.fleet.slots if ahead else 0,
        progress=planned,
    )


def _question(season: Season, bots: int) -> seasons.ForecastQuestion:
    return seasons.ForecastQuestion(
        rules=season.rules,
        options=season.options,
        bots=bots,
        table_size=season.table_size,
        boards=season.boards,
        duplicate=season.passes > 1,
        meetings=seasons.meetings_of(season),
    )
