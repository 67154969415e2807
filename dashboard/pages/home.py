"""The front page, an arena: a board that plays, who leads, what comes next, how to join."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from sqlmodel import Session
from starlette.responses import Response
from starlette.routing import Route

from dashboard import reads
from dashboard.pages.page import Ctx, show
from dashboard.pages.shared import Page, shared_sheet
from dashboard.reads import LadderCard, ladder_cards, seconds_left, verdict
from dashboard.viewer import Highlight, match_highlights
from league import ratings
from league.ratings import Table
from league.reviews import want_featured
from store import Match, MatchState, Season, SeasonState, match_lists, revisions
from store.seasons import Progress

SHOWN_SEASONS = 4
SHOWN_LATEST = 6
SHOWN_LADDERS = 4
Waiting = tuple[tuple[int, str], ...]
"""Matches by id and commitment."""
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


_TOPICS = (revisions.SEASONS, revisions.MATCHES, revisions.NAMES, revisions.LADDERS)


def home(ctx: Ctx) -> Response:
    """What is on."""

    def holds(facts: Mapping[str, object]) -> bool:
        # A match that is heard stays so while it runs; the ones before it may be heard now.
        return not any(_is_heard(ctx, *one) for one in cast(Waiting, facts["silent"]))

    def read(session: Session) -> Page:
        return _read_home(ctx, session)

    return ctx.render_sheet(shared_sheet(ctx, topics=lambda _: _TOPICS, read=read, holds=holds))


def _read_home(ctx: Ctx, session: Session) -> Page:
    seasons = by_interest(reads.visible_seasons(session, organiser=False, limit=20))
    shown = [one for one in seasons if one.state is not SeasonState.OPEN][:SHOWN_SEASONS]
    progress = reads.progress_of(session, [season.id for season in shown])
    left = {one.id: seconds_left(session, one, progress[one.id]) for one in shown}
    hidden = reads.hidden_seasons(session)
    running = match_lists.matches(session, states=[MatchState.RUNNING], hidden=hidden, limit=6)
    latest = match_lists.latest(session, hidden=hidden, limit=SHOWN_LATEST)
    stage, silent = _stage(ctx, session, running, latest)
    ladders = _open_first(ladder_cards(session, with_standings=True, with_flying=False))
    values: dict[str, object] = {
        "cards": season_cards(shown, progress, left),
        "enterable": [one for one in seasons if one.state is SeasonState.OPEN],
        "ladders": ladders[:SHOWN_LADDERS],
        "running": running,
        "latest": latest,
        "seats": match_lists.seat_lines(session, [match.id for match in (*running, *latest)]),
        "stage": stage,
        "rules_sentence": IN_ONE_SENTENCE.get(stage.match.rules if stage else "six-nimmt", ""),
    }
    return Page(template="home.html", values=values, facts={"silent": silent})


def _is_heard(ctx: Ctx, match_id: int, commitment: str) -> bool:
    """Whether something of a match has come that can be shown live."""
    return any(item.of == commitment for item in ctx.site.services.live(match_id, (0, 0)))


def _stage(
    ctx: Ctx, session: Session, running: Sequence[Match], latest: Sequence[Match]
) -> tuple[Stage | None, Waiting]:
    """A match that can be watched now, else the best game of the last match; None: neither.

    Also the running matches of which nothing is heard yet, and which would be shown instead.
    """
    silent: list[tuple[int, str]] = []
    for match in running:
        if _is_heard(ctx, match.id, match.commitment):
            return Stage(match=match, game=None), tuple(silent)
        silent.append((match.id, match.commitment))
    for match in latest[:1]:
        for game in match_highlights(ctx.site, session, match.id)[:1]:
            _want_review(ctx, match.id, game)
            return Stage(match=match, game=game), tuple(silent)
    return None, tuple(silent)


def _want_review(ctx: Ctx, match_id: int, game: Highlight) -> None:
    """Who comes from the front page finds the game reviewed, or nearly so."""
    review_id = want_featured(ctx.site.store, match_id, game.pass_no, game.game_no)
    if review_id is not None:
        ctx.site.services.review_wanted(review_id)


def _open_first(cards: Sequence[LadderCard]) -> list[LadderCard]:
    return sorted(cards, key=lambda card: (card.state.value != "open", card.ladder.id))


def routes() -> list[Route]:
    """The front page."""
    return [show("/", home)]
