"""The review of a game at a table with people, for those who may see that game."""

from typing import Annotated

from fastapi import Path
from starlette.requests import Request
from starlette.responses import Response

from api_models.reviews import ReviewOut
from dashboard.api.common import OPTIONAL, api_router, begin, errors, send
from dashboard.api.reviews import asked_review, public_review, review_asker
from dashboard.http import Refused, browser_viewer, find_person
from dashboard.reads import find_table
from dashboard.site import Site, site_of
from league.reviews import MatchGame, review_of
from store import SittingState

router = api_router("tables")
_PATH = "/tables/{code}/review"
Code = Annotated[
    str, Path(max_length=64, description="From the address of the table.", examples=["k7m2p"])
]


@router.get(_PATH, response_model=ReviewOut, responses=errors(403, 404), openapi_extra=OPTIONAL)
def table_review_get(request: Request, code: Code) -> Response:
    """The review of the game at a table (`bullring-review/1`), or its progress: for the people who
    sat there, and for everybody once they have shared it."""
    site, _ = begin(request)
    game = _game(request, site, code)
    with site.store.read() as session:
        return send(request, public_review(session, review_of(session, game)))


@router.post(
    _PATH,
    response_model=ReviewOut,
    status_code=202,
    responses=errors(403, 404, 409)
    | {200: {"description": "It was asked for before.", "model": ReviewOut}},
    openapi_extra=OPTIONAL,
)
def table_review_ask(request: Request, code: Code) -> Response:
    """Ask for the review of the game at a table."""
    viewer = review_asker(request)
    return asked_review(request, viewer, _game(request, site_of(request), code))


def _game(request: Request, site: Site, code: str) -> MatchGame:
    """The game of a table, for those who may see it; a guest is known by a cookie alone."""
    with site.store.read() as session:
        person = find_person(session, site, request, browser_viewer(request))
        table = find_table(session, code, person)
    if table.own is None and not table.sitting.shared:
        raise Refused(403, "this game is private to those who sat at the table")
    if table.sitting.state is not SittingState.OVER:
        raise Refused(404, "this game is not over; it can be reviewed when it is")
    return MatchGame(match_id=table.sitting.match_id, pass_no=0, game_no=0)
