"""All pages and forms, in the order in which their addresses are matched."""

from starlette.routing import Route

from dashboard.pages import (
    account,
    bot,
    cards,
    docs,
    extras,
    friendlies,
    home,
    live,
    losses,
    match,
    mine,
    people_board,
    play,
    play_compare,
    play_hint,
    play_table,
    replay,
    season,
    submit,
)
from dashboard.pages.organiser import drafts, ladder, overview
from dashboard.pages.organiser import season as run_season


def first_routes() -> list[Route]:
    """The pages that most people open: an address is compared with the routes in order."""
    return [route for part in (home, season, replay) for route in part.routes()]


def page_routes() -> list[Route]:
    """All other pages and forms."""
    parts = (
        live,
        people_board,
        play,
        play_hint,
        play_table,
        play_compare,
        bot,
        losses,
        match,
        submit,
        mine,
        friendlies,
        account,
        overview,
        run_season,
        drafts,
        ladder,
        docs,
        cards,
        extras,
    )
    return [route for part in parts for route in part.routes()]
