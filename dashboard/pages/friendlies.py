"""Friendly matches of the reader's bots: ask for one, see those asked for, share or call off."""

from collections.abc import Sequence

from sqlmodel import Session
from starlette.responses import Response
from starlette.routing import Route

from dashboard import reads
from dashboard.http import Rank, Refused
from dashboard.pages.page import Ctx, act, show
from league import friendlies
from league.errors import LeagueRefusal
from league.friendlies import FriendlyPlan
from league.given import take
from nimmt import GAMES
from store import Owner, bots
from store import friendlies as stored

SHOWN = 20
SEATS = 9
"""Opponents that the form has fields for."""
FIRST = 3
"""Of those the fields that are seen at once."""
SUGGESTED = 300
"""Names that the fields suggest."""


def friendly_list(ctx: Ctx) -> Response:
    """The form, and the matches that the reader has asked for."""
    return _page(ctx, {})


def _page(ctx: Ctx, given: dict[str, str], refusal: str = "", status: int = 200) -> Response:
    owner = _author(ctx)
    with ctx.site.store.read() as session:
        before = ctx.query_int("before")
        rows = stored.page(session, owner_id=owner.id, before=before, limit=SHOWN)
        views = reads.friendly_views(ctx.site, session, rows)
        mine = [
            (line, [one for one in bots.versions(session, line.bot.id) if one.state.is_playable])
            for line in reads.bots_page(session, owner=owner.handle, limit=200)
        ]
        asked = stored.asked(session, owner.id)
        names = _names(session, owner)
    return ctx.render(
        "friendlies.html",
        status,
        views=views,
        more=rows[-1][1].id if len(rows) == SHOWN else None,
        mine=[(line, versions) for line, versions in mine if versions],
        asked=asked,
        limits=reads.friendly_limits(ctx.site),
        names=names,
        games=list(GAMES),
        given=given or {"bot": ctx.query("bot"), "opponent-1": ctx.query("against")},
        refusal=refusal,
        seats=SEATS,
        first=FIRST,
    )


def _names(session: Session, owner: Owner) -> Sequence[str]:
    """Bots to choose from: one's own and the platform's by their name alone, then others'."""
    found = []
    for line in [*reads.platform_bots(session), *reads.bots_page(session, limit=SUGGESTED)]:
        bot = line.bot
        if bot.current_version is None or bot.suspended_at is not None:
            continue
        if bot.is_anchor or bot.owner_id == owner.id:
            found.append(bot.name)
        elif bot.friendlies:
            found.append(line.full_name)
    return sorted(set(found))


def ask(ctx: Ctx) -> Response:
    """Ask for a match; a form that does not fit comes back as it was, with the reason."""
    owner = _author(ctx)
    ctx.limit("changes", ctx.site.settings.write_limit)
    try:
        plan = take(FriendlyPlan, _wanted(ctx))
        with ctx.site.store.write() as session:
            row, bell = friendlies.ask(session, plan, owner, reads.friendly_limits(ctx.site))
    except LeagueRefusal as error:
        given = {name: values[0] for name, values in ctx.form.items()}
        return _page(ctx, given, str(error), 409)
    ctx.site.services.match_queued(bell)
    return ctx.go(f"/matches/{row.match_id}", "It is queued, and plays as soon as a slot is free.")


def _wanted(ctx: Ctx) -> dict[str, object]:
    """The fields of the form in the words of the plan; an empty field is left out."""
    opponents = [ctx.text(f"opponent-{number}") for number in range(1, SEATS + 1)]
    wanted: dict[str, object] = {
        "bot": ctx.text("bot"),
        "opponents": [name for name in opponents if name],
    }
    if ctx.text("rules"):
        wanted["rules"] = ctx.text("rules")
    if ctx.text("boards"):
        wanted["boards"] = _whole(ctx.text("boards"))
    if ctx.text("rounds"):
        wanted["options"] = {"rounds": _whole(ctx.text("rounds"))}
    return wanted


def _whole(text: str) -> int | str:
    """A number, or the text itself for the plan to refuse."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text


def cancel(ctx: Ctx, match_id: int) -> Response:
    """Call off a match that is not over: one's own, or any for an organiser."""
    owner = _author(ctx)
    ctx.limit("changes", ctx.site.settings.write_limit)
    with ctx.site.store.write() as session:
        row = friendlies.cancel(session, match_id, owner, as_organiser=ctx.viewer.is_organiser)
    own = row.owner_id == owner.id
    return ctx.go(
        "/friendlies" if own else f"/matches/{match_id}", f"Match {match_id} is called off."
    )


def share(ctx: Ctx, match_id: int) -> Response:
    """Let everyone with its address see a match, or no longer."""
    owner = _author(ctx)
    ctx.limit("changes", ctx.site.settings.write_limit)
    shared = ctx.text("shared") == "1"
    with ctx.site.store.write() as session:
        friendlies.set_shared(session, match_id, owner, shared)
    words = "Everyone with this address can see it now." if shared else "Only you see it now."
    return ctx.go(f"/matches/{match_id}", words)


def _author(ctx: Ctx) -> Owner:
    if ctx.viewer.owner is None:
        raise Refused(401, "please sign in first")
    return ctx.viewer.owner


def routes() -> list[Route]:
    """Friendly matches."""
    return [
        show("/friendlies", friendly_list, rank=Rank.AUTHOR),
        act("/friendlies", ask),
        act("/friendlies/{match_id:int}/cancel", cancel),
        act("/friendlies/{match_id:int}/share", share),
    ]
