"""What is being played now, and a running match to follow with the season's standings beside it."""

from sqlmodel import Session
from starlette.responses import Response
from starlette.routing import Route

from dashboard import reads
from dashboard.pages.page import Ctx, show
from dashboard.reads import visible_match
from league import ratings
from league.ratings import Table
from store import Match, MatchState, Season, match_lists

SHOWN = 12


def running_matches(session: Session, limit: int = SHOWN) -> list[Match]:
    """The matches that anybody may follow now, newest first."""
    hidden = reads.hidden_seasons(session)
    return match_lists.matches(session, states=[MatchState.RUNNING], hidden=hidden, limit=limit)


def live(ctx: Ctx) -> Response:
    """What is on, and one match of it on screen; when it is over the next one follows."""
    with ctx.site.store.read() as session:
        running = running_matches(session)
        season = _season(session, running[0]) if running else None
        hidden = reads.hidden_seasons(session)
        latest = [] if running else match_lists.latest(session, hidden=hidden, limit=5)
        shown = [*(match.id for match in running), *(match.id for match in latest)]
        seats = match_lists.seated(session, shown)
    return ctx.render(
        "live.html",
        match=running[0] if running else None,
        running=running,
        latest=latest,
        seats=seats,
        season=season,
        table=_table(season),
        goes_on=True,
    )


def live_match(ctx: Ctx, match_id: int) -> Response:
    """One match to follow; one that is over leads to its replays."""
    with ctx.site.store.read() as session:
        match = visible_match(session, ctx.viewer, match_id)
        season = _season(session, match)
        running = [other for other in running_matches(session) if other.id != match_id]
        seats = match_lists.seated(session, [match_id, *(other.id for other in running)])
    return ctx.render(
        "live.html",
        match=match,
        running=running,
        latest=[],
        seats=seats,
        season=season,
        table=_table(season),
        goes_on=False,
    )


def _season(session: Session, match: Match) -> Season | None:
    return session.get(Season, match.season_id) if match.season_id else None


def _table(season: Season | None) -> Table | None:
    return ratings.read_table(season.standings) if season else None


def routes() -> list[Route]:
    """Live pages."""
    return [
        show("/live", live, cached=True),
        show("/matches/{match_id:int}/live", live_match, cached=True),
    ]
