"""Replays of matches that are done: whole for spectators, or what one seat could see."""

from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from dashboard.api.common import (
    NDJSON,
    OPTIONAL,
    GameNo,
    MatchId,
    PassNo,
    api_router,
    begin,
    download,
    errors,
    send,
)
from dashboard.http import Refused
from dashboard.reads import visible_match
from dashboard.site import Site
from dashboard.viewer import load_document, payload_for
from store import BlobKind, results

router = api_router("replays")


@router.get(
    "/matches/{match_id}/games/{pass_no}/{game_no}/replay",
    response_model=dict[str, Any],
    responses=errors(404),
    openapi_extra=OPTIONAL,
)
def replay_get(
    request: Request,
    match_id: MatchId,
    pass_no: PassNo,
    game_no: GameNo,
    seat: Annotated[
        int | None,
        Query(
            ge=0,
            le=9,
            description="Only what this seat could see, as the viewer's timeline.",
            examples=[0],
        ),
    ] = None,
    timeline: Annotated[
        bool, Query(description="The viewer's timeline instead of the document.", examples=[False])
    ] = False,
) -> Response:
    """A replay (`bullring-replay/1` with its key), or a timeline (`bullring-viewer/1`)."""
    site, viewer = begin(request)
    with site.store.read() as session:
        visible_match(session, viewer, match_id)
        document = load_document(site, session, match_id, pass_no, game_no)
    if seat is None and not timeline:
        return send(request, document)
    if seat is not None and seat >= len(document["players"]):
        raise Refused(422, f"got seat {seat}, expected 0 to {len(document['players']) - 1}")
    return send(request, payload_for(document, seat=seat))


@router.get(
    "/matches/{match_id}/replays",
    responses=errors(404) | download(NDJSON),
    response_class=StreamingResponse,
    openapi_extra=OPTIONAL,
)
def replay_list(request: Request, match_id: MatchId) -> Response:
    """All games of a match, a replay a line, as the referee wrote them."""
    site, viewer = begin(request)
    with site.store.read() as session:
        visible_match(session, viewer, match_id)
        blob = results.blob_of(session, match_id, BlobKind.REPLAY)
    if blob is None:
        raise Refused(404, f"match {match_id} is not done, or has no replays")
    return StreamingResponse(
        _lines(site, blob.sha256),
        media_type=NDJSON,
        headers={"content-disposition": f'attachment; filename="match-{match_id}.jsonl"'},
    )


def _lines(site: Site, sha256: str) -> Iterator[bytes]:
    for line in site.store.blobs.lines(sha256):
        yield line + b"\n"
