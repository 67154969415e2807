"""The people's board: ratings of people on the scale of the bots, and how one is named there."""

from starlette.responses import Response
from starlette.routing import Route

from dashboard.http import Rank, find_person, keep_person, take_person
from dashboard.pages.page import Ctx, act, show
from league import people
from league.errors import LeagueRefusal
from league.ratings import FEWEST_GAMES, FEWEST_ROUNDS


def board(ctx: Ctx) -> Response:
    """Who plays how well; by name only those who agreed to it."""
    return _page(ctx)


def _page(ctx: Ctx, refusal: str = "", typed: str = "", status: int = 200) -> Response:
    with ctx.site.store.read() as session:
        person = find_person(session, ctx.site, ctx.request, ctx.viewer)
        boards = people.people_boards(session, None if person is None else person.id)
    known = "" if person is None else person.name
    return ctx.render(
        "play/board.html",
        status,
        boards=boards,
        person=person,
        typed=typed or known or (ctx.handle or ""),
        refusal=refusal,
        fewest_games=FEWEST_GAMES,
        fewest_rounds=FEWEST_ROUNDS,
        name_length=people.NAME_LENGTH,
    )


def set_name(ctx: Ctx) -> Response:
    """Be named on the board and at tables, or no longer."""
    ctx.limit("changes", ctx.site.settings.write_limit)
    shown = ctx.text("shown") == "1"
    try:
        with ctx.site.store.write() as session:
            person = take_person(session, ctx.site, ctx.request, ctx.viewer)
            person = people.set_name(session, person.id, ctx.text("name"), shown=shown)
    except LeagueRefusal as error:
        return _page(ctx, str(error), ctx.text("name"), 422)
    words = f"You are shown as {person.name}." if shown else "You are no longer named anywhere."
    response = ctx.go("/play/people", words)
    keep_person(ctx.site, response, person)
    return response


def routes() -> list[Route]:
    """The board; its address comes before those of tables."""
    return [
        show("/play/people", board),
        act("/play/people/name", set_name, rank=Rank.SPECTATOR),
    ]
