"""For organisers beside seasons: planner, fleet, audit log, invitations."""

import json
from dataclasses import asdict
from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from api_models.base import Page
from api_models.organiser import (
    FleetOut,
    InvitationOut,
    PlanOut,
    QueueOut,
    ReachOut,
    SeparationOut,
    WorkerOut,
)
from dashboard import http
from dashboard.api.common import (
    BEARER,
    CursorParam,
    Limit,
    api_router,
    begin,
    decode_cursor,
    errors,
    send,
    send_list,
)
from dashboard.api.organiser_models import AuditOut, NewInvitation
from dashboard.http import Refused, organiser_of
from dashboard.reads import fleet_view
from league import authors
from league import seasons as league_seasons
from league.plans import Boards, RulesName, Table
from league.seasons import USUAL, Meetings
from store import Role, seasons
from store import audit as audit_log

router = api_router("organise")


@router.get(
    "/plan",
    response_model=PlanOut,
    responses=errors(401, 403, 409),
    openapi_extra=BEARER,
)
def season_plan(
    request: Request,
    rules: RulesName,
    bots: league_seasons.Bots = 8,
    gap: Annotated[
        list[float] | None, Query(max_length=10, description="Points per round.", examples=[[1.7]])
    ] = None,
    table: Table = USUAL.table,
    boards: Boards = USUAL.boards,
    meetings: Meetings = USUAL.meetings,
    power: Annotated[
        float,
        Query(ge=0.5, le=0.99, description="How likely a gap is to be found.", examples=[0.8]),
    ] = 0.8,
    options: Annotated[
        str | None, Query(max_length=200, description="As JSON.", examples=['{"rounds": 1}'])
    ] = None,
) -> Response:
    """How many games, and how long on this fleet, until bots this far apart are separated."""
    site, viewer = begin(request)
    organiser_of(viewer)
    gaps = tuple(gap or league_seasons.USUAL_GAPS)
    if not all(0.01 <= one <= 1000 for one in gaps):
        raise Refused(422, f"got gap {list(gaps)!r}, expected points per round from 0.01 to 1000")
    question = league_seasons.ForecastQuestion(
        rules=rules,
        options=_options(options),
        bots=bots,
        table_size=table,
        boards=boards,
        meetings=meetings,
        power=power,
    )
    with site.store.read() as session:
        found = league_seasons.look_ahead(session, question, gaps)
    answer = PlanOut(
        reach=ReachOut.model_validate(asdict(found.reach)),
        gaps=[SeparationOut.model_validate(asdict(one)) for one in found.gaps],
        measured=" ".join(filter(None, (found.measured.words, found.measured.hint))),
    )
    return send(request, answer)


def _options(text: str | None) -> dict[str, object] | None:
    if text is None:
        return None
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise Refused(422, f"got options {text!r}, expected a JSON object of names and values")
    return found


@router.get(
    "/workers",
    response_model=FleetOut,
    responses=errors(401, 403),
    openapi_extra=BEARER,
)
def worker_list(request: Request) -> Response:
    """Workers and queue at a glance."""
    site, viewer = begin(request)
    organiser_of(viewer)
    with site.store.read() as session:
        view = fleet_view(session)
    return send(
        request,
        FleetOut(
            workers=[
                WorkerOut(
                    name=worker.name,
                    state=worker.state,
                    alive=worker.name in view.alive,
                    host=worker.host,
                    slots=worker.slots,
                    busy=worker.busy,
                    problems=view.problems(worker),
                    heartbeat_at=worker.heartbeat_at,
                )
                for worker in view.workers
            ],
            slots=view.slots,
            busy=view.busy,
            queues=[
                QueueOut(queue=queue, state=state, matches=count)
                for (queue, state), count in view.sizes.items()
            ],
        ),
    )


@router.get(
    "/audit",
    response_model=Page[AuditOut],
    responses=errors(401, 403, 404),
    openapi_extra=BEARER,
)
def audit_list(
    request: Request,
    season: Annotated[
        str | None, Query(max_length=60, description="Only of this season.", examples=["autumn"])
    ] = None,
    cursor: CursorParam = None,
    limit: Limit = 50,
) -> Response:
    """Who did what and why, newest first; of one season if it is named."""
    site, viewer = begin(request)
    organiser_of(viewer)
    before = decode_cursor(cursor)
    with site.store.read() as session:
        found = None if season is None else seasons.by_name(session, season)
        if season is not None and found is None:
            raise Refused(404, f"got season {season!r}, expected one that exists")
        rows = audit_log.page(
            session,
            subject="season" if found else None,
            subject_id=found.id if found else None,
            before=before,
            limit=limit,
        )
    items = [
        AuditOut.model_validate(row.model_dump(include=set(AuditOut.model_fields))) for row in rows
    ]
    return send_list(request, items, len(rows) == limit, rows[-1].id if rows else None)


@router.post(
    "/invitations",
    response_model=InvitationOut,
    status_code=201,
    responses=errors(401, 403),
    openapi_extra=BEARER,
)
def invitation_create(request: Request, wanted: NewInvitation) -> Response:
    """Make a link for one new account."""
    site, viewer = begin(request, write=True)
    actor = organiser_of(viewer)
    with site.store.write() as session:
        secret = authors.invite(session, Role(wanted.role), actor, wanted.note)
    made = InvitationOut(role=wanted.role, url=http.link_address(site.settings, secret))
    response = send(request, made, 201)
    response.headers["cache-control"] = "no-store"
    return response
