"""Running matches as they are played: public events only, at a pace that people can follow."""

from collections.abc import Sequence

from fastapi import APIRouter
from fastapi.sse import EventSourceResponse
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from dashboard.api.common import EVENTS, OPTIONAL, Id, begin, errors
from dashboard.api.matches import visible_match
from dashboard.identity import client_address
from dashboard.reel import Place
from dashboard.shows import read_id
from league.broadcast import Item
from store import Match, MatchState, present

router = APIRouter(tags=["matches"])


@router.get(
    "/matches/{match_id}/live",
    response_class=StreamingResponse,
    responses=errors(404) | EVENTS,
    openapi_extra=OPTIONAL,
)
async def match_live(request: Request, match_id: Id) -> Response:
    """A running match, one game at a time, as server-sent events; hands stay hidden.

    `game` is the game on screen from its begin, as the viewer's timeline (`bullring-viewer/1`),
    `steps` what has happened since, `status` the state of the match; `"final": true` is the last.
    `Last-Event-ID` brings what was missed. A match that has not begun says so and hangs up.
    """
    site, viewer = await run_in_threadpool(begin, request)

    def find() -> MatchState:
        with site.store.read() as session:
            return visible_match(session, viewer, match_id).state

    def look(after: Place) -> Sequence[Item]:
        return site.services.live(match_id, after)

    def state() -> MatchState:
        with site.store.read() as session:
            return present(session, Match, match_id).state

    now = await run_in_threadpool(find)
    last = read_id(request.headers.get("last-event-id"))
    address = client_address(request, site.settings)
    return EventSourceResponse(
        site.shows.watch(match_id, look, state, last, now=now, address=address)
    )
