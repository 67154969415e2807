"""Running matches as they are played: public events only, at a pace that people can follow."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Header
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from dashboard.api.common import EVENTS, OPTIONAL, MatchId, api_router, begin, errors
from dashboard.http import client_address
from dashboard.live import EventStream, Place, read_id
from dashboard.reads import visible_match
from league.live import Item
from store import Match, MatchState, NotFound, present

router = api_router("matches")


@router.get(
    "/matches/{match_id}/live",
    response_class=StreamingResponse,
    responses=errors(404) | EVENTS,
    openapi_extra=OPTIONAL,
)
async def match_live(
    request: Request,
    match_id: MatchId,
    last_event_id: Annotated[
        str | None,
        Header(
            alias="Last-Event-ID",
            max_length=200,
            description="The id of the last event that you got: what you missed comes first.",
            examples=["1-0-12"],
        ),
    ] = None,
) -> Response:
    """A running match, one game at a time, as server-sent events; hands stay hidden.

    `game` is the game on screen from its start, as the viewer's timeline (`bullring-viewer/1`),
    `steps` what has happened since, `status` the state of the match; `"final": true` is the last.
    `Last-Event-ID` brings what was missed. Before the match begins the stream says so and ends.
    """
    site, viewer = await run_in_threadpool(begin, request)

    def find() -> Match:
        with site.store.read() as session:
            return visible_match(session, viewer, match_id)

    match = await run_in_threadpool(find)

    def look(after: Place) -> Sequence[Item]:
        # The record of a match that was removed may still be there under its number.
        found = site.services.live(match_id, after)
        return [item for item in found if item.of == match.commitment]

    def state() -> MatchState:
        with site.store.read() as session:
            same = present(session, Match, match_id)
            if same.commitment != match.commitment:
                raise NotFound(
                    f"match {match_id} was removed; its number belongs to another match now"
                )
            return same.state

    last = read_id(last_event_id)
    address = client_address(request, site.settings)
    return EventStream(
        site.shows.watch(match_id, look, state, last, now=match.state, address=address)
    )
