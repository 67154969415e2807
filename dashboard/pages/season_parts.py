"""The page of a season in parts, each keyed by what it shows; whether a reader may see the season
has been decided before."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property

from sqlalchemy.orm import defer
from sqlmodel import Session, col, select

from dashboard import reads
from dashboard.pages.shared import WHOLE, Page, Part, Shown
from dashboard.reads import UpsetSearch, seconds_left
from dashboard.render import Kept, Point, RaceLine, note_moment, this_minute
from dashboard.site import Site
from dashboard.viewer import Highlight, reviewed_highlights
from league import ratings
from league.ratings import Table
from league.reviews import FINAL_GAMES, final_of
from store import (
    Entry,
    Season,
    SeasonState,
    match_lists,
    results,
    reviews,
    revisions,
    scales,
    seasons,
)
from store import ratings as store_ratings
from store.ratings import HistoryPoint
from store.revisions import Tokens
from store.seasons import Progress

SCHEDULE_PAGE = 40
RACERS = 5
RACE_POINTS = 120
SEARCH_BYTES = 200_000
"""What a search for upsets takes, nearly: some hundred matches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedFinal:
    """The final of a season, as its reviews see it."""

    match_id: int
    first: ratings.Row
    rival: ratings.Row
    highlights: tuple[Highlight, ...]


def season_page(site: Site, session: Session, season_id: int, after: int) -> Page:
    """The page of a season; the schedule begins after this match."""
    reading = _Reading(site, session, season_id, after)
    own, names = revisions.season_topic(season_id), revisions.NAMES
    matches, past = revisions.season_matches(season_id), revisions.season_past(season_id)
    history = revisions.season_history(season_id)
    parts = {
        WHOLE: Part(template="season.html", topics=(own, names), read=reading.whole),
        "description": Part(
            template="season/description.html", topics=(own, matches), read=reading.description
        ),
        "progress": Part(
            template="season/progress.html",
            topics=(own, matches),
            read=reading.how_far,
            slots=True,
        ),
        "story": Part(
            template="season/story.html",
            topics=(own, names, matches, past),
            steady=(own, names, past),
            read=reading.story,
        ),
        "race": Part(template="season/race.html", topics=(own, names, history), read=reading.race),
        "trust": Part(
            template="season/trust.html",
            topics=(own, matches),
            steady=(own,),
            read=reading.trust,
        ),
        "schedule": Part(
            template="season/schedule.html",
            topics=(own, names, matches),
            steady=(own, names),
            read=reading.schedule,
        ),
    }
    return Page(topics=(own, names, matches, past, history), part=parts.__getitem__)


class _Reading:
    """What the parts of one season read, each thing at most once."""

    def __init__(self, site: Site, session: Session, season_id: int, after: int) -> None:
        self._site = site
        self._session = session
        self._id = season_id
        self._after = after

    @cached_property
    def _row(self) -> Season:
        """Without the standings: a result does not change them, and they are long."""
        whole = select(Season).where(Season.id == self._id)
        return self._session.exec(whole.options(defer(col(Season.standings)))).one()  # type: ignore[arg-type]

    @cached_property
    def _table(self) -> Table | None:
        return ratings.read_table(self._row.standings)

    @cached_property
    def _entries(self) -> list[tuple[Entry, str, int | None]]:
        return reads.entries(self._session, self._id)

    @cached_property
    def _progress(self) -> Progress:
        return seasons.kept_progress(self._session, [self._id])[self._id]

    def whole(self, _steady: Tokens) -> Shown:
        """Everything that results alone do not change, and the places of the rest."""
        row, table, entries = self._row, self._table, self._entries
        over = row.state.is_final
        values = {
            "season": row,
            "table": table,
            "verdict": reads.verdict(table, over=over) if table else "",
            "decided": bool(table and reads.is_decided(table)),
            "tied": bool(table and reads.is_tied(table)),
            "is_over": over,
            "entries": entries,
        }
        facts = {
            "open": row.state is SeasonState.OPEN,
            "rules": row.rules,
            "entered": frozenset(entry.bot_id for entry, _, _ in entries),
        }
        return Shown(values=lambda: values, facts=facts)

    def description(self, _steady: Tokens) -> Shown:
        """One sentence for other sites."""
        return Shown(values=lambda: {"season": self._row, "progress": self._progress})

    def how_far(self, _steady: Tokens) -> Shown:
        """How many matches are done, and how long the rest takes."""
        values = {
            "season": self._row,
            "progress": self._progress,
            "left": seconds_left(self._session, self._row, self._progress),
            "is_over": self._row.state.is_final,
        }
        return Shown(values=lambda: values)

    def story(self, steady: Tokens) -> Shown:
        """What surprised, and when it is over what happened."""
        over = self._row.state.is_final
        recap = reads.recap(self._table, self._progress.done) if over and self._table else []
        upsets = self._upsets(steady).find(self._session, self._id)
        final = self._final() if over else None
        values = {"is_over": over, "recap": recap, "upsets": upsets, "final": final}
        return Shown(values=lambda: values, key=(over, recap, upsets, final))

    def _final(self) -> ReviewedFinal | None:
        """What the reviews of the final say; no topic tells of reviews, so until all are made the
        story looks again: every minute while they are being made, every hour while none is."""
        final = final_of(self._session, self._row)
        if final is None:
            return None
        match_id = final.match_id
        games = results.games(self._session, match_id)
        told = reviews.summaries(self._session, match_id)
        if reviews.are_coming(self._session, match_id):
            note_moment(this_minute() + timedelta(minutes=1))
        elif len(told) < min(FINAL_GAMES, len(games)):
            # They are wanted when the standings are up to date, or again after a failure.
            note_moment(this_minute() + timedelta(hours=1))
        names = {
            one.number: one.bot for one in match_lists.seated(self._session, [match_id])[match_id]
        }
        bots = {(game.pass_no, game.game_no): [names[at] for at in game.seats] for game in games}
        highlights = tuple(reviewed_highlights(told, bots))
        if not highlights:
            return None
        return ReviewedFinal(
            match_id=match_id, first=final.first, rival=final.rival, highlights=highlights
        )

    def _upsets(self, steady: Tokens) -> UpsetSearch:
        """The search that was kept, which need only look at new results, or a new one."""
        shelf, address = self._site.shelf, ("upsets", self._id)
        kept = shelf.get(address)
        if kept is not None and kept.proof == steady and isinstance(kept.made, UpsetSearch):
            return kept.made
        assert self._table is not None, "without standings the story has no place on the page"
        search = UpsetSearch(self._table, {entry.bot_id: name for entry, name, _ in self._entries})
        shelf.put(address, Kept(made=search, size=SEARCH_BYTES, proof=steady))
        return search

    def race(self, _steady: Tokens) -> Shown:
        """How the ratings of the first went over time."""
        assert self._table is not None, "without standings the race has no place on the page"
        versions = {name: entry.version_id for entry, name, _ in self._entries if entry.version_id}
        first = [row.bot for row in self._table.rows[:RACERS] if row.bot in versions]
        scale = scales.of_season(self._session, self._id)
        points = store_ratings.history(self._session, scale.id, [versions[bot] for bot in first])
        race = [
            RaceLine(name=reads.short_name(bot), points=race_points(points, versions[bot]))
            for bot in first
        ]
        values = {"race": race, "is_over": self._row.state.is_final}
        return Shown(values=lambda: values)

    def trust(self, _steady: Tokens) -> Shown:
        """How reliable the standings are; matches that no longer count are mentioned."""
        struck = self._progress.struck
        return Shown(
            values=lambda: {"season": self._row, "table": self._table, "struck": struck},
            key=struck,
        )

    def schedule(self, _steady: Tokens) -> Shown:
        """A page of the matches in the order of the plan; most results are on other pages."""
        lines = match_lists.schedule(
            self._session, self._id, after=self._after, limit=SCHEDULE_PAGE
        )
        seats = match_lists.seat_lines(self._session, [match.id for match in lines])
        values = {
            "season": self._row,
            "is_over": self._row.state.is_final,
            "schedule": lines,
            "seats": seats,
            "after": self._after,
            "more": lines[-1].id if len(lines) == SCHEDULE_PAGE else None,
        }
        return Shown(values=lambda: values, key=(lines, seats))


def race_points(points: Sequence[HistoryPoint], version_id: int) -> list[Point]:
    """How a version's rating went over time, in no more points than a screen can show."""
    own = [point for point in points if point.version_id == version_id]
    step = max(1, -(-len(own) // RACE_POINTS))
    kept = own[::-1][::step][::-1]
    return [
        Point(x=point.at.timestamp(), y=value, label=point.at.strftime("%-d %b, %H:%M"))
        for point in kept
        if (value := point.live if point.official is None else point.official) is not None
    ]
