"""The front page, an arena: a board that plays, who leads, what comes next, how to join."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlmodel import Session
from starlette.responses import Response
from starlette.routing import Route

from dashboard import reads
from dashboard.pages.page import Ctx, show
from dashboard.reads import LadderCard, ladder_cards, seconds_left, verdict
from dashboard.viewer import Highlight, match_highlights
from league import ratings
from league.ratings import Table
from store import Match, MatchState, Season, SeasonState, match_lists
from store.seasons import Progress

SHOWN_SEASONS = 4
SHOWN_LATEST = 6
SHOWN_LADDERS = 4
_ORDER = (
    SeasonState.RUNNING,
    SeasonState.PAUSED,
    SeasonState.FROZEN,
    SeasonState.OPEN,
    SeasonState.FINISHED,
    SeasonState.ARCHIVED,
)
"""What a visitor wants to see first."""
IN_ONE_SENTENCE = {
    "six-nimmt": "All bots reveal a card at once. Each card joins the row it follows; the sixth"
    " card of a row takes the five before it. Bullheads are points, and the fewest win.",
    "eleven-nimmt": "Lay cards on a pile while they are at most ten higher. A bot that cannot takes"
    " a pile into its hand; what it holds at the end are points, and the fewest win.",
    "x-nimmt": "All bots reveal a card at once. One card too many takes the row: one card of it"
    " must go out in ascending order, the rest comes back to the hand. The fewest bullheads win.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonCard:
    """A season at a glance."""

    season: Season
    progress: Progress
    table: Table | None
    left: int | None = None
    """Seconds; only where it is shown."""

    @property
    def is_over(self) -> bool:
        """Whether it has a result that stays."""
        return self.season.state in (SeasonState.FINISHED, SeasonState.ARCHIVED)

    @property
    def verdict(self) -> str:
        """Who leads or has won, in a sentence; empty when nothing was played."""
        return verdict(self.table, over=self.is_over) if self.table else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The board of the front page: a match that is being played, or a game worth watching."""

    match: Match
    game: Highlight | None
    """None: it is live."""


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


def by_interest(seasons: Sequence[Season]) -> list[Season]:
    """What is on first, then what can be entered, what is over, and archives last."""
    known = [season for season in seasons if season.state in _ORDER]
    return sorted(known, key=lambda season: (_ORDER.index(season.state), -season.id))


def home(ctx: Ctx) -> Response:
    """What is on."""
    with ctx.site.store.read() as session:
        seasons = by_interest(reads.visible_seasons(session, organiser=False, limit=20))
        shown = [one for one in seasons if one.state is not SeasonState.OPEN][:SHOWN_SEASONS]
        progress = reads.progress_of(session, [season.id for season in shown])
        left = {one.id: seconds_left(session, one, progress[one.id]) for one in shown}
        hidden = reads.hidden_seasons(session)
        running = match_lists.matches(session, states=[MatchState.RUNNING], hidden=hidden, limit=6)
        latest = match_lists.latest(session, hidden=hidden, limit=SHOWN_LATEST)
        stage = _stage(ctx, session, running, latest)
        ladders = _open_first(ladder_cards(session, with_standings=True))
        seats = match_lists.seated(session, [match.id for match in (*running, *latest)])
    return ctx.render(
        "home.html",
        cards=season_cards(shown, progress, left),
        enterable=[one for one in seasons if one.state is SeasonState.OPEN],
        ladders=ladders[:SHOWN_LADDERS],
        running=running,
        latest=latest,
        seats=seats,
        stage=stage,
        rules_sentence=IN_ONE_SENTENCE.get(stage.match.rules if stage else "six-nimmt", ""),
    )


def _stage(
    ctx: Ctx, session: Session, running: Sequence[Match], latest: Sequence[Match]
) -> Stage | None:
    """A match that can be watched now, else the best game of the last match; None: neither."""
    for match in running:
        heard = ctx.site.services.live(match.id, (0, 0))
        if any(item.of == match.commitment for item in heard):
            return Stage(match=match, game=None)
    for match in latest[:1]:
        for game in match_highlights(ctx.site, session, match.id)[:1]:
            return Stage(match=match, game=game)
    return None


def _open_first(cards: Sequence[LadderCard]) -> list[LadderCard]:
    return sorted(cards, key=lambda card: (card.state.value != "open", card.ladder.id))


def routes() -> list[Route]:
    """The front page."""
    return [show("/", home, cached=True)]
