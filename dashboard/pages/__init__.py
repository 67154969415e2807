"""The pages: server-rendered, readable without JavaScript. Each module has `routes()`."""

from starlette.routing import Route

from dashboard.pages import (
    account,
    bot,
    cards,
    desk,
    desk_drafts,
    desk_ladders,
    docs,
    extras,
    home,
    live,
    match,
    mine,
    organiser,
    season,
    submit,
)


def routes() -> list[Route]:
    """All pages and forms."""
    parts = (
        home,
        live,
        season,
        bot,
        match,
        submit,
        mine,
        account,
        organiser,
        desk,
        desk_drafts,
        desk_ladders,
        docs,
        cards,
        extras,
    )
    return [route for part in parts for route in part.routes()]
