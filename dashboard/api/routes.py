"""All routes of the API, in the order of its reference."""

from starlette.routing import BaseRoute

from dashboard.api import (
    account,
    bot_reviews,
    bots,
    friendlies,
    gates,
    ladders,
    league,
    live,
    matches,
    messages,
    output,
    replays,
    reviews,
    rules,
    seasons,
    submissions,
    tables,
)
from dashboard.api.organiser import accounts, archive, drafts, planner, rehearsals
from dashboard.api.organiser import seasons as organise

PARTS = (
    league,
    rules,
    bots,
    submissions,
    matches,
    live,
    replays,
    reviews,
    bot_reviews,
    tables,
    output,
    friendlies,
    seasons,
    archive,
    drafts,
    organise,
    rehearsals,
    ladders,
    gates,
    planner,
    accounts,
    account,
    messages,
)


def api_routes() -> list[BaseRoute]:
    """All routes of the API."""
    # They carry their whole path already: nesting routers would build every route again for
    # every application.
    return [route for part in PARTS for route in part.router.routes]
