"""The JSON API under /api/v1. Its pages of words are docs/8-api.md; its schema is made here."""

from fastapi import APIRouter

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

VERSION = league.API_VERSION
PREFIX = f"/api/v{VERSION}"
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


def router() -> APIRouter:
    """All routes of the API."""
    made = APIRouter(prefix=PREFIX)
    for part in PARTS:
        made.include_router(part.router)
    return made
