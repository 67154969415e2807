"""The states that live pages follow, as small documents; public facts and the owner's own only."""

from sqlmodel import Session

from dashboard.text import clean
from store import JsonDict, Season, Submission, present, seasons, utc_now
from store.seasons import Progress

LOG_CHARACTERS = 20_000


def submission_state(session: Session, submission_id: int) -> JsonDict:
    """How far a submission is, with the end of its log; the caller has checked who asks."""
    row = present(session, Submission, submission_id)
    return {
        "state": row.state.value,
        "log": clean(row.log[-LOG_CHARACTERS:]),
        "final": row.state.is_final,
    }


def season_state(session: Session, season_id: int) -> JsonDict:
    """How far a season is."""
    season = present(session, Season, season_id)
    progress = seasons.progress(session, season_id)
    return {
        "state": season.state.value,
        "done": progress.done,
        "total": progress.total,
        "left": seconds_left(season, progress),
        "standings_at": season.standings_at.isoformat() if season.standings_at else None,
        "final": season.state.is_final,
    }


def seconds_left(season: Season, progress: Progress) -> int | None:
    """How long the rest will take at the pace so far; None: nothing to go by."""
    if season.started_at is None or not progress.done or season.state.is_final:
        return None
    pace = (utc_now() - season.started_at).total_seconds() / progress.done
    return int(pace * progress.open)
