"""The states that live pages follow, as small documents; public facts and the owner's own only."""

from sqlmodel import Session

from api_models.words import clean
from dashboard.site import Site
from league.seasons import time_left
from store import (
    JsonDict,
    Match,
    MatchState,
    Season,
    SeasonState,
    Submission,
    present,
    seasons,
)
from store.seasons import Progress

LOG_CHARACTERS = 20_000


def submission_state(session: Session, submission_id: int) -> JsonDict:
    """The progress of a submission, with the end of its log; the caller has checked who asks."""
    row = present(session, Submission, submission_id)
    return {
        "state": row.state.value,
        "log": clean(row.log[-LOG_CHARACTERS:]),
        "final": row.state.is_final,
    }


def season_state(session: Session, season_id: int) -> JsonDict:
    """The progress of a season."""
    season = present(session, Season, season_id)
    progress = seasons.progress(session, season_id)
    return {
        "state": season.state.value,
        "done": progress.done,
        "total": progress.total,
        "left": seconds_left(session, season, progress),
        "standings_at": season.standings_at.isoformat() if season.standings_at else None,
        "final": season.state.is_final,
    }


def games_over(site: Site, match: Match) -> int | None:
    """How many games of a match that is being played are over; None when that is not known here."""
    if match.state is not MatchState.RUNNING:
        return None
    record = site.services.live(match.id, (0, 0))
    counts = [item.data.get("done") for item in record if item.of == match.commitment]
    return max((count for count in counts if isinstance(count, int)), default=None)


def seconds_left(session: Session, season: Season, progress: Progress) -> int | None:
    """How long the rest will take, as the organiser's page says; None: nothing to go by."""
    if season.state is not SeasonState.RUNNING:
        return None
    return int(time_left(session, season, progress).seconds or 0) or None
