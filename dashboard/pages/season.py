"""Seasons and ladders: standings, crosstable, schedule, balance, progress."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlmodel import Session
from starlette.responses import Response
from starlette.routing import Route

from dashboard import reads
from dashboard.http import Rank, Refused
from dashboard.pages.home import by_interest, season_cards
from dashboard.pages.page import Ctx, act, found, show
from dashboard.reads import ladder_cards, seconds_left
from dashboard.render import Point, RaceLine, rules_title, season_url
from league import authors, ratings
from league.errors import LeagueRefusal
from league.ratings import Table, ladder_fairness
from league.ratings import season_fairness as fairness
from league.seasons import preview_removal
from store import (
    Entry,
    EntryState,
    Ladder,
    RatingPoint,
    Scale,
    Season,
    SeasonState,
    match_lists,
    scales,
    seasons,
)
from store import ratings as store_ratings

SCHEDULE_PAGE = 40
RACERS = 5
RACE_POINTS = 120
LADDER_PAGE = 20


def season_list(ctx: Ctx) -> Response:
    """All seasons and ladders."""
    with ctx.site.store.read() as session:
        rows = reads.visible_seasons(session, organiser=ctx.viewer.is_organiser)
        if not ctx.viewer.is_organiser:
            rows = by_interest(rows)
        progress = reads.progress_of(session, [row.id for row in rows])
        ladders = ladder_cards(session)
    return ctx.render("seasons.html", cards=season_cards(rows, progress), ladders=ladders)


def season(ctx: Ctx, name: str) -> Response:
    """One season."""
    with ctx.site.store.read() as session:
        row = found(reads.season_named(session, name, organiser=ctx.viewer.is_organiser), "season")
        progress = seasons.progress(session, row.id)
        left = seconds_left(session, row, progress)
        entries = reads.entries(session, row.id)
        table = ratings.read_table(row.standings)
        story = _story(session, row, table, entries, progress.done) if table else None
        after = ctx.query_int("after") or 0
        schedule = reads.schedule(session, row.id, after=after, limit=SCHEDULE_PAGE)
        seats = match_lists.seated(session, [match.id for match in schedule])
        mine = []
        if ctx.viewer.owner is not None and row.state is SeasonState.OPEN:
            handle = ctx.viewer.owner.handle
            entered = {entry.bot_id for entry, _, _ in entries}
            lines = reads.bots_page(session, owner=handle, limit=100)
            mine = [
                line.bot
                for line in lines
                if line.bot.id not in entered and row.rules in line.bot.rules
            ]
    return ctx.render(
        "season.html",
        season=row,
        progress=progress,
        left=left,
        table=table,
        story=story,
        is_over=row.state.is_final,
        entries=entries,
        schedule=schedule,
        seats=seats,
        after=after,
        more=schedule[-1].id if len(schedule) == SCHEDULE_PAGE else None,
        mine=mine,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonStory:
    """What a season tells besides its numbers."""

    verdict: str
    decided: bool
    """Whether the first is apart from all others."""
    recap: list[str]
    upsets: list[reads.Upset]
    race: list[RaceLine]


def _story(
    session: Session,
    season: Season,
    table: Table,
    entries: Sequence[tuple[Entry, str, int | None]],
    done: int,
) -> SeasonStory:
    names = {entry.bot_id: name for entry, name, _ in entries}
    versions = {name: entry.version_id for entry, name, _ in entries if entry.version_id}
    first = [row.bot for row in table.rows[:RACERS] if row.bot in versions]
    scale = scales.of_season(session, season.id)
    points = store_ratings.history(session, scale.id, [versions[bot] for bot in first])
    return SeasonStory(
        verdict=reads.verdict(table, over=season.state.is_final),
        decided=reads.is_decided(table),
        recap=reads.recap(table, done) if season.state.is_final else [],
        upsets=reads.upsets(session, season.id, table, names),
        race=[
            RaceLine(name=reads.short_name(bot), points=race_points(points, versions[bot]))
            for bot in first
        ],
    )


def race_points(points: Sequence[RatingPoint], version_id: int) -> list[Point]:
    """How a version's rating went over time, in no more points than a screen can show."""
    own = [point for point in points if point.version_id == version_id]
    step = max(1, -(-len(own) // RACE_POINTS))
    kept = own[::-1][::step][::-1]
    return [
        Point(x=point.at.timestamp(), y=value, label=point.at.strftime("%-d %b, %H:%M"))
        for point in kept
        if (value := point.live if point.official is None else point.official) is not None
    ]


def find_ladder(session: Session, ladder_id: int) -> Ladder:
    """A ladder that is no season's scale."""
    scale = session.get(Scale, ladder_id)
    if scale is not None and scale.season_id is not None:
        raise Refused(404, "this scale belongs to a season; look at the season's page")
    row: Ladder = found(session.get(Ladder, ladder_id), "ladder")
    return row


def ladder(ctx: Ctx, ladder_id: int) -> Response:
    """One ladder."""
    with ctx.site.store.read() as session:
        row = find_ladder(session, ladder_id)
        before = ctx.query_int("before")
        scale = scales.scale(session, row.id)
        matches = match_lists.matches(session, scale_id=ladder_id, before=before, limit=LADDER_PAGE)
        seats = match_lists.seated(session, [match.id for match in matches])
    return ctx.render(
        "ladder.html",
        ladder=row,
        standings_at=scale.standings_at,
        state=row.state,
        table=ratings.read_table(scale.standings),
        matches=matches,
        seats=seats,
        before=before,
        more=matches[-1].id if len(matches) == LADDER_PAGE else None,
    )


def season_fairness(ctx: Ctx, name: str) -> Response:
    """Balance, rotation, calibration, manners; questions for organisers who ask for them."""
    with ctx.site.store.read() as session:
        row = found(reads.season_named(session, name, organiser=ctx.viewer.is_organiser), "season")
    return ctx.render(
        "fairness.html",
        name=row.title or row.name,
        back=season_url(row.name),
        balance=row.balance,
        table=ratings.read_table(row.standings),
        report=fairness(ctx.site.store, row) if _looks(ctx) else None,
    )


def ladder_fairness_page(ctx: Ctx, ladder_id: int) -> Response:
    """The same of a ladder."""
    with ctx.site.store.read() as session:
        row = find_ladder(session, ladder_id)
        standings = scales.scale(session, row.id).standings
    return ctx.render(
        "fairness.html",
        name=f"{rules_title(row.rules)} ladder",
        back=f"/ladders/{row.id}",
        balance=None,
        table=ratings.read_table(standings),
        report=ladder_fairness(ctx.site.store, row) if _looks(ctx) else None,
    )


def _looks(ctx: Ctx) -> bool:
    return ctx.viewer.is_organiser and bool(ctx.query("look"))


def withdraw_page(ctx: Ctx, name: str) -> Response:
    """What it means to take one of the viewer's bots out, before it is done."""
    owner = ctx.viewer.owner
    assert owner is not None
    full_name = f"{owner.handle}/{ctx.query('bot')}"
    with ctx.site.store.read() as session:
        row = found(reads.season_named(session, name, organiser=ctx.viewer.is_organiser), "season")
        try:
            removal = preview_removal(session, row.id, full_name, EntryState.WITHDRAWN)
        except LeagueRefusal as refusal:
            raise Refused(409, str(refusal)) from None
    return ctx.render(
        "season_out.html",
        season=row,
        back=season_url(row.name),
        bot=full_name,
        sent=ctx.query("bot"),
        kind="withdraw",
        removal=removal,
        error="",
    )


def withdraw(ctx: Ctx, name: str) -> Response:
    """Take one of the viewer's bots out."""
    owner = ctx.viewer.owner
    assert owner is not None
    ctx.limit("changes", ctx.site.settings.write_limit)
    bot = ctx.text("bot")
    with ctx.site.store.write() as session:
        row = found(reads.season_named(session, name, organiser=ctx.viewer.is_organiser), "season")
        authors.leave_season(session, row.id, bot, owner, ctx.text("reason")[:500])
    return ctx.go(season_url(name) + "#entries", f"{bot} is withdrawn.")


def enter(ctx: Ctx, name: str) -> Response:
    """Enter one of the viewer's bots."""
    assert ctx.viewer.owner is not None
    ctx.limit("changes", ctx.site.settings.write_limit)
    bot = ctx.text("bot")
    with ctx.site.store.write() as session:
        row = found(reads.season_named(session, name, organiser=ctx.viewer.is_organiser), "season")
        authors.enter_season(session, row.id, bot, ctx.viewer.owner)
    return ctx.go(season_url(name), f"{bot} is in.")


def routes() -> list[Route]:
    """Seasons and ladders."""
    return [
        show("/seasons", season_list, cached=True),
        show("/seasons/{name}", season, cached=True),
        show("/seasons/{name}/fairness", season_fairness, cached=True),
        act("/seasons/{name}/enter", enter),
        show("/seasons/{name}/withdraw", withdraw_page, rank=Rank.AUTHOR),
        act("/seasons/{name}/withdraw", withdraw),
        show("/ladders/{ladder_id:int}", ladder, cached=True),
        show("/ladders/{ladder_id:int}/fairness", ladder_fairness_page, cached=True),
    ]
