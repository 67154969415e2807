"""Bots: the list, and one bot with its versions, rating history, opponents, faults and badge."""

from dataclasses import dataclass
from typing import Any

from sqlmodel import Session
from starlette.responses import Response
from starlette.routing import Route

from dashboard import reads
from dashboard.http import Refused
from dashboard.pages.page import Ctx, found, show
from dashboard.reads import gates_of
from dashboard.render import Point, rules_title, season_url
from league import ladder as ladders
from league import ratings as league_ratings
from league.ladder import Why
from store import (
    Ladder,
    MatchState,
    Rating,
    Scale,
    Season,
    Version,
    bots,
    match_lists,
    ratings,
)
from store import ladders as store_ladders
from store.ratings import HistoryPoint

BADGE_SECONDS = 300
FEED_MATCHES = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """What one ladder or season says of a bot's current version."""

    rating: Rating
    scale: Scale
    season: Season | None
    title: str = ""
    """That of the ladder."""

    @property
    def name(self) -> str:
        """What pages call it."""
        if self.season is not None:
            return self.season.title or self.season.name
        usual = f"{rules_title(self.scale.rules)} ladder, {self.scale.table_size} seats"
        return self.title or usual

    @property
    def url(self) -> str:
        """Its page."""
        return season_url(self.season.name) if self.season else f"/ladders/{self.scale.id}"


def bot_list(ctx: Ctx) -> Response:
    """All bots, newest first, or those that a word finds."""
    search = ctx.query("q")[:40]
    with ctx.site.store.read() as session:
        lines = reads.bots_page(session, before=ctx.query_int("before"), search=search)
    more = lines[-1].bot.id if len(lines) == reads.PAGE_SIZE else None
    return ctx.render("bots.html", lines=lines, more=more, search=search)


def bot(ctx: Ctx, owner: str, name: str) -> Response:
    """One bot; with `version` in the address what that version did alone."""
    with ctx.site.store.read() as session:
        line = found(reads.find_bot(session, owner, name), "bot")
        versions = bots.versions(session, line.bot.id)
        picked = picked_version(ctx, line, versions)
        shown = versions if picked is None else [picked]
        of_one = None if picked is None else picked.id
        scales = current_scales(session, shown, line.bot.current_version)
        chosen = _chosen(scales, ctx.query_int("ladder"))
        hidden = set() if ctx.viewer.is_organiser else reads.hidden_seasons(session)
        private = ctx.viewer.sees_private(line.bot.owner_id)
        # Points of different rules cannot be added up: with a scale, what was played on it.
        scale_id = chosen.scale.id if chosen else None
        parts: dict[str, Any] = {
            **_rated(session, chosen, shown, line.full_name),
            **_played(session, line, of_one, hidden),
            **_faulted(session, [version.id for version in shown], hidden),
            "think": reads.think_times(session, line.bot.id, of_one),
            "sums": reads.sums_of(session, line.bot.id, scale_id=scale_id, version_id=of_one),
            "in_all": reads.sums_of(session, line.bot.id, version_id=of_one),
            "by_version": reads.sums_by_version(session, line.bot.id, scale_id=scale_id),
            "why": why_not_playing(session, line) if private else [],
            "gates": gates_of(session, line.bot.id) if private else [],
        }
    return ctx.render(
        "bot.html",
        line=line,
        versions=versions,
        picked=picked,
        scales=scales,
        chosen=chosen,
        private=private,
        **parts,
    )


def picked_version(ctx: Ctx, line: reads.BotLine, versions: list[Version]) -> Version | None:
    """The version that the address names; None: it names none."""
    typed = ctx.query("version")
    if not typed:
        return None
    number = ctx.query_int("version")
    one = next((version for version in versions if version.number == number), None)
    if one is None:
        known = ", ".join(str(version.number) for version in reversed(versions)) or "none yet"
        raise Refused(
            404, f"got version {typed[:20]!r} of {line.full_name}, expected one of: {known}"
        )
    return one


def _rated(
    session: Session, chosen: Rated | None, shown: list[Version], bot_name: str
) -> dict[str, object]:
    """How the rating moved, and against whom."""
    numbers = {version.id: version.number for version in shown}
    points = ratings.history(session, chosen.scale.id, list(numbers)) if chosen else []
    opponents = _opponents(chosen, bot_name, set(numbers.values()))
    return {
        "history": history_points(points),
        "live": live_points(points),
        "marks": version_marks(points, numbers),
        "points": points[-20:],
        "numbers": numbers,
        "opponents": opponents,
        "rivalry": reads.rivalry(opponents),
    }


def _played(
    session: Session, line: reads.BotLine, version_id: int | None, hidden: set[int]
) -> dict[str, object]:
    """The last matches, and the best and worst game of them."""
    matches = match_lists.matches(
        session, bot_id=line.bot.id, version_id=version_id, hidden=hidden, limit=10
    )
    seats = match_lists.seated(session, [match.id for match in matches])
    done = [match.id for match in matches if match.state is MatchState.DONE]
    games = reads.best_and_worst(session, line.bot.id, {one: seats[one] for one in done})
    return {"matches": matches, "seats": seats, "games": games}


def _faulted(session: Session, ids: list[int], hidden: set[int]) -> dict[str, object]:
    return {
        "faults": match_lists.faults_of(session, ids, hidden=hidden, limit=10),
        "fault_counts": reads.fault_counts(session, ids),
    }


def current_scales(session: Session, versions: list[Version], current: int | None) -> list[Rated]:
    """Ratings of the current version, or of the latest that has any."""
    rows = reads.ratings_of(session, [version.id for version in versions])
    wanted = {version.id for version in versions if version.number == current}
    chosen = [row for row in rows if row[0].version_id in wanted]
    if not chosen and rows:
        latest = max(row[0].version_id for row in rows)
        chosen = [row for row in rows if row[0].version_id == latest]
    return [
        Rated(rating=rating, scale=scale, season=season, title=title)
        for rating, scale, season, title in chosen
    ]


def _chosen(scales: list[Rated], wanted: int | None) -> Rated | None:
    return next((s for s in scales if s.scale.id == wanted), scales[0] if scales else None)


def history_points(points: list[HistoryPoint]) -> list[Point]:
    """The history as points of a chart: official with its band, else live Elo."""
    made = []
    for number, point in enumerate(points):
        value = point.official if point.official is not None else point.live
        if value is not None:
            label = point.at.strftime("%-d %b %H:%M")
            made.append(Point(x=number, y=value, low=point.low, high=point.high, label=label))
    return made


def live_points(points: list[HistoryPoint]) -> list[Point]:
    """Live Elo, where there is an official rating for it to stand beside."""
    if not any(point.official is not None for point in points):
        return []
    return [
        Point(x=number, y=point.live)
        for number, point in enumerate(points)
        if point.live is not None
    ]


def why_not_playing(session: Session, line: reads.BotLine) -> list[tuple[Ladder, Why]]:
    """The one reason on each open ladder of the bot's rules."""
    return [
        (ladder, ladders.why_idle(session, ladder, line.full_name))
        for ladder in store_ladders.ladders(session, only_open=True)
        if ladder.rules in line.bot.rules
    ]


def version_marks(points: list[HistoryPoint], numbers: dict[int, int]) -> list[tuple[float, str]]:
    """Where a new version began."""
    marks: list[tuple[float, str]] = []
    for at, point in enumerate(points):
        if at == 0 or points[at - 1].version_id != point.version_id:
            marks.append((float(at), f"v{numbers.get(point.version_id, '?')}"))
    return marks


def _opponents(chosen: Rated | None, bot_name: str, numbers: set[int]) -> list[reads.Opponent]:
    if chosen is None:
        return []
    source = chosen.season.standings if chosen.season else chosen.scale.standings
    table = league_ratings.read_table(source)
    row = None if table is None else table.row(bot_name)
    # A table knows one version of a bot; what it says is not about the others.
    if table is None or row is None or row.version not in numbers:
        return []
    return reads.opponents_of(table.crosstable, bot_name)


def rating_words(scales: list[Rated]) -> str:
    """The rating of a bot with its error, in as few letters as can be."""
    if not scales:
        return "not rated"
    rating = scales[0].rating
    value = f"{rating.official if rating.official is not None else rating.live:.0f}"
    if rating.low is not None and rating.high is not None:
        value += f" ± {(rating.high - rating.low) / 2:.0f}"
    return value


def badge(ctx: Ctx, owner: str, name: str) -> Response:
    """A small picture with the rating, for a README."""
    with ctx.site.store.read() as session:
        line = found(reads.find_bot(session, owner, name), "bot")
        versions = bots.versions(session, line.bot.id)
        scales = current_scales(session, versions, line.bot.current_version)
    response = ctx.render("badge.svg", label=line.bot.name, value=rating_words(scales))
    response.headers["content-type"] = "image/svg+xml"
    response.headers["cache-control"] = f"public, max-age={BADGE_SECONDS}"
    response.headers["cross-origin-resource-policy"] = "cross-origin"
    return response


def bot_feed(ctx: Ctx, owner: str, name: str) -> Response:
    """The latest results of one bot as an Atom feed, for those who follow it."""
    with ctx.site.store.read() as session:
        line = found(reads.find_bot(session, owner, name), "bot")
        hidden = reads.hidden_seasons(session)
        latest = match_lists.matches(
            session,
            bot_id=line.bot.id,
            states=[MatchState.DONE],
            hidden=hidden,
            limit=FEED_MATCHES,
        )
        seats = match_lists.seated(session, [match.id for match in latest])
    response = ctx.render("feed.xml", latest=latest, seats=seats, bot=line.full_name)
    response.headers["content-type"] = "application/atom+xml; charset=utf-8"
    return response


def routes() -> list[Route]:
    """Bots."""
    return [
        show("/bots", bot_list, cached=True),
        show("/bots/{owner}/{name}", bot, cached=True),
        show("/bots/{owner}/{name}/badge.svg", badge),
        show("/bots/{owner}/{name}/feed.atom", bot_feed),
    ]
