"""The JSON API under /api/v1. Its pages of words are docs/8-api.md; its schema is made here."""

from starlette.routing import BaseRoute

from dashboard.api import (
    account,
    archive,
    bots,
    desk,
    drafts,
    gates,
    ladders,
    league,
    live,
    matches,
    messages,
    organise,
    rehearsals,
    replays,
    rules,
    seasons,
    submissions,
)
from dashboard.api.common import PREFIX as PREFIX
from dashboard.api.common import VERSION as VERSION

PARTS = (
    league,
    rules,
    bots,
    submissions,
    matches,
    live,
    replays,
    seasons,
    archive,
    drafts,
    organise,
    rehearsals,
    ladders,
    gates,
    desk,
    account,
    messages,
)


def routes() -> list[BaseRoute]:
    """All routes of the API."""
    # They carry their whole path already: putting routers into one another would build every
    # route anew for every application.
    return [route for part in PARTS for route in part.router.routes]
