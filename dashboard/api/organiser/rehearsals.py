"""Rehearsals of a season: started, asked for and stopped, named like `bullring season rehearse`."""

from sqlmodel import Session
from starlette.requests import Request
from starlette.responses import Response

from api_models.seasons import RehearsalOut
from dashboard.api.common import BEARER, SeasonPart, api_router, begin, errors, send
from dashboard.api.organiser.acts import REFUSALS, with_season
from dashboard.api.season_models import Rehearse
from dashboard.api.seasons import find_season
from dashboard.http import organiser_of
from dashboard.reads import season_view
from league import seasons
from store import Owner, Season

router = api_router("organise")
REHEARSAL = "/seasons/{name}/rehearse"


def _rehearsal(session: Session, season: Season) -> RehearsalOut:
    view = season_view(session, season)
    done = view.rehearsed
    return RehearsalOut(
        running=done is not None,
        matches=done.total if done else 0,
        done=done.done if done else 0,
        report=view.report,
    )


@router.post(
    REHEARSAL,
    response_model=RehearsalOut,
    status_code=202,
    responses=REFUSALS,
    openapi_extra=BEARER,
)
def season_rehearse(request: Request, name: SeasonPart, wanted: Rehearse) -> Response:
    """Play the whole season with samples on the real queue; then ask for the report."""

    def act(session: Session, season: Season, actor: Owner) -> RehearsalOut:
        seasons.begin_rehearsal(
            session, season, actor, bots=wanted.bots, boards=wanted.boards, reported=True
        )
        return _rehearsal(session, season)

    return send(request, with_season(request, name, act), 202)


@router.get(
    REHEARSAL,
    response_model=RehearsalOut,
    responses=errors(401, 403, 404),
    openapi_extra=BEARER,
)
def season_rehearsal(request: Request, name: SeasonPart) -> Response:
    """The progress of the rehearsal, and what the last one found."""
    site, viewer = begin(request)
    organiser_of(viewer)
    with site.store.read() as session:
        return send(request, _rehearsal(session, find_season(session, viewer, name)))


@router.delete(
    REHEARSAL,
    status_code=204,
    responses=errors(401, 403, 404),
    openapi_extra=BEARER,
)
def season_rehearsal_stop(request: Request, name: SeasonPart) -> Response:
    """Stop the running rehearsal, and remove it."""
    site, viewer = begin(request, write=True)
    actor = organiser_of(viewer)
    with site.store.read() as session:
        season_id = find_season(session, viewer, name).id
    seasons.stop_rehearsal(site.store, season_id, actor)
    return Response(status_code=204)
