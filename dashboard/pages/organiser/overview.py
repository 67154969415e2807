"""The organiser's desk: seasons, workers and queue, stuck matches, accounts, the audit log."""

from starlette.responses import Response
from starlette.routing import Route

from dashboard import http, reads
from dashboard.http import Rank
from dashboard.pages.home import season_cards
from dashboard.pages.page import Ctx, act, found, show
from dashboard.pages.season import find_ladder
from dashboard.reads import audit_lines, fleet_view, ladder_cards, stuck_matches
from league import authors
from league.ladder import LADDER_STEPS
from league.seasons import SEASON_STEPS
from league.steps import offered
from store import Ladder, Owner, Role, Season, accounts, present, seasons
from store import audit as audit_log

SEASONS = 30
"""How many seasons it lists."""


def overview(ctx: Ctx) -> Response:
    """Everything at a glance."""
    return _overview(ctx)


def _overview(ctx: Ctx, link: str = "", what: str = "") -> Response:
    with ctx.site.store.read() as session:
        owners = reads.owners_page(session, before=ctx.query_int("before"))
        rows = reads.visible_seasons(session, organiser=True, limit=SEASONS)
        progress = seasons.kept_progress(session, [row.id for row in rows])
        machines = fleet_view(session)
        stuck = stuck_matches(session)
        ladders = ladder_cards(session)
        audit = audit_lines(session, audit_log.page(session, limit=8))
    return ctx.render(
        "organiser.html",
        owners=owners,
        more=owners[-1].id if len(owners) == reads.PAGE_SIZE else None,
        cards=season_cards(rows, progress),
        ladders=ladders,
        offered=offered,
        season_steps=SEASON_STEPS,
        ladder_steps=LADDER_STEPS,
        fleet=machines,
        stuck=stuck,
        audit=audit,
        missing=ctx.site.services.missing(),
        link=link,
        what=what,
    )


def _show_link(ctx: Ctx, secret: str, what: str) -> Response:
    response = _overview(ctx, http.link_address(ctx.site.settings, secret), what)
    response.headers["cache-control"] = "no-store"
    return response


def invite(ctx: Ctx) -> Response:
    """Make a link with which somebody can make an account."""
    actor = ctx.viewer.owner
    assert actor is not None
    role = Role.ORGANISER if ctx.text("role") == Role.ORGANISER.value else Role.AUTHOR
    with ctx.site.store.write() as session:
        secret = authors.invite(session, role, actor, ctx.text("note"))
    return _show_link(ctx, secret, f"Invitation for one {role.value}")


def reset_password(ctx: Ctx, owner_id: int) -> Response:
    """Make a link with which an owner can set a new password."""
    actor = ctx.viewer.owner
    assert actor is not None
    with ctx.site.store.write() as session:
        secret = authors.link_for_password(session, owner_id, actor)
        owner = present(session, Owner, owner_id)
    return _show_link(ctx, secret, f"New password for {owner.handle}")


def set_access(ctx: Ctx, owner_id: int) -> Response:
    """Shut an account out, or let it in again; change its role."""
    actor = ctx.viewer.owner
    assert actor is not None
    act_name = ctx.text("act")
    with ctx.site.store.write() as session:
        owner = authors.set_access(session, owner_id, act_name, actor, ctx.text("reason"))
    return ctx.go("/organiser#accounts", f"{owner.handle}: {act_name}.")


def audit(ctx: Ctx) -> Response:
    """The whole audit log, or that of one season or ladder."""
    name, number = ctx.query("season"), ctx.query_int("ladder")
    with ctx.site.store.read() as session:
        season = found(seasons.by_name(session, name), "season") if name else None
        ladder = find_ladder(session, number) if number is not None else None
        of: Season | Ladder | None = season or ladder
        rows = audit_log.page(
            session,
            subject=None if of is None else "season" if season else "ladder",
            subject_id=None if of is None else of.id,
            before=ctx.query_int("before"),
        )
        lines = audit_lines(session, rows)
    more = rows[-1].id if len(rows) == audit_log.PAGE else None
    return ctx.render("audit.html", lines=lines, more=more, season=season, ladder=ladder)


def account_links(ctx: Ctx) -> Response:
    """What links accounts; with `look` also what their games show."""
    looked = bool(ctx.query("look"))
    questions = authors.account_questions(ctx.site.store, games=looked)
    return ctx.render(
        "account_links.html", questions=questions, looked=looked, days=accounts.ADDRESS_DAYS
    )


def routes() -> list[Route]:
    """The organiser's pages."""
    rank = Rank.ORGANISER
    return [
        show("/organiser", overview, rank=rank),
        show("/organiser/account-links", account_links, rank=rank),
        show("/organiser/audit", audit, rank=rank),
        act("/organiser/invitations", invite, rank=rank),
        act("/organiser/accounts/{owner_id:int}/reset", reset_password, rank=rank),
        act("/organiser/accounts/{owner_id:int}/access", set_access, rank=rank),
    ]
