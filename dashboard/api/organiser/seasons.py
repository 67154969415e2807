"""Seasons for organisers: each route is named like the command `bullring season …`."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Annotated

from fastapi import Query
from sqlmodel import Session
from starlette.requests import Request
from starlette.responses import Response

from api_models.matches import MatchActOut
from api_models.seasons import (
    ChangeOut,
    EntryOut,
    FairnessOut,
    RemovalOut,
    SeasonOut,
    StatusOut,
    TimeLeftOut,
)
from dashboard import reads
from dashboard.api.common import (
    BEARER,
    OPTIONAL,
    MatchId,
    SeasonPart,
    api_router,
    begin,
    errors,
    send,
    send_all,
)
from dashboard.api.organiser.acts import REFUSALS, add_steps, changed_season, organised, with_season
from dashboard.api.season_models import (
    BotName,
    Disqualified,
    Entering,
    Finish,
    NewDates,
    RemovalKind,
    Showcase,
    TakenOut,
    WithReason,
)
from dashboard.api.seasons import find_season, public_entries, state_counts
from dashboard.http import acting_for, organiser_of
from dashboard.reads import stuck_matches
from league import authors, seasons
from league.matches import add_showcase
from league.ratings import RowChange
from league.ratings import season_fairness as fairness
from league.seasons import SEASON_STEPS
from league.steps import Step
from store import MatchState, Owner, Season, workers
from store import seasons as store_seasons

router = api_router("organise")


def _step_route(step: Step[Season]) -> Callable[[Request, str], Response]:
    def route(request: Request, name: SeasonPart) -> Response:
        def take(session: Session, season: Season, actor: Owner) -> None:
            step.take(session, season.id, actor)

        return changed_season(request, name, take)

    return route


add_steps(router, "/seasons/{name}", SEASON_STEPS, _step_route, SeasonOut, "season")


@router.post(
    "/seasons/{name}/finish",
    response_model=SeasonOut,
    responses=REFUSALS,
    openapi_extra=BEARER,
)
def season_finish(request: Request, name: SeasonPart, how: Finish) -> Response:
    """End a season; without `early` only when all matches are over."""

    def act(session: Session, season: Season, actor: Owner) -> None:
        seasons.finish(session, season.id, actor, early=how.early)

    return changed_season(request, name, act)


@router.post(
    "/seasons/{name}/dates",
    response_model=SeasonOut,
    responses=REFUSALS,
    openapi_extra=BEARER,
)
def season_dates(request: Request, name: SeasonPart, wanted: NewDates) -> Response:
    """Change when a season takes its steps by itself."""
    given = {field: getattr(wanted, field) for field in wanted.model_fields_set}

    def act(session: Session, season: Season, actor: Owner) -> None:
        seasons.set_dates(session, season.id, given, actor)

    return changed_season(request, name, act)


@router.post(
    "/seasons/{name}/enter",
    response_model=list[EntryOut],
    responses=REFUSALS,
    openapi_extra=BEARER,
)
def season_enter(request: Request, name: SeasonPart, wanted: Entering) -> Response:
    """Enter any bots; authors enter their own with `POST /seasons/NAME/entries`."""

    def act(session: Session, season: Season, actor: Owner) -> list[EntryOut]:
        for bot in wanted.bots:
            seasons.enter(session, season.id, bot, actor)
        return public_entries(reads.entries(session, season.id))

    return send_all(request, with_season(request, name, act))


@router.post(
    "/seasons/{name}/withdraw",
    response_model=list[EntryOut],
    responses=REFUSALS,
    openapi_extra=BEARER,
)
def season_withdraw(request: Request, name: SeasonPart, wanted: TakenOut) -> Response:
    """Take a bot out at its owner's request; for its owner and for organisers."""
    site, viewer = begin(request, write=True)
    actor = acting_for(viewer, wanted.bot)
    with site.store.write() as session:
        season = find_season(session, viewer, name)
        if viewer.is_organiser:
            seasons.withdraw(session, season.id, wanted.bot, actor, wanted.reason)
        else:
            name_alone = wanted.bot.partition("/")[2]
            authors.leave_season(session, season.id, name_alone, actor, wanted.reason)
    with site.store.read() as session:
        return send_all(request, public_entries(reads.entries(session, season.id)))


@router.get(
    "/seasons/{name}/removal",
    response_model=RemovalOut,
    responses=REFUSALS,
    openapi_extra=BEARER,
)
def season_removal(
    request: Request,
    name: SeasonPart,
    bot: BotName,
    kind: Annotated[
        RemovalKind, Query(description="How it would leave.", examples=["withdraw"])
    ] = RemovalKind.WITHDRAW,
) -> Response:
    """What a withdrawal or a disqualification would do; nothing is changed.

    For the bot's owner, who may withdraw it, and for organisers.
    """
    site, viewer = begin(request)
    acting_for(viewer, bot)
    if kind is RemovalKind.DISQUALIFY:
        organiser_of(viewer)
    with site.store.read() as session:
        season = find_season(session, viewer, name)
        found = seasons.preview_removal(session, season.id, bot, kind.state)
    return send(
        request,
        RemovalOut(
            bot=found.bot,
            state=found.state,
            words=list(found.words),
            played=found.played,
            ending=found.ending,
            filled=found.kept,
            cancelled=found.cancelled,
            changes=[ChangeOut.model_validate(asdict(one)) for one in found.changes],
        ),
    )


@router.post(
    "/seasons/{name}/disqualify",
    response_model=list[ChangeOut],
    responses=REFUSALS,
    openapi_extra=BEARER,
)
def season_disqualify(request: Request, name: SeasonPart, wanted: Disqualified) -> Response:
    """Take a bot out for what it did; the answer is the table before and after."""

    def act(session: Session, season: Season, actor: Owner) -> Sequence[RowChange]:
        if wanted.preview:
            return seasons.preview_removal(session, season.id, wanted.bot).changes
        return seasons.disqualify(session, season.id, wanted.bot, actor, wanted.reason).changes

    changes = with_season(request, name, act)
    return send_all(request, [ChangeOut.model_validate(asdict(one)) for one in changes])


@router.post(
    "/matches/{match_id}/replay-match",
    response_model=MatchActOut,
    status_code=202,
    responses=REFUSALS,
    openapi_extra=BEARER,
)
def season_replay_match(request: Request, match_id: MatchId, wanted: WithReason) -> Response:
    """Void a match and play it again with the same boards and seats."""

    def act(session: Session, actor: Owner) -> None:
        seasons.play_again(session, match_id, actor, wanted.reason)

    organised(request, act)
    return send(request, MatchActOut(match=match_id, state=MatchState.QUEUED), 202)


@router.post(
    "/matches/{match_id}/strike-match",
    response_model=MatchActOut,
    responses=REFUSALS,
    openapi_extra=BEARER,
)
def season_strike_match(request: Request, match_id: MatchId, wanted: WithReason) -> Response:
    """Decide that a stuck match is not played; its season no longer waits for it."""

    def act(session: Session, actor: Owner) -> None:
        seasons.strike(session, match_id, actor, wanted.reason)

    organised(request, act)
    return send(request, MatchActOut(match=match_id, state=MatchState.CANCELLED))


@router.post(
    "/matches/{match_id}/showcase",
    response_model=MatchActOut,
    status_code=202,
    responses=REFUSALS,
    openapi_extra=BEARER,
)
def season_showcase(request: Request, match_id: MatchId, wanted: Showcase) -> Response:
    """Let the table of a match play once more for people to watch: fresh boards, not rated."""

    def act(session: Session, actor: Owner) -> int:
        return add_showcase(session, match_id, actor, wanted.games)

    made = organised(request, act)
    return send(request, MatchActOut(match=made, state=MatchState.QUEUED), 202)


@router.get(
    "/seasons/{name}/status",
    response_model=StatusOut,
    responses=errors(404),
    openapi_extra=OPTIONAL,
)
def season_status(request: Request, name: SeasonPart) -> Response:
    """The progress of a season; stuck matches are named."""
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
)
def season_time_left(request: Request, name: SeasonPart) -> Response:
    """How much a season still has to play, and what is undecided."""
    site, viewer = begin(request)
    with site.store.read() as session:
        season = find_season(session, viewer, name)
        left = seasons.time_left(session, season)
    return send(request, TimeLeftOut(**asdict(left), verdict=season.verdict))


@router.get(
    "/seasons/{name}/fairness",
    response_model=FairnessOut,
    responses=errors(401, 403, 404),
    openapi_extra=BEARER,
)
def season_fairness(request: Request, name: SeasonPart) -> Response:
    """Balance; which bots gain beside which, choose alike, or have owners that belong together."""
    site, viewer = begin(request)
    organiser_of(viewer)
    with site.store.read() as session:
        season = find_season(session, viewer, name)
    return send(request, fairness(site.store, season).to_json())
