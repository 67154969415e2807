"""The front page, an arena: a board that plays, who leads, what comes next, how to join."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import cast

from sqlmodel import Session
from starlette.responses import Response
from starlette.routing import Route

from dashboard import reads
from dashboard.pages.page import Ctx, show
from dashboard.pages.shared import WHOLE, Page, Part, Shown, shared_sheet
from dashboard.reads import LadderCard, ladder_cards, seconds_left, verdict
from dashboard.render import note_moment, this_minute
from dashboard.viewer import Highlight, match_highlights
from league import ratings
from league.ratings import Table
from store import Season, SeasonState, match_lists, revisions, seasons
from store.match_lists import MatchLine, SeatLine
from store.revisions import Tokens
from store.seasons import Progress

SHOWN_SEASONS = 4
SHOWN_LATEST = 6
SHOWN_RUNNING = 6
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
    "x-nimmt": "All bots reveal a card at once. Whoever plays one card too many takes the row: one"
    " of its cards goes to an X row that must ascend, the others go to the hand. Heads left in"
    " hand are points, and the fewest win.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonCard:
    """A season at a glance."""

    season: Season
    table: Table | None
    progress: Progress | None = None
    """Only where it is shown with the card."""

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

    match: MatchLine
    game: Highlight | None
    """None: it is live."""


def season_cards(seasons: list[Season], progress: dict[int, Progress]) -> list[SeasonCard]:
    """Cards for seasons whose progress has been read."""
    return [
        SeasonCard(
            season=season,
            progress=progress[season.id],
            table=ratings.read_table(season.standings),
        )
        for season in seasons
    ]


def by_interest(seasons: Sequence[Season]) -> list[Season]:
    """What is on first, then what can be entered, what is over, and archives last."""
    known = [season for season in seasons if season.state in _ORDER]
    return sorted(known, key=lambda season: (_ORDER.index(season.state), -season.id))


def home(ctx: Ctx) -> Response:
    """What is on."""

    def holds(facts: Mapping[str, object]) -> bool:
        # A match that is heard stays so while it runs; the ones before it may be heard now.
        return not any(_is_heard(ctx, *one) for one in cast(Waiting, facts.get("silent", ())))

    def begin(session: Session) -> Page:
        reading = _Reading(ctx, session)
        return Page(topics=_TOPICS, part=reading.part)

    return ctx.render_sheet(shared_sheet(ctx, begin=begin, holds=holds))


_TOPICS = (revisions.SEASONS, revisions.MATCHES, revisions.NAMES, revisions.LADDERS)
_RESULTS = (revisions.SEASONS, revisions.MATCHES, revisions.NAMES)


class _Reading:
    """What the parts of the front page read, each thing at most once."""

    def __init__(self, ctx: Ctx, session: Session) -> None:
        self._ctx = ctx
        self._session = session

    def part(self, name: str) -> Part:
        """A part by its name; those of seasons have the number of the season behind a colon."""
        kind, _, number = name.partition(":")
        if name == WHOLE:
            topics = (revisions.SEASONS, revisions.NAMES, revisions.LADDERS)
            return Part(template="home.html", topics=topics, read=self._whole)
        if kind == "progress":
            return Part(
                template="home/progress.html",
                topics=_RESULTS,
                read=lambda _: self._how_far(int(number)),
                slots=True,
            )
        read = {"running": self._running_now, "latest": self._last, "empty": self._nothing}
        return Part(
            template=f"home/{kind}.html",
            topics=_RESULTS,
            read=read.get(kind, self._on_stage),
        )

    @cached_property
    def _seasons(self) -> dict[int, Season]:
        """Without their standings: a result does not change them, and they are long."""
        shown = reads.visible_seasons(self._session, organiser=False, limit=20, standings=False)
        return {one.id: one for one in by_interest(shown)}

    @cached_property
    def _shown(self) -> list[Season]:
        begun = [one for one in self._seasons.values() if one.state is not SeasonState.OPEN]
        return begun[:SHOWN_SEASONS]

    @cached_property
    def _progress(self) -> dict[int, Progress]:
        return seasons.kept_progress(self._session, [one.id for one in self._shown])

    @cached_property
    def _hidden(self) -> set[int]:
        return reads.hidden_seasons(self._session)

    @cached_property
    def _running(self) -> list[MatchLine]:
        return match_lists.running(self._session, hidden=self._hidden, limit=SHOWN_RUNNING)

    @cached_property
    def _latest(self) -> list[MatchLine]:
        return match_lists.latest(self._session, hidden=self._hidden, limit=SHOWN_LATEST)

    @cached_property
    def _stage(self) -> tuple["Stage | None", Waiting]:
        return _stage(self._ctx, self._session, self._running, self._latest, self._hidden)

    @cached_property
    def _seats(self) -> dict[int, list[SeatLine]]:
        stage = self._stage[0]
        ids = {match.id for match in (*self._running, *self._latest)}
        ids |= {stage.match.id} if stage else set()
        return match_lists.seat_lines(self._session, sorted(ids))

    def _whole(self, _steady: Tokens) -> Shown:
        tables = reads.standings_of(self._session, [one.id for one in self._shown])
        ladders = _open_first(ladder_cards(self._session, with_standings=True, with_flying=False))
        values = {
            "cards": [
                SeasonCard(season=one, table=ratings.read_table(tables[one.id]))
                for one in self._shown
            ],
            "enterable": [one for one in self._seasons.values() if one.state is SeasonState.OPEN],
            "ladders": ladders[:SHOWN_LADDERS],
        }
        return Shown(values=lambda: values)

    def _how_far(self, number: int) -> Shown:
        progress = self._progress[number]
        left = seconds_left(self._session, self._seasons[number], progress)
        values = {"progress": progress, "left": left}
        return Shown(values=lambda: values, key=(progress, left))

    def _on_stage(self, _steady: Tokens) -> Shown:
        stage, silent = self._stage
        if _is_of_this_minute(self._latest):
            # Every part that shows the stage, not only the first that asked for it.
            note_moment(this_minute() + timedelta(minutes=1))
        table = self._seats.get(stage.match.id, []) if stage else []
        sentence = IN_ONE_SENTENCE.get(stage.match.rules if stage else "six-nimmt", "")
        values = {"stage": stage, "table": table, "rules_sentence": sentence}
        return Shown(values=lambda: values, key=(stage, table), facts={"silent": silent})

    def _running_now(self, _steady: Tokens) -> Shown:
        seats = {match.id: self._seats.get(match.id, []) for match in self._running}
        values = {"running": self._running, "seats": seats}
        return Shown(values=lambda: values, key=(self._running, seats))

    def _last(self, _steady: Tokens) -> Shown:
        seats = {match.id: self._seats.get(match.id, []) for match in self._latest}
        values = {"latest": self._latest, "seats": seats}
        return Shown(values=lambda: values, key=(self._latest, seats))

    def _nothing(self, _steady: Tokens) -> Shown:
        empty = not self._latest and not self._running
        return Shown(values=lambda: {"empty": empty}, key=empty)


def _is_heard(ctx: Ctx, match_id: int, commitment: str) -> bool:
    """Whether something of a match has come that can be shown live."""
    return any(item.of == commitment for item in ctx.site.services.live(match_id, (0, 0)))


def _stage(
    ctx: Ctx,
    session: Session,
    running: Sequence[MatchLine],
    latest: Sequence[MatchLine],
    hidden: Collection[int],
) -> tuple[Stage | None, Waiting]:
    """A match that can be watched now, else the best game of the last match; None: neither.

    Also the running matches of which nothing is heard yet, and which would be shown instead.
    """
    silent: list[tuple[int, str]] = []
    for match in running:
        if _is_heard(ctx, match.id, match.commitment):
            return Stage(match=match, game=None), tuple(silent)
        silent.append((match.id, match.commitment))
    for match in _featured(session, latest, hidden):
        for game in match_highlights(ctx.site, session, match.id)[:1]:
            return Stage(match=match, game=game), tuple(silent)
    return None, tuple(silent)


def _featured(
    session: Session, latest: Sequence[MatchLine], hidden: Collection[int]
) -> Sequence[MatchLine]:
    """The match whose best game is shown: the last one, or where results come in a stream the
    last of the minute before, so that no reader waits while all games of each are looked at."""
    if not _is_of_this_minute(latest):
        return latest[:1]
    before = match_lists.latest(session, hidden=hidden, limit=1, before=this_minute())
    return before or latest[:1]


def _is_of_this_minute(latest: Sequence[MatchLine]) -> bool:
    """Whether the last match will be featured only when the minute is over."""
    ended = latest[0].finished_at if latest else None
    return ended is not None and ended >= this_minute()


def _open_first(cards: Sequence[LadderCard]) -> list[LadderCard]:
    return sorted(cards, key=lambda card: (card.state.value != "open", card.ladder.id))


def routes() -> list[Route]:
    """The front page."""
    return [show("/", home)]
