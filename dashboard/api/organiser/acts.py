"""What routes for organisers share: one transaction in their name, and steps as routes."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from fastapi import APIRouter
from pydantic import BaseModel
from sqlmodel import Session
from starlette.requests import Request
from starlette.responses import Response

from api_models.seasons import SeasonOut
from dashboard.api.common import BEARER, begin, errors, send
from dashboard.api.seasons import find_season, public_season, state_counts
from dashboard.http import Viewer, organiser_of
from league.steps import Row, Step
from store import Owner, Season
from store import seasons as store_seasons

REFUSALS = errors(401, 403, 404, 409)
T = TypeVar("T")


def organised(request: Request, act: Callable[[Session, Owner], T]) -> T:
    """Do it for the organiser who asks, all of it or nothing."""
    site, viewer = begin(request, write=True)
    actor = organiser_of(viewer)
    with site.store.write() as session:
        return act(session, actor)


def with_season(request: Request, name: str, act: Callable[[Session, Season, Owner], T]) -> T:
    """Do it with a season as an organiser."""
    return organised(
        request,
        lambda session, actor: act(session, find_season(session, Viewer(owner=actor), name), actor),
    )


def changed_season(
    request: Request, name: str, act: Callable[[Session, Season, Owner], object]
) -> Response:
    """Do it, and send the season as it then is."""

    def changed(session: Session, season: Season, actor: Owner) -> SeasonOut:
        act(session, season, actor)
        session.refresh(season)
        return public_season(season, state_counts(store_seasons.progress(session, season.id)))

    return send(request, with_season(request, name, changed))


def add_steps(
    router: APIRouter,
    path: str,
    steps: Sequence[Step[Row]],
    route_of: Callable[[Step[Row]], Callable[..., Response]],
    model: type[BaseModel],
    group: str,
) -> None:
    """One route for each step; those that can be taken early have routes of their own."""
    for step in steps:
        if step.early is None:
            route = route_of(step)
            route.__doc__ = step.words
            router.add_api_route(
                f"{path}/{step.name}",
                route,
                methods=["POST"],
                response_model=model,
                responses=REFUSALS,
                openapi_extra=BEARER,
                operation_id=f"{group}_{step.name.replace('-', '_')}",
                summary=step.button,
            )
