"""Ladders, and why a bot is not playing; named like `bullring ladder …`."""

from collections.abc import Callable
from typing import Annotated, TypeVar

from fastapi import Query
from sqlmodel import Session
from starlette.requests import Request
from starlette.responses import Response

from api_models.models import BotOut
from api_models.organiser import LadderOut, WhyOut
from api_models.seasons import FairnessOut
from dashboard.api.bots import find, public_bot
from dashboard.api.common import (
    BEARER,
    MAX_ID,
    OPTIONAL,
    BotPart,
    Handle,
    LadderId,
    api_router,
    begin,
    errors,
    send,
    send_all,
)
from dashboard.api.organiser.acts import REFUSALS, add_steps, organised
from dashboard.api.organiser_models import NewLadder, NewSettings
from dashboard.api.season_models import Entering, TakenOut, WithReason
from dashboard.api.seasons import send_table
from dashboard.http import Refused, Viewer, acting_for, organiser_of, signed_in_owner
from dashboard.reads import BotLine
from league import authors, ratings
from league import ladder as ladders
from league.authors import Scope
from league.ladder import LADDER_STEPS
from league.ratings import Table
from league.steps import Step
from store import Ladder, Owner
from store import ladders as store_ladders
from store import scales as store_scales

router = api_router("ladders")
T = TypeVar("T")


def find_ladder(session: Session, ladder_id: int) -> Ladder:
    """A ladder that exists."""
    ladder = session.get(Ladder, ladder_id)
    if ladder is None:
        raise Refused(404, f"got ladder {ladder_id}, expected one that exists")
    return ladder


def public_ladder(session: Session, ladder: Ladder) -> LadderOut:
    """A ladder as the API shows it."""
    known = set(LadderOut.model_fields) & set(Ladder.model_fields)
    rated = store_scales.scale(session, ladder.id).standings_at
    return LadderOut(**ladder.model_dump(include=known), is_open=ladder.is_open, standings_at=rated)


def _act(request: Request, ladder_id: int, act: Callable[[Session, Ladder, Owner], T]) -> T:
    """Do it with a ladder as an organiser."""
    return organised(
        request, lambda session, actor: act(session, find_ladder(session, ladder_id), actor)
    )


def _change(
    request: Request, ladder_id: int, act: Callable[[Session, int, Owner], Ladder]
) -> Response:
    """Do it, and send the ladder as it then is."""

    def changed(session: Session, ladder: Ladder, actor: Owner) -> LadderOut:
        return public_ladder(session, act(session, ladder.id, actor))

    return send(request, _act(request, ladder_id, changed))


@router.get("/ladders", response_model=list[LadderOut], responses=errors(), openapi_extra=OPTIONAL)
def ladder_list(request: Request) -> Response:
    """The rating scales that are not a season's."""
    site, _ = begin(request)
    with site.store.read() as session:
        found = store_ladders.ladders(session)
        return send_all(request, [public_ladder(session, row) for row in found])


@router.get(
    "/ladders/{ladder_id}/standings",
    response_model=Table,
    responses=errors(404),
    openapi_extra=OPTIONAL,
)
def ladder_standings(request: Request, ladder_id: LadderId) -> Response:
    """The standings of a ladder."""
    site, _ = begin(request)
    with site.store.read() as session:
        find_ladder(session, ladder_id)
        standings = store_scales.scale(session, ladder_id).standings
    return send_table(request, ratings.read_table(standings))


@router.post(
    "/ladders",
    response_model=LadderOut,
    status_code=201,
    responses=errors(401, 403, 409),
    openapi_extra=BEARER,
)
def ladder_open(request: Request, wanted: NewLadder) -> Response:
    """Open the ladder of these rules, options and table size, for the first time or again."""
    plan = ladders.plan_from(wanted.model_dump())

    def act(session: Session, actor: Owner) -> LadderOut:
        return public_ladder(session, ladders.open_ladder(session, plan, actor))

    return send(request, organised(request, act), 201)


def _step_route(step: Step[Ladder]) -> Callable[[Request, int], Response]:
    def route(request: Request, ladder_id: LadderId) -> Response:
        return _change(request, ladder_id, step.take)

    return route


add_steps(router, "/ladders/{ladder_id}", LADDER_STEPS, _step_route, LadderOut, "ladder")


@router.post(
    "/ladders/{ladder_id}/settings",
    response_model=LadderOut,
    responses=REFUSALS,
    openapi_extra=BEARER,
)
def ladder_settings(request: Request, ladder_id: LadderId, wanted: NewSettings) -> Response:
    """Change the settings of future matches."""
    given = wanted.model_dump(exclude_none=True)

    def act(session: Session, number: int, actor: Owner) -> Ladder:
        return ladders.set_settings(session, number, actor, **given)

    return _change(request, ladder_id, act)


@router.post(
    "/ladders/{ladder_id}/enter",
    status_code=204,
    responses=REFUSALS,
    openapi_extra=BEARER,
)
def ladder_enter(request: Request, ladder_id: LadderId, wanted: Entering) -> Response:
    """Put back bots that were taken out; authors their own, unless it was disqualified.

    Organisers also use it to let platform bots compete for a place.
    """
    site, viewer = begin(request, write=True)
    with site.store.write() as session:
        for bot in wanted.bots:
            actor = acting_for(viewer, bot)
            ladder = find_ladder(session, ladder_id)
            if viewer.is_organiser:
                ladders.enter(session, ladder.id, bot, actor)
            else:
                authors.enter_ladder(session, ladder.id, bot.partition("/")[2], actor)
    return Response(status_code=204)


@router.post(
    "/ladders/{ladder_id}/withdraw",
    status_code=204,
    responses=REFUSALS,
    openapi_extra=BEARER,
)
def ladder_withdraw(request: Request, ladder_id: LadderId, wanted: TakenOut) -> Response:
    """Take a bot out of a ladder at its owner's request; for its owner and for organisers."""
    site, viewer = begin(request, write=True)
    actor = acting_for(viewer, wanted.bot)
    with site.store.write() as session:
        ladder = find_ladder(session, ladder_id)
        if viewer.is_organiser:
            ladders.take_out(session, ladder.id, wanted.bot, actor, wanted.reason, by_author=True)
        else:
            name = wanted.bot.partition("/")[2]
            authors.leave_ladder(session, ladder.id, name, actor, wanted.reason)
    return Response(status_code=204)


@router.post(
    "/ladders/{ladder_id}/disqualify",
    status_code=204,
    responses=REFUSALS,
    openapi_extra=BEARER,
)
def ladder_disqualify(request: Request, ladder_id: LadderId, wanted: TakenOut) -> Response:
    """Take a bot out of a ladder for what it did."""

    def act(session: Session, ladder: Ladder, actor: Owner) -> None:
        ladders.take_out(session, ladder.id, wanted.bot, actor, wanted.reason)

    _act(request, ladder_id, act)
    return Response(status_code=204)


@router.get(
    "/ladders/{ladder_id}/fairness",
    response_model=FairnessOut,
    responses=errors(401, 403, 404),
    openapi_extra=BEARER,
)
def ladder_fairness(request: Request, ladder_id: LadderId) -> Response:
    """Which bots gain beside which, choose alike, or have owners that belong together."""
    site, viewer = begin(request)
    organiser_of(viewer)
    with site.store.read() as session:
        ladder = find_ladder(session, ladder_id)
    return send(request, ratings.ladder_fairness(site.store, ladder).to_json())


def private_bot(session: Session, viewer: Viewer, owner: str, name: str) -> BotLine:
    """A bot whose private things this viewer may see."""
    line = find(session, owner, name)
    if not viewer.sees_private(line.bot.owner_id):
        # Says which token is missing, or that it is not theirs.
        signed_in_owner(viewer, Scope.READ)
        raise Refused(403, f"{line.full_name} is not your bot")
    return line


@router.get(
    "/bots/{owner}/{name}/why",
    response_model=list[WhyOut],
    responses=errors(401, 403, 404),
    openapi_extra=BEARER,
)
def ladder_why(
    request: Request,
    owner: Handle,
    name: BotPart,
    ladder: Annotated[
        int | None, Query(ge=1, le=MAX_ID, description="Default: all.", examples=[1])
    ] = None,
    version: Annotated[
        int | None, Query(ge=1, le=1_000_000, description="An older version of it.", examples=[2])
    ] = None,
) -> Response:
    """Why is this bot not playing? One reason for each ladder; for its owner and organisers."""
    site, viewer = begin(request)
    with site.store.read() as session:
        line = private_bot(session, viewer, owner, name)
        chosen = (
            [find_ladder(session, ladder)]
            if ladder is not None
            else [one for one in store_ladders.ladders(session) if one.rules in line.bot.rules]
        )
        found = [
            {"ladder": one.id, **ladders.why_idle(session, one, line.full_name, version).to_json()}
            for one in chosen
        ]
    return send_all(request, [WhyOut.model_validate(one) for one in found])


@router.post(
    "/bots/{owner}/{name}/forgive",
    response_model=BotOut,
    responses=REFUSALS,
    openapi_extra=BEARER,
)
def ladder_forgive(request: Request, owner: Handle, name: BotPart, wanted: WithReason) -> Response:
    """Lift the suspension of a bot that kept failing."""

    def act(session: Session, actor: Owner) -> BotOut:
        ladders.forgive(session, find(session, owner, name).full_name, actor, wanted.reason)
        return public_bot(find(session, owner, name))

    return send(request, organised(request, act))
