"""The front page: what is on, who leads, what was played last."""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.responses import Response
from starlette.routing import Route

from dashboard import reads
from dashboard.pages.page import Ctx, show
from dashboard.reads import seconds_left
from league import ratings
from league.ratings import Table
from store import MatchState, Season, SeasonState, match_lists
from store.seasons import Progress

SHOWN_SEASONS = 3
_ON = (SeasonState.RUNNING, SeasonState.PAUSED, SeasonState.FROZEN, SeasonState.OPEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonCard:
    """A season at a glance."""

    season: Season
    progress: Progress
    table: Table | None
    left: int | None = None
    """Seconds; only where it is shown."""


def season_cards(
    seasons: list[Season],
    progress: dict[int, Progress],
    left: Mapping[int, int | None] | None = None,
) -> list[SeasonCard]:
    """Cards for seasons whose progress has been read."""
    return [
        SeasonCard(
            season=season,
            progress=progress[season.id],
            table=ratings.read_table(season.standings),
            left=(left or {}).get(season.id),
        )
        for season in seasons
    ]


def home(ctx: Ctx) -> Response:
    """What is on."""
    with ctx.site.store.read() as session:
        seasons = reads.visible_seasons(session, organiser=False, limit=20)
        on = [season for season in seasons if season.state in _ON]
        shown = (on or seasons)[:SHOWN_SEASONS]
        progress = reads.progress_of(session, [season.id for season in shown])
        left = {one.id: seconds_left(session, one, progress[one.id]) for one in shown}
        hidden = reads.hidden_seasons(session)
        running = match_lists.matches(session, states=[MatchState.RUNNING], hidden=hidden, limit=6)
        latest = match_lists.latest(session, hidden=hidden, limit=8)
        seats = match_lists.seated(session, [match.id for match in (*running, *latest)])
    return ctx.render(
        "home.html",
        cards=season_cards(shown, progress, left),
        running=running,
        latest=latest,
        seats=seats,
    )


def routes() -> list[Route]:
    """The front page."""
    return [show("/", home, cached=True)]
