"""A season from the organiser's desk: its steps, its entries, and putting things right.

Every act is a form with a token, for organisers only, and audited by the league itself.
"""

from collections.abc import Callable, Sequence

from sqlmodel import Session
from starlette.responses import Response
from starlette.routing import Route

from api_models.words import whole_number
from dashboard import reads
from dashboard.http import Rank, Refused
from dashboard.pages.organiser.acts import actor, carry_out
from dashboard.pages.organiser.season_form import SeasonForm
from dashboard.pages.page import Ctx, act, found, show
from dashboard.reads import fleet_view, season_view, step_outlook
from dashboard.render import desk_url
from league import seasons
from league.errors import LeagueRefusal
from league.given import Whole, whole_bound
from league.seasons import (
    BOTS,
    DATES,
    SEASON_STEPS,
    SeasonWords,
    dates_left,
    next_step,
    past,
)
from league.steps import Step, offered
from league.words import counted
from store import Conflict, EntryState, Match, Owner, Season
from store.seasons import progress

Do = Callable[[Session, Season, Owner], str]
"""An act on a season; returns the sentence that the next page shows."""


def manage(ctx: Ctx, name: str) -> Response:
    """Everything an organiser can do with one season."""
    return _manage(ctx, name)


def _manage(
    ctx: Ctx,
    name: str,
    error: str = "",
    status: int = 200,
    *,
    typed: str = "",
    ticked: Sequence[str] = (),
) -> Response:
    with ctx.site.store.read() as session:
        row = named(session, name)
        view = season_view(session, row)
        machines = fleet_view(session)
        coming = next_step(session, row)
    return ctx.render(
        "desk_season.html",
        status,
        view=view,
        season=row,
        fleet=machines,
        steps=[
            step
            for step in offered(SEASON_STEPS, row.state)
            if view.stuck or step.name != "finish-without"
        ],
        missing={} if coming is None else {coming.step.name: coming.missing},
        life=past(row.state),
        dates=dates_left(row.state),
        error=error,
        typed=typed,
        ticked=ticked,
    )


def named(session: Session, name: str) -> Season:
    """The season of that name, drafts too."""
    season: Season = found(reads.season_named(session, name, organiser=True), "season")
    return season


def _do(ctx: Ctx, name: str, act_: Do, at: str = "") -> Response:
    """Do it, or show the page again with the reason why it cannot be done."""
    return carry_out(
        ctx,
        lambda session, actor: (desk_url(name) + at, act_(session, named(session, name), actor)),
        lambda words: _manage(ctx, name, words, 409),
    )


def _step_handler(step: Step[Season]) -> Callable[[Ctx, str], Response]:
    def handler(ctx: Ctx, name: str) -> Response:
        early = step.early is not None and bool(ctx.text("early"))

        def take(session: Session, season: Season, actor: Owner) -> str:
            chosen = step.early if early and step.early is not None else step.take
            return f"{season.title} is {chosen(session, season.id, actor).state}."

        return _do(ctx, name, take)

    handler.__name__ = f"season_{step.name}"
    return handler


def _step_page(step: Step[Season]) -> Callable[[Ctx, str], Response]:
    def page(ctx: Ctx, name: str) -> Response:
        with ctx.site.store.read() as session:
            season = named(session, name)
            if season.state not in step.at:
                words = f"{season.title or season.name} is {season.state}; that step is not next."
                return ctx.go(desk_url(name), words)
            ahead = step_outlook(session, season)
            machines = fleet_view(session)
            missing = step.missing(session, season)
        return ctx.render(
            "season_step.html",
            season=season,
            step=step,
            ahead=ahead,
            fleet=machines,
            missing=missing,
        )

    page.__name__ = f"season_{step.name}_page"
    return page


def enter(ctx: Ctx, name: str) -> Response:
    """Enter the chosen bots, and those named in the field."""
    typed, ticked = ctx.text("names")[:2000], ctx.form.get("bot", [])
    bots = [bot for bot in [*ticked, *typed.replace(",", " ").split()] if bot]

    def act_(session: Session, actor: Owner) -> tuple[str, str]:
        season = named(session, name)
        if not bots:
            raise LeagueRefusal("no bot was chosen; tick one, or type its name as OWNER/BOT")
        wrong = []
        for bot in bots:
            try:
                seasons.enter(session, season.id, bot, actor)
            except (LeagueRefusal, Conflict) as error:
                wrong.append(str(error))
        if wrong:
            raise LeagueRefusal(f"nobody was entered: {'; '.join(dict.fromkeys(wrong))}")
        return f"{desk_url(name)}#entries", f"Entered {', '.join(bots)}."

    return carry_out(
        ctx, act_, lambda words: _manage(ctx, name, words, 409, typed=typed, ticked=ticked)
    )


def set_dates(ctx: Ctx, name: str) -> Response:
    """Change when the season takes its steps by itself."""
    form = SeasonForm.read(ctx.form)
    dates = {name: form.date(name) for name in DATES if name in ctx.form}

    def act_(session: Session, season: Season, actor: Owner) -> str:
        if form.errors:
            raise LeagueRefusal(
                "; ".join(f"{where}: {what}" for where, what in form.errors.items())
            )
        seasons.set_dates(session, season.id, dates, actor)
        return "The dates are changed."

    return _do(ctx, name, act_, "#dates")


def replay_match(ctx: Ctx, match_id: int) -> Response:
    """Void a match and play it again."""
    with ctx.site.store.read() as session:
        match = found(session.get(Match, match_id), "match")
        season = session.get(Season, match.season_id) if match.season_id else None

    def again(session: Session, actor: Owner) -> str:
        seasons.play_again(session, match_id, actor, ctx.text("reason")[:500])
        return f"Match {match_id} is queued again, with the same boards and seats."

    if season is not None:
        return _do(ctx, season.name, lambda session, _, actor: again(session, actor))
    with ctx.site.store.write() as session:
        words = again(session, actor(ctx))
    return ctx.go(f"/matches/{match_id}", words)


def strike_match(ctx: Ctx, match_id: int) -> Response:
    """Decide that a stuck match is not played."""
    with ctx.site.store.read() as session:
        match = found(session.get(Match, match_id), "match")
        season = found(session.get(Season, match.season_id or 0), "season")

    def act_(session: Session, _: Season, actor: Owner) -> str:
        seasons.strike(session, match_id, actor, ctx.text("reason")[:500])
        return f"Match {match_id} is struck; the season no longer waits for it."

    return _do(ctx, season.name, act_, "#stuck")


def rehearse(ctx: Ctx, name: str) -> Response:
    """Start a rehearsal, or stop the one that is on."""
    if ctx.text("act") == "stop":
        with ctx.site.store.read() as session:
            season_id = named(session, name).id
        seasons.stop_rehearsal(ctx.site.store, season_id, actor(ctx))
        return ctx.go(desk_url(name) + "#rehearsal", "The rehearsal is stopped and removed.")

    def number(field: str, bound: Whole) -> int | None:
        typed = ctx.text(field)
        known = whole_number(typed)
        if typed and known is None:
            raise LeagueRefusal(f"{field}: got {typed[:40]!r}, expected {bound.expected}")
        return known

    def act_(session: Session, season: Season, actor: Owner) -> str:
        bots = number("bots", BOTS)
        boards = number("boards", whole_bound(SeasonWords, "boards"))
        made = seasons.begin_rehearsal(
            session, season, actor, bots=bots, boards=boards, reported=True
        )
        total = progress(session, made.id).total
        return (
            f"The rehearsal is on the queue: {counted(total, 'match', 'matches')} of"
            f" {counted(made.boards, 'board')}. Its report appears here when it is over."
        )

    return _do(ctx, name, act_, "#rehearsal")


def withdraw_page(ctx: Ctx, name: str) -> Response:
    """What a withdrawal would do, before it is done."""
    return _out_page(ctx, name, ctx.query("bot"), "withdraw")


def disqualify_page(ctx: Ctx, name: str) -> Response:
    """What a disqualification would do to the table, before it is done."""
    return _out_page(ctx, name, ctx.query("bot"), "disqualify")


def _out_page(
    ctx: Ctx, name: str, bot: str, kind: str, error: str = "", status: int = 200
) -> Response:
    state = EntryState.WITHDRAWN if kind == "withdraw" else EntryState.DISQUALIFIED
    with ctx.site.store.read() as session:
        season = named(session, name)
        try:
            removal = seasons.preview_removal(session, season.id, bot, state)
        except LeagueRefusal as refusal:
            raise Refused(409, str(refusal)) from None
    return ctx.render(
        "season_out.html",
        status,
        season=season,
        back=desk_url(season.name),
        bot=bot,
        kind=kind,
        removal=removal,
        error=error,
    )


def withdraw(ctx: Ctx, name: str) -> Response:
    """Take a bot out at its owner's wish."""
    bot, reason = ctx.text("bot"), ctx.text("reason")[:500]

    def act_(session: Session, season: Season, actor: Owner) -> str:
        seasons.withdraw(session, season.id, bot, actor, reason)
        return f"{bot} is withdrawn."

    return _do(ctx, name, act_, "#entries")


def disqualify(ctx: Ctx, name: str) -> Response:
    """Take a bot out for what it did; the page before has shown what that changes."""
    bot, reason = ctx.text("bot"), ctx.text("reason")[:500]
    if not reason:
        words = "A disqualification needs a reason that everybody can read."
        return _out_page(ctx, name, bot, "disqualify", words, 422)

    def act_(session: Session, season: Season, actor: Owner) -> str:
        seasons.disqualify(session, season.id, bot, actor, reason)
        return f"{bot} is disqualified; the standings follow within seconds."

    return _do(ctx, name, act_, "#entries")


def routes() -> list[Route]:
    """The organiser's pages of a season."""
    rank = Rank.ORGANISER
    one = "/organiser/seasons/{name}"
    return [
        show(one, manage, rank=rank),
        *(act(f"{one}/{step.name}", _step_handler(step), rank=rank) for step in SEASON_STEPS),
        *(
            show(f"{one}/{step.name}", _step_page(step), rank=rank)
            for step in SEASON_STEPS
            if step.asks
        ),
        act(f"{one}/enter", enter, rank=rank),
        act(f"{one}/dates", set_dates, rank=rank),
        act("/organiser/matches/{match_id:int}/replay-match", replay_match, rank=rank),
        act("/organiser/matches/{match_id:int}/strike-match", strike_match, rank=rank),
        act(f"{one}/rehearse", rehearse, rank=rank),
        show(f"{one}/withdraw", withdraw_page, rank=rank),
        act(f"{one}/withdraw", withdraw, rank=rank),
        show(f"{one}/disqualify", disqualify_page, rank=rank),
        act(f"{one}/disqualify", disqualify, rank=rank),
    ]
