"""Seasons and ladders: standings, crosstable, schedule, balance, progress."""

from starlette.responses import Response
from starlette.routing import Route

from dashboard import reads, standings
from dashboard.kit import Ctx, act, found, show
from dashboard.pages.home import season_cards
from dashboard.problems import Refused
from dashboard.progress import seconds_left
from dashboard.rendering import season_url
from store import Conflict, Ladder, SeasonState, bots, journal, pages, seasons

SCHEDULE_PAGE = 40


def season_list(ctx: Ctx) -> Response:
    """All seasons and ladders."""
    with ctx.site.store.read() as session:
        rows = reads.visible_seasons(session, organiser=ctx.viewer.is_organiser)
        progress = reads.progress_of(session, [row.id for row in rows])
        ladders = seasons.ladders(session)
    return ctx.render("seasons.html", cards=season_cards(rows, progress), ladders=ladders)


def season(ctx: Ctx, name: str) -> Response:
    """One season."""
    with ctx.site.store.read() as session:
        row = found(reads.season_named(session, name, organiser=ctx.viewer.is_organiser), "season")
        progress = seasons.progress(session, row.id)
        entries = reads.entries(session, row.id)
        after = ctx.query_int("after") or 0
        schedule = reads.schedule(session, row.id, after=after, limit=SCHEDULE_PAGE)
        seats = pages.seated(session, [match.id for match in schedule])
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
        left=seconds_left(row, progress),
        table=standings.read(row.standings),
        entries=entries,
        schedule=schedule,
        seats=seats,
        after=after,
        more=schedule[-1].id if len(schedule) == SCHEDULE_PAGE else None,
        mine=mine,
    )


def ladder(ctx: Ctx, ladder_id: int) -> Response:
    """One ladder."""
    with ctx.site.store.read() as session:
        row = found(session.get(Ladder, ladder_id), "ladder")
        if row.season_id is not None:
            raise Refused(404, "this scale belongs to a season; look at the season's page")
        before = ctx.query_int("before")
        matches = pages.matches(session, ladder_id=ladder_id, before=before, limit=20)
        seats = pages.seated(session, [match.id for match in matches])
    return ctx.render(
        "ladder.html",
        ladder=row,
        table=standings.read(row.standings),
        matches=matches,
        seats=seats,
    )


def enter(ctx: Ctx, name: str) -> Response:
    """Enter one of the viewer's bots."""
    assert ctx.viewer.owner is not None
    ctx.limit("changes", ctx.site.settings.write_limit)
    with ctx.site.store.write() as session:
        row = found(reads.season_named(session, name, organiser=ctx.viewer.is_organiser), "season")
        bot = bots.find_bot(session, f"{ctx.viewer.owner.handle}/{ctx.text('bot')}")
        if bot is None:
            raise Refused(404, "choose one of your bots")
        if row.rules not in bot.rules:
            raise Conflict(f"{bot.name} does not play {row.rules}")
        seasons.enter(session, row.id, bot.id)
        journal.record(
            session,
            "season.entered",
            "season",
            row.id,
            actor=ctx.viewer.owner,
            detail={"bot": bot.id},
        )
    return ctx.go(season_url(name), f"{bot.name} is in.")


def routes() -> list[Route]:
    """Seasons and ladders."""
    return [
        show("/seasons", season_list, cached=True),
        show("/seasons/{name}", season, cached=True),
        act("/seasons/{name}/enter", enter),
        show("/ladders/{ladder_id:int}", ladder, cached=True),
    ]
