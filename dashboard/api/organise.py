"""Seasons for organisers: each route is named like the command `bullring season …`."""

from collections.abc import Callable
from dataclasses import asdict
from typing import TypeVar

from fastapi import APIRouter
from sqlmodel import Session
from starlette.requests import Request
from starlette.responses import Response

from dashboard import reads
from dashboard.api.acting import REFUSALS, add_steps, organised
from dashboard.api.common import BEARER, OPTIONAL, Id, Name, begin, errors, send
from dashboard.api.desk_models import (
    ChangeOut,
    Disqualified,
    Entering,
    FairnessOut,
    Finish,
    NewDates,
    NewSeason,
    RehearsalOut,
    Rehearse,
    Showcase,
    StatusOut,
    TakenOut,
    TimeLeftOut,
    WithReason,
)
from dashboard.api.models import EntryOut, SeasonOut
from dashboard.api.seasons import find_season, public_entries, public_season, state_counts
from dashboard.desk.steps import STEPS, Step
from dashboard.desk.view import season_view, stuck_matches
from dashboard.identity import Viewer, acting_for, organiser_of
from league import adaptive_season, corrections, drafts, rehearsal, seasons, striking
from league.drafts import SeasonPlan
from league.fairness_report import fairness
from league.showcase import add_showcase
from store import Owner, Season, workers
from store import seasons as store_seasons

router = APIRouter(tags=["organise"])
T = TypeVar("T")
Change = Callable[[Session, Season, Owner], T]


def _act(request: Request, name: str, act: Change[T]) -> T:
    """Do it with a season as an organiser."""
    return organised(
        request,
        lambda session, actor: act(session, find_season(session, Viewer(owner=actor), name), actor),
    )


def _change(request: Request, name: str, act: Change[object]) -> Response:
    """Do it, and send the season as it then is."""

    def changed(session: Session, season: Season, actor: Owner) -> SeasonOut:
        act(session, season, actor)
        session.refresh(season)
        return public_season(season, state_counts(store_seasons.progress(session, season.id)))

    return send(request, _act(request, name, changed))


@router.post(
    "/seasons",
    response_model=SeasonOut,
    status_code=201,
    responses=errors(401, 403, 409),
    openapi_extra=BEARER,
    operation_id="season_create",
)
def create(request: Request, wanted: NewSeason) -> Response:
    """Make a season; it is a draft until it is opened."""
    plan = SeasonPlan(
        name=wanted.name,
        rules=wanted.rules,
        options=wanted.options,
        title=wanted.title,
        about=wanted.about,
        table_size=wanted.table,
        boards=wanted.boards,
        meetings=wanted.meetings,
        places=tuple(wanted.places),
        most_matches=wanted.budget,
        duplicate=wanted.duplicate,
        time={"move_ms": wanted.move_ms, "bank_ms": wanted.bank_ms},
        opens_at=wanted.opens_at,
        freezes_at=wanted.freezes_at,
        starts_at=wanted.starts_at,
        ends_at=wanted.ends_at,
    )
    made = organised(request, lambda session, actor: drafts.create(session, plan, actor))
    return send(request, public_season(made, {}), 201)


def _step_route(step: Step[Season]) -> Callable[[Request, str], Response]:
    def route(request: Request, name: Name) -> Response:
        return _change(request, name, lambda session, season, by: step.take(session, season.id, by))

    return route


add_steps(router, "/seasons/{name}", STEPS, _step_route, SeasonOut, "season")


@router.post(
    "/seasons/{name}/finish",
    response_model=SeasonOut,
    responses=REFUSALS,
    openapi_extra=BEARER,
    operation_id="season_finish",
)
def finish(request: Request, name: Name, how: Finish) -> Response:
    """End a season; without `early` only when all matches are over."""

    def act(session: Session, season: Season, actor: Owner) -> None:
        seasons.finish(session, season.id, actor, early=how.early)

    return _change(request, name, act)


@router.post(
    "/seasons/{name}/dates",
    response_model=SeasonOut,
    responses=REFUSALS,
    openapi_extra=BEARER,
    operation_id="season_dates",
)
def dates(request: Request, name: Name, wanted: NewDates) -> Response:
    """Change when a season takes its steps by itself."""
    given = {field: getattr(wanted, field) for field in wanted.model_fields_set}

    def act(session: Session, season: Season, actor: Owner) -> None:
        seasons.set_dates(session, season.id, given, actor)

    return _change(request, name, act)


@router.post(
    "/seasons/{name}/enter",
    response_model=list[EntryOut],
    responses=REFUSALS,
    openapi_extra=BEARER,
    operation_id="season_enter",
)
def enter(request: Request, name: Name, wanted: Entering) -> Response:
    """Enter any bots; authors enter their own with `POST /seasons/NAME/entries`."""

    def act(session: Session, season: Season, actor: Owner) -> list[EntryOut]:
        for bot in wanted.bots:
            seasons.enter(session, season.id, bot, actor)
        return public_entries(reads.entries(session, season.id))

    return send(request, _act(request, name, act))


@router.post(
    "/seasons/{name}/withdraw",
    response_model=list[EntryOut],
    responses=REFUSALS,
    openapi_extra=BEARER,
    operation_id="season_withdraw",
)
def withdraw(request: Request, name: Name, wanted: TakenOut) -> Response:
    """Take a bot out at its owner's wish; for its owner and for organisers."""
    site, viewer = begin(request, write=True)
    actor = acting_for(viewer, wanted.bot)
    with site.store.write() as session:
        season = find_season(session, viewer, name)
        corrections.withdraw(session, season.id, wanted.bot, actor, wanted.reason)
    with site.store.read() as session:
        return send(request, public_entries(reads.entries(session, season.id)))


@router.post(
    "/seasons/{name}/disqualify",
    response_model=list[ChangeOut],
    responses=REFUSALS,
    openapi_extra=BEARER,
    operation_id="season_disqualify",
)
def disqualify(request: Request, name: Name, wanted: Disqualified) -> Response:
    """Take a bot out for what it did; the answer is the table before and after."""

    def act(session: Session, season: Season, actor: Owner) -> list[striking.Change]:
        if wanted.preview:
            return striking.preview(session, season.id, wanted.bot)
        return striking.disqualify(session, season.id, wanted.bot, actor, wanted.reason)

    changes = _act(request, name, act)
    return send(request, [ChangeOut.model_validate(asdict(one)) for one in changes])


@router.post(
    "/matches/{match_id}/replay-match",
    status_code=202,
    responses=REFUSALS,
    openapi_extra=BEARER,
    operation_id="season_replay_match",
)
def replay_match(request: Request, match_id: Id, wanted: WithReason) -> Response:
    """Void a match and play it again with the same boards and seats."""

    def act(session: Session, actor: Owner) -> None:
        corrections.play_again(session, match_id, actor, wanted.reason)

    organised(request, act)
    return send(request, {"match": match_id, "state": "queued"}, 202)


@router.post(
    "/matches/{match_id}/showcase",
    status_code=202,
    responses=REFUSALS,
    openapi_extra=BEARER,
    operation_id="season_showcase",
)
def showcase(request: Request, match_id: Id, wanted: Showcase) -> Response:
    """Let the table of a match play once more for people to watch: fresh boards, not rated."""

    def act(session: Session, actor: Owner) -> int:
        return add_showcase(session, match_id, actor, wanted.games)

    made = organised(request, act)
    return send(request, {"match": made, "state": "queued"}, 202)


@router.get(
    "/seasons/{name}/status",
    response_model=StatusOut,
    responses=errors(404),
    openapi_extra=OPTIONAL,
    operation_id="season_status",
)
def status(request: Request, name: Name) -> Response:
    """How far a season is; stuck matches are named."""
    site, viewer = begin(request)
    with site.store.read() as session:
        season = find_season(session, viewer, name)
        progress = store_seasons.progress(session, season.id)
        entries = store_seasons.entries(session, season.id, only_entered=True)
        stuck = stuck_matches(session, season.id)
        alive = workers.alive(session)
    return send(
        request,
        StatusOut(
            season=season.name,
            state=season.state,
            entries=len(entries),
            matches=progress.total,
            done=progress.done,
            states={state: count for state, count in state_counts(progress).items() if count},
            stuck={str(one.match.id): one.reason for one in stuck},
            workers=len(alive),
            slots=sum(worker.slots for worker in alive),
        ),
    )


@router.get(
    "/seasons/{name}/time-left",
    response_model=TimeLeftOut,
    responses=errors(404),
    openapi_extra=OPTIONAL,
    operation_id="season_time_left",
)
def time_left(request: Request, name: Name) -> Response:
    """How much a season still has to play, and what is undecided."""
    site, viewer = begin(request)
    with site.store.read() as session:
        season = find_season(session, viewer, name)
        left = adaptive_season.time_left(session, season)
    verdict = season.budget.get("verdict")
    known = verdict if isinstance(verdict, dict) else None
    return send(request, TimeLeftOut(**asdict(left), verdict=known))


@router.get(
    "/seasons/{name}/fairness",
    response_model=FairnessOut,
    responses=errors(401, 403, 404),
    openapi_extra=BEARER,
    operation_id="season_fairness",
)
def season_fairness(request: Request, name: Name) -> Response:
    """Balance, who gains beside whom, who chooses alike, which owners belong together."""
    site, viewer = begin(request)
    organiser_of(viewer)
    with site.store.read() as session:
        season = find_season(session, viewer, name)
    return send(request, fairness(site.store, season).to_json())


def _rehearsal(session: Session, season: Season) -> RehearsalOut:
    view = season_view(session, season)
    done = view.rehearsed
    return RehearsalOut(
        running=done is not None,
        matches=done.total if done else 0,
        done=done.done if done else 0,
        report=view.report,
    )


REHEARSAL = "/seasons/{name}/rehearse"


@router.post(
    REHEARSAL,
    response_model=RehearsalOut,
    status_code=202,
    responses=REFUSALS,
    openapi_extra=BEARER,
    operation_id="season_rehearse",
)
def rehearse(request: Request, name: Name, wanted: Rehearse) -> Response:
    """Play the whole season with samples on the real queue; then ask for the report."""

    def act(session: Session, season: Season, actor: Owner) -> RehearsalOut:
        rehearsal.begin(
            session, season, actor, bots=wanted.bots, boards=wanted.boards, reported=True
        )
        return _rehearsal(session, season)

    return send(request, _act(request, name, act), 202)


@router.get(
    REHEARSAL,
    response_model=RehearsalOut,
    responses=errors(401, 403, 404),
    openapi_extra=BEARER,
    operation_id="season_rehearsal",
)
def rehearsal_report(request: Request, name: Name) -> Response:
    """How far the rehearsal is, and what the last one found."""
    site, viewer = begin(request)
    organiser_of(viewer)
    with site.store.read() as session:
        return send(request, _rehearsal(session, find_season(session, viewer, name)))


@router.delete(
    REHEARSAL,
    status_code=204,
    responses=errors(401, 403, 404),
    openapi_extra=BEARER,
    operation_id="season_rehearsal_stop",
)
def stop_rehearsal(request: Request, name: Name) -> Response:
    """Stop the rehearsal that is on, and remove it."""
    site, viewer = begin(request, write=True)
    actor = organiser_of(viewer)
    with site.store.read() as session:
        season_id = find_season(session, viewer, name).id
    rehearsal.stop(site.store, season_id, actor)
    return Response(status_code=204)
