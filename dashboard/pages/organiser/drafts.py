"""Drafts from the organiser's desk: made by a form, changed by the same form, deleted.

Beside the form stands the planner's answer to what it says.
"""

from sqlmodel import Session
from starlette.responses import Response
from starlette.routing import Route

from dashboard.http import Rank
from dashboard.pages.organiser.acts import REFUSALS, actor, carry_out
from dashboard.pages.organiser.presets import PRESETS
from dashboard.pages.organiser.season import named
from dashboard.pages.organiser.season_form import SeasonForm
from dashboard.pages.page import Ctx, act, show
from dashboard.render import desk_url
from league import seasons as league_seasons
from league.errors import LeagueRefusal
from league.seasons import dates_left, plan_from, plan_of
from league.words import counted
from nimmt import GAMES
from store import Owner, Season, SeasonState, seasons

ASKED = frozenset({"name", "title", "rules", "bots", "freezes_at", "starts_at"})
"""The fields of the five questions; the others are under "More"."""
CHANGED = (SeasonState.DRAFT, SeasonState.OPEN)
"""The states in which something of the plan can still be changed."""


def create_form(ctx: Ctx) -> Response:
    """The form of a new season: as usual, as a preset has it, or like a season that exists."""
    like, preset = ctx.query("like"), PRESETS.get(ctx.query("preset"))
    if like:
        with ctx.site.store.read() as session:
            season = named(session, like)
        return _form_page(ctx, SeasonForm.like(plan_of(season)), like=season)
    return _form_page(ctx, SeasonForm(dict(preset.values) if preset else {}))


def create(ctx: Ctx) -> Response:
    """Make the season, or ask the planner again."""
    form = SeasonForm.read(ctx.form)
    if ctx.text("act") == "plan":
        return _form_page(ctx, form)
    given = form.given()
    if form.errors:
        return _form_page(ctx, form, "Some fields need another look; nothing was made.", 422)

    def make(session: Session, actor: Owner) -> tuple[str, str]:
        made = league_seasons.create(session, plan_from(given), actor)
        return desk_url(made.name), f"{made.title} is a draft. Only organisers see it."

    return carry_out(ctx, make, lambda words: _blamed(ctx, form, words))


def edit_form(ctx: Ctx, name: str) -> Response:
    """The form filled in with what a season is; when entries are open, with less to change."""
    with ctx.site.store.read() as session:
        season = named(session, name)
        if season.state not in CHANGED:
            words = f"{season.title} is {season.state}; its plan cannot be changed any more."
            return ctx.go(desk_url(name), words)
        entries = len(seasons.entries(session, season.id, only_entered=True))
    return _form_page(ctx, SeasonForm.of(plan_of(season), entries), season=season)


def edit(ctx: Ctx, name: str) -> Response:
    """Change the season, or ask the planner what that would mean."""
    with ctx.site.store.read() as session:
        season = named(session, name)
    form = SeasonForm.read(ctx.form)
    if ctx.text("act") == "plan":
        return _form_page(ctx, form, season=season)
    if season.state is SeasonState.DRAFT:
        given = form.given()
    else:
        # The form has no more than the words then, and no dates that have passed.
        given = {word: value for word, value in form.words().items() if word in ctx.form}
    if form.errors:
        words = "Some fields need another look; nothing was changed."
        return _form_page(ctx, form, words, 422, season=season)

    def change(session: Session, actor: Owner) -> tuple[str, str]:
        changed = league_seasons.edit(session, season.id, given, actor)
        address = desk_url(str(given.get("name", name)))
        if not changed:
            return address, "Nothing was different, so nothing was changed."
        return address, f"Changed: {', '.join(changed).replace('_', ' ')}."

    return carry_out(ctx, change, lambda words: _blamed(ctx, form, words, season))


def _blamed(ctx: Ctx, form: SeasonForm, words: str, season: Season | None = None) -> Response:
    form.blame(words)
    return _form_page(ctx, form, words, 409, season=season)


def _form_page(
    ctx: Ctx,
    form: SeasonForm,
    error: str = "",
    status: int = 200,
    season: Season | None = None,
    like: Season | None = None,
) -> Response:
    all_of_it = season is None or season.state is SeasonState.DRAFT
    asked = form.question() if all_of_it else None
    outlook = None
    if asked is not None and not form.errors:
        with ctx.site.store.read() as session:
            outlook = league_seasons.look_ahead(session, asked)
    elif form.errors and not error:
        error, status = "Some fields need another look before the planner can answer.", 422
    return ctx.render(
        "season_form.html",
        status,
        form=form,
        v=form.values,
        season=season,
        all_of_it=all_of_it,
        dates=dates_left(SeasonState.DRAFT if season is None else season.state),
        error=error,
        outlook=outlook,
        outlook_rules=asked.rules if asked else "",
        games=list(GAMES),
        presets=PRESETS,
        preset=ctx.query("preset"),
        like=like,
        more=season is not None or bool(form.errors.keys() - ASKED),
    )


def delete_page(ctx: Ctx, name: str) -> Response:
    """What would go, before it goes."""
    return _delete_page(ctx, name)


def _delete_page(ctx: Ctx, name: str, error: str = "", status: int = 200) -> Response:
    with ctx.site.store.read() as session:
        season = named(session, name)
        entries = seasons.entries(session, season.id, only_entered=True)
    try:
        league_seasons.check_draft(season)
    except LeagueRefusal:
        words = f"{season.title} is {season.state}. Only a draft can be deleted."
        return ctx.go(desk_url(name), words)
    return ctx.render(
        "season_delete.html",
        status,
        season=season,
        entries=counted(len(entries), "entry", "entries") if entries else "",
        error=error,
    )


def delete(ctx: Ctx, name: str) -> Response:
    """Delete a draft, with its entries and rehearsals."""
    with ctx.site.store.read() as session:
        season = named(session, name)
    try:
        league_seasons.delete(ctx.site.store, season.id, actor(ctx))
    except REFUSALS as error:
        return _delete_page(ctx, name, str(error), 409)
    return ctx.go("/organiser", f"{season.title} is deleted. The audit log keeps what it was.")


def routes() -> list[Route]:
    """The organiser's pages of drafts."""
    rank = Rank.ORGANISER
    one = "/organiser/seasons/{name}"
    return [
        show("/organiser/create", create_form, rank=rank),
        act("/organiser/create", create, rank=rank),
        show(f"{one}/edit", edit_form, rank=rank),
        act(f"{one}/edit", edit, rank=rank),
        show(f"{one}/delete", delete_page, rank=rank),
        act(f"{one}/delete", delete, rank=rank),
    ]
