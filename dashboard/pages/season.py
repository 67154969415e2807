"""Seasons and ladders: standings, crosstable, schedule, balance, progress."""

from collections.abc import Mapping
from typing import cast

from sqlmodel import Session
from starlette.responses import Response
from starlette.routing import Route

from dashboard import reads
from dashboard.http import Rank, Refused
from dashboard.pages.home import by_interest, season_cards
from dashboard.pages.page import Ctx, act, found, show
from dashboard.pages.season_parts import season_page
from dashboard.pages.shared import Page, shared_sheet
from dashboard.reads import ladder_cards
from dashboard.render import ladder_name, season_url
from league import authors, ratings
from league.errors import LeagueRefusal
from league.ratings import ladder_fairness
from league.ratings import season_fairness as fairness
from league.seasons import preview_removal
from store import (
    Bot,
    EntryState,
    Ladder,
    Scale,
    match_lists,
    scales,
    seasons,
)

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
        progress = seasons.kept_progress(session, [row.id for row in rows])
        ladders = ladder_cards(session)
    return ctx.render("seasons.html", cards=season_cards(rows, progress), ladders=ladders)


def season(ctx: Ctx, name: str) -> Response:
    """One season."""
    after = ctx.query_int("after") or 0

    def begin(session: Session) -> Page:
        organiser = ctx.viewer.is_organiser
        number = found(reads.season_number(session, name, organiser=organiser), "season")
        return season_page(ctx.site, session, number, after)

    sheet = shared_sheet(ctx, after, begin=begin)
    if ctx.handle is not None and sheet.facts["open"]:
        ctx.mine = _enterable(ctx, ctx.handle, sheet.facts)
    return ctx.render_sheet(sheet)


def _enterable(ctx: Ctx, handle: str, facts: Mapping[str, object]) -> list[Bot]:
    """The reader's bots that could enter the season and have not."""
    entered = cast(frozenset[int], facts["entered"])
    with ctx.site.store.read() as session:
        lines = reads.bots_page(session, owner=handle, limit=100)
    return [
        line.bot
        for line in lines
        if line.bot.id not in entered and facts["rules"] in line.bot.rules
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
        name=ladder_name(row),
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
        show("/seasons/{name}", season),
        show("/seasons/{name}/fairness", season_fairness, cached=True),
        act("/seasons/{name}/enter", enter),
        show("/seasons/{name}/withdraw", withdraw_page, rank=Rank.AUTHOR),
        act("/seasons/{name}/withdraw", withdraw),
        show("/ladders/{ladder_id:int}", ladder, cached=True),
        show("/ladders/{ladder_id:int}/fairness", ladder_fairness_page, cached=True),
    ]
