"""Seasons that are made, changed and deleted, named like the commands `bullring season …`."""

from sqlmodel import Session
from starlette.requests import Request
from starlette.responses import Response

from api_models.seasons import SeasonOut
from dashboard.api.common import BEARER, SeasonPart, api_router, begin, errors, send
from dashboard.api.organiser.acts import REFUSALS, changed_season, organised
from dashboard.api.season_models import EditSeason, NewSeason
from dashboard.api.seasons import find_season, public_season
from dashboard.http import organiser_of
from league import seasons
from league.seasons import plan_from
from store import Owner, Season

router = api_router("organise")


@router.post(
    "/seasons",
    response_model=SeasonOut,
    status_code=201,
    responses=errors(401, 403, 409),
    openapi_extra=BEARER,
)
def season_create(request: Request, wanted: NewSeason) -> Response:
    """Make a season; it is a draft until it is opened."""
    plan = plan_from(wanted.model_dump())
    made = organised(request, lambda session, actor: seasons.create(session, plan, actor))
    return send(request, public_season(made, {}), 201)


@router.patch(
    "/seasons/{name}",
    response_model=SeasonOut,
    responses=REFUSALS,
    openapi_extra=BEARER,
)
def season_edit(request: Request, name: SeasonPart, wanted: EditSeason) -> Response:
    """Change a draft; when entries are open only its title, description and dates."""
    given = wanted.model_dump(exclude_unset=True)

    def act(session: Session, season: Season, actor: Owner) -> None:
        seasons.edit(session, season.id, given, actor)

    return changed_season(request, name, act)


@router.delete(
    "/seasons/{name}",
    status_code=204,
    responses=REFUSALS,
    openapi_extra=BEARER,
)
def season_delete(request: Request, name: SeasonPart) -> Response:
    """Delete a draft with its entries and rehearsals. Only a draft can be deleted."""
    site, viewer = begin(request, write=True)
    actor = organiser_of(viewer)
    with site.store.read() as session:
        season_id = find_season(session, viewer, name).id
    seasons.delete(site.store, season_id, actor)
    return Response(status_code=204)
