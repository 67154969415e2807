"""A bot's own output in a match that is done: for its owner, and for organisers."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated

from fastapi import Path, Query
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from api_models.output import AskedOut, MoveOut, OutputOut, OwnFaultOut
from dashboard import reads
from dashboard.api.common import (
    BEARER,
    NDJSON,
    MatchId,
    api_router,
    begin,
    download,
    errors,
    send_all,
)
from dashboard.http import Refused, signed_in_owner
from dashboard.reads import Asked, Move, SeatOutput
from league.authors import Scope
from referee.faults import FaultKind
from store import Fault

router = api_router("output")
MEASURED = ("median_ms", "worst_ms", "cpu_s", "memory_peak")

FaultFilter = Annotated[
    list[FaultKind] | None,
    Query(max_length=10, description="Only faults of these kinds.", examples=[["timeout"]]),
]


@router.get(
    "/matches/{match_id}/output",
    response_model=list[OutputOut],
    responses=errors(401, 403, 404),
    openapi_extra=BEARER,
)
def match_output(
    request: Request,
    match_id: MatchId,
    bot: Annotated[
        str | None,
        Query(max_length=81, description="Only this one of yours.", examples=["ada/greedy"]),
    ] = None,
    fault: FaultFilter = None,
) -> Response:
    """What your bots wrote, their think times, and their faults with the asks that caused them."""
    site, viewer = begin(request)
    signed_in_owner(viewer, Scope.READ)
    kinds = [kind.value for kind in fault or ()]
    with site.store.read() as session:
        match = reads.done_match(session, viewer, match_id)
        seats = reads.own_seats(session, viewer, match, bot)
        found = reads.seat_outputs(site, session, match, seats, kinds)
    return send_all(request, [public_output(match_id, one) for one in found])


def public_output(match_id: int, one: SeatOutput) -> OutputOut:
    """The output of a seat as the API gives it to its owner."""
    seat = one.seated.seat
    measured = {name: seat.stats.get(name) for name in MEASURED}
    fields: dict[str, object] = {
        "match": match_id,
        "seat": one.seated.number,
        "bot": one.seated.bot,
        "version": one.seated.version,
        "log": one.log,
        "games": seat.games,
        "decisions": seat.decisions,
        "mean_ms": seat.think_ms / seat.decisions if seat.decisions else None,
        "faults": [_fault(fault, asked) for fault, asked in one.faults],
    }
    return OutputOut.model_validate(fields | measured)


def _fault(fault: Fault, asked: Asked | None) -> OwnFaultOut:
    ask = None if asked is None else {**asdict(asked), "words": asked.words}
    return OwnFaultOut(
        kind=fault.kind,
        cause=fault.cause,
        out=bool((fault.detail or {}).get("out")),
        pass_no=fault.pass_no,
        game_no=fault.game_no,
        round_no=fault.round_no,
        decision=fault.decision,
        ask=None if ask is None else AskedOut.model_validate(ask),
    )


@router.get(
    "/matches/{match_id}/output/{seat}/moves",
    responses=errors(401, 403, 404) | download(NDJSON),
    response_class=StreamingResponse,
    openapi_extra=BEARER,
)
def match_moves(
    request: Request,
    match_id: MatchId,
    seat: Annotated[
        int, Path(ge=0, le=9, description="A seat of the match, from 0.", examples=[0])
    ],
    fault: FaultFilter = None,
    noted: Annotated[bool, Query(description="Only moves with a note.", examples=[True])] = False,
    game: Annotated[
        int | None, Query(ge=0, le=1_000_000, description="Only this game.", examples=[3])
    ] = None,
) -> Response:
    """Every decision of your bot in a seat of the match, with its note, one a line."""
    site, viewer = begin(request)
    signed_in_owner(viewer, Scope.READ)
    kinds = [kind.value for kind in fault or ()]
    wanted = reads.MoveFilter(faults=kinds, noted=noted, game_no=game)
    with site.store.read() as session:
        match = reads.done_match(session, viewer, match_id)
        own = reads.own_seats(session, viewer, match, None)
        if seat not in [one.number for one in own]:
            numbers = ", ".join(str(one.number) for one in own)
            raise Refused(403, f"got seat {seat}, expected one of your bot's: {numbers}")
        moves = reads.seat_moves(site, session, match, seat, wanted)
    name = f"match-{match_id}-seat-{seat}-moves.jsonl"
    return StreamingResponse(
        _lines(moves),
        media_type=NDJSON,
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


def _lines(moves: Iterator[Move]) -> Iterator[bytes]:
    for move in moves:
        yield MoveOut.model_validate(asdict(move)).model_dump_json().encode() + b"\n"
