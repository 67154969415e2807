"""All pages and forms, in the order in which their addresses are matched."""

from starlette.routing import Route

from dashboard.pages import (
    account,
    bot,
    cards,
    docs,
    extras,
    home,
    live,
    match,
    mine,
    replay,
    season,
    submit,
)
from dashboard.pages.organiser import drafts, ladder, overview
from dashboard.pages.organiser import season as run_season


def page_routes() -> list[Route]:
    """All pages and forms."""
    parts = (
        home,
        live,
        season,
        bot,
        match,
        replay,
        submit,
        mine,
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
