"""Ladders from the organiser's desk: opened by a form, run, set, and their bots corrected.

Every act is a form with a token, for organisers only, and audited by the league itself.
"""

from collections.abc import Callable

from sqlmodel import Session
from starlette.responses import Response
from starlette.routing import Route

from api_models.words import clean
from dashboard import reads
from dashboard.http import Rank
from dashboard.pages.organiser.acts import carry_out
from dashboard.pages.organiser.ladder_form import LadderForm
from dashboard.pages.page import Ctx, act, found, show
from dashboard.pages.season import find_ladder
from dashboard.reads import fleet_view, ladder_view, listed
from dashboard.render import ladder_desk_url
from league import gate as gates
from league import ladder as ladders
from league.errors import LeagueRefusal
from league.ladder import LADDER_STEPS
from league.steps import Step, offered
from nimmt import GAMES
from store import Ladder, Owner, bots

Do = Callable[[Session, Ladder, Owner], str]
"""An act on a ladder; returns the sentence that the next page shows."""


def open_form(ctx: Ctx) -> Response:
    """The form of a ladder that is to be opened."""
    return _form_page(ctx, LadderForm())


def open_ladder(ctx: Ctx) -> Response:
    """Open the ladder, for the first time or again."""
    form = LadderForm.read(ctx.form)
    chosen = [bot for bot in ctx.form.get("platform", []) if bot]
    words = form.words()
    if form.errors:
        return _form_page(ctx, form, "Some fields need another look; nothing was opened.", 422)

    def make(session: Session, actor: Owner) -> tuple[str, str]:
        made = ladders.open_ladder(session, ladders.plan_from(words), actor)
        for bot in chosen:
            ladders.enter(session, made.id, bot, actor)
        competing = f" {listed(chosen)} compete." if chosen else ""
        return ladder_desk_url(made.id), f"{_called(made)} is open.{competing}"

    return carry_out(ctx, make, lambda words: _form_page(ctx, form, words, 409))


def _called(ladder: Ladder) -> str:
    return clean(ladder.title) or f"Ladder {ladder.id}"


def _form_page(ctx: Ctx, form: LadderForm, error: str = "", status: int = 200) -> Response:
    with ctx.site.store.read() as session:
        platform = reads.platform_bots(session)
    return ctx.render(
        "ladder_open.html",
        status,
        form=form,
        v=form.values,
        error=error,
        games=list(GAMES),
        platform=platform,
        chosen=ctx.form.get("platform", []),
    )


def manage(ctx: Ctx, ladder_id: int) -> Response:
    """Everything an organiser can do with one ladder."""
    return _manage(ctx, ladder_id)


def _manage(
    ctx: Ctx, ladder_id: int, error: str = "", status: int = 200, form: LadderForm | None = None
) -> Response:
    with ctx.site.store.read() as session:
        view = ladder_view(session, find_ladder(session, ladder_id))
        machines = fleet_view(session)
    return ctx.render(
        "desk_ladder.html",
        status,
        view=view,
        ladder=view.ladder,
        fleet=machines,
        steps=offered(LADDER_STEPS, view.state),
        form=form or LadderForm.of(view.plan),
        error=error,
    )


def _do(ctx: Ctx, ladder_id: int, act_: Do, at: str = "") -> Response:
    """Do it, or show the page again with the reason why it cannot be done."""
    address = ladder_desk_url(ladder_id) + at
    return carry_out(
        ctx,
        lambda session, actor: (address, act_(session, find_ladder(session, ladder_id), actor)),
        lambda words: _manage(ctx, ladder_id, words, 409),
    )


def _step_handler(step: Step[Ladder]) -> Callable[[Ctx, int], Response]:
    def handler(ctx: Ctx, ladder_id: int) -> Response:
        def take(session: Session, ladder: Ladder, actor: Owner) -> str:
            taken = step.take(session, ladder.id, actor)
            return f"{_called(taken)} is {taken.state}."

        return _do(ctx, ladder_id, take)

    handler.__name__ = f"ladder_{step.name}"
    return handler


def set_settings(ctx: Ctx, ladder_id: int) -> Response:
    """Change what the matches to come are played with."""
    form = LadderForm.read(ctx.form)
    boards, cap, time = form.number("boards"), form.number("cap"), form.time()
    wait, title = form.longest_wait(), form.text("title")
    if form.errors:
        words = "Some fields of the settings need another look; nothing was changed."
        return _manage(ctx, ladder_id, words, 422, form)

    def act_(session: Session, ladder: Ladder, actor: Owner) -> str:
        ladders.set_settings(
            session,
            ladder.id,
            actor,
            title=title,
            boards=boards,
            cap=cap,
            longest_wait=wait,
            **time,
        )
        return "The settings hold for all matches to come."

    return _do(ctx, ladder_id, act_, "#settings")


def set_gate_rule(ctx: Ctx, ladder_id: int) -> Response:
    """Say whether new versions have to pass a gate: in the whole league, or of one bot."""
    name, asked = ctx.text("bot"), ctx.text("required")
    required = None if asked == "league" else asked == "true"

    def act_(session: Session, _: Ladder, actor: Owner) -> str:
        bot = found(bots.find_bot(session, name), "bot") if name else None
        gates.set_rule(session, required, actor, bot)
        return gates.rule_sentence(required, name or None)

    return _do(ctx, ladder_id, act_, "#gates")


def enter(ctx: Ctx, ladder_id: int) -> Response:
    """Put bots back, or let house bots compete for a place."""
    names = [bot for bot in ctx.form.get("bot", []) if bot]

    def act_(session: Session, ladder: Ladder, actor: Owner) -> str:
        if not names:
            raise LeagueRefusal("no bot was chosen; tick one")
        for bot in names:
            ladders.enter(session, ladder.id, bot, actor)
        return f"Entered {', '.join(names)}."

    return _do(ctx, ladder_id, act_, "#bots")


def forgive(ctx: Ctx, ladder_id: int) -> Response:
    """Lift the suspension of a bot that kept failing."""
    bot, reason = ctx.text("bot"), ctx.text("reason")[:500]

    def act_(session: Session, _: Ladder, actor: Owner) -> str:
        ladders.forgive(session, bot, actor, reason)
        return f"{bot} plays again."

    return _do(ctx, ladder_id, act_, "#bots")


def withdraw_page(ctx: Ctx, ladder_id: int) -> Response:
    """What a withdrawal does, before it is done."""
    return _out_page(ctx, ladder_id, ctx.query("bot"), "withdraw")


def disqualify_page(ctx: Ctx, ladder_id: int) -> Response:
    """What a disqualification does, before it is done."""
    return _out_page(ctx, ladder_id, ctx.query("bot"), "disqualify")


def _out_page(ctx: Ctx, ladder_id: int, bot: str, kind: str, error: str = "") -> Response:
    with ctx.site.store.read() as session:
        ladder = find_ladder(session, ladder_id)
        found(bots.find_bot(session, bot), "bot")
    return ctx.render(
        "ladder_out.html", 409 if error else 200, ladder=ladder, bot=bot, kind=kind, error=error
    )


def withdraw(ctx: Ctx, ladder_id: int) -> Response:
    """Take a bot out at its owner's wish."""
    return _take_out(ctx, ladder_id, "withdraw")


def disqualify(ctx: Ctx, ladder_id: int) -> Response:
    """Take a bot out for what it did."""
    return _take_out(ctx, ladder_id, "disqualify")


def _take_out(ctx: Ctx, ladder_id: int, kind: str) -> Response:
    bot, reason = ctx.text("bot"), ctx.text("reason")[:500]

    def act_(session: Session, actor: Owner) -> tuple[str, str]:
        ladder = find_ladder(session, ladder_id)
        by_author = kind == "withdraw"
        ladders.take_out(session, ladder.id, bot, actor, reason, by_author=by_author)
        word = "withdrawn" if by_author else "disqualified"
        return f"{ladder_desk_url(ladder.id)}#bots", f"{bot} is {word}."

    return carry_out(ctx, act_, lambda words: _out_page(ctx, ladder_id, bot, kind, words))


def routes() -> list[Route]:
    """The organiser's pages of ladders."""
    rank = Rank.ORGANISER
    one = "/organiser/ladders/{ladder_id:int}"
    return [
        show("/organiser/ladders/open", open_form, rank=rank),
        act("/organiser/ladders/open", open_ladder, rank=rank),
        show(one, manage, rank=rank),
        *(act(f"{one}/{step.name}", _step_handler(step), rank=rank) for step in LADDER_STEPS),
        act(f"{one}/settings", set_settings, rank=rank),
        act(f"{one}/gate-rule", set_gate_rule, rank=rank),
        act(f"{one}/enter", enter, rank=rank),
        act(f"{one}/forgive", forgive, rank=rank),
        show(f"{one}/withdraw", withdraw_page, rank=rank),
        act(f"{one}/withdraw", withdraw, rank=rank),
        show(f"{one}/disqualify", disqualify_page, rank=rank),
        act(f"{one}/disqualify", disqualify, rank=rank),
    ]
