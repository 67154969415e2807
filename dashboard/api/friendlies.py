"""Friendly matches: unrated ones that authors ask for."""

from itertools import zip_longest
from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from api_models.base import Page
from api_models.friendlies import FriendlyOut, FriendlySeatOut, Shared
from dashboard import reads
from dashboard.api.common import (
    BEARER,
    OPTIONAL,
    CursorParam,
    Limit,
    MatchId,
    api_router,
    begin,
    decode_cursor,
    errors,
    send,
    send_list,
)
from dashboard.http import Refused, signed_in_owner
from dashboard.reads import FriendlyView
from league import friendlies
from league.authors import Scope
from league.friendlies import FriendlyPlan, FriendlyWords
from league.matches import BotSummary
from store import friendlies as stored
from store.match_lists import Seated

router = api_router("friendlies")
SHOWN = 20


def public_friendly(view: FriendlyView) -> FriendlyOut:
    """A friendly match as the API shows it."""
    match = view.match
    return FriendlyOut(
        match=match.id,
        bot=view.bot,
        state=match.state,
        rules=match.rules,
        options=match.options,
        boards=match.boards,
        passes=match.passes,
        games=view.games,
        games_over=view.games_over,
        ahead=view.ahead,
        reason=view.reason,
        shared=view.friendly.shared,
        seats=[_seat(seated, row) for seated, row in zip_longest(view.seats, view.rows)],
        created_at=match.created_at,
        finished_at=match.finished_at,
        seconds=match.seconds,
        url=f"/matches/{match.id}",
    )


def _seat(seated: Seated, row: BotSummary | None) -> FriendlySeatOut:
    return FriendlySeatOut(
        number=seated.number,
        bot=seated.bot,
        version=seated.version,
        games=seated.seat.games,
        points_per_round=None if row is None else row.points_per_round,
        points_half=None if row is None else row.points_half,
        win_share=None if row is None else row.win_share,
        mean_place=None if row is None else row.mean_place,
        faults=seated.seat.faults,
        out_games=seated.seat.out_games,
        median_ms=None if row is None else row.median_ms,
        worst_ms=None if row is None else row.worst_ms,
    )


@router.post(
    "/friendlies",
    response_model=FriendlyOut,
    status_code=201,
    responses=errors(401, 403, 404, 409),
    openapi_extra=BEARER,
)
def friendly_ask(request: Request, wanted: FriendlyWords) -> Response:
    """Play an unrated match now: one of your bots against others. It counts nowhere.

    You and the organisers see it, and everyone once you share it.
    """
    site, viewer = begin(request, write=True)
    owner = signed_in_owner(viewer, Scope.MANAGE)
    plan = FriendlyPlan(**wanted.model_dump())
    with site.store.write() as session:
        row, bell = friendlies.ask(session, plan, owner, reads.friendly_limits(site))
    site.services.match_queued(bell)
    with site.store.read() as session:
        view = reads.one_friendly(site, session, viewer, row.match_id)
    return send(request, public_friendly(view), 201)


@router.get(
    "/friendlies",
    response_model=Page[FriendlyOut],
    responses=errors(401, 403, 404),
    openapi_extra=BEARER,
)
def friendly_list(
    request: Request,
    bot: Annotated[
        str | None, Query(max_length=40, description="One of your bots.", examples=["greedy"])
    ] = None,
    cursor: CursorParam = None,
    limit: Limit = SHOWN,
) -> Response:
    """The friendly matches that you asked for, newest first."""
    site, viewer = begin(request)
    owner = signed_in_owner(viewer, Scope.READ)
    with site.store.read() as session:
        bot_id = None
        if bot is not None:
            line = reads.find_bot(session, owner.handle, bot)
            if line is None:
                raise Refused(404, f"got bot {bot!r}, expected one of yours")
            bot_id = line.bot.id
        rows = stored.page(
            session, owner_id=owner.id, bot_id=bot_id, before=decode_cursor(cursor), limit=limit
        )
        views = reads.friendly_views(site, session, rows)
    items = [public_friendly(view) for view in views]
    return send_list(request, items, len(rows) == limit, rows[-1][1].id if rows else None)


@router.get(
    "/friendlies/{match_id}",
    response_model=FriendlyOut,
    responses=errors(404),
    openapi_extra=OPTIONAL,
)
def friendly_get(request: Request, match_id: MatchId) -> Response:
    """A friendly match: how far it is, and what came of it; yours, or one that is shared."""
    site, viewer = begin(request)
    with site.store.read() as session:
        view = reads.one_friendly(site, session, viewer, match_id)
    return send(request, public_friendly(view))


@router.post(
    "/friendlies/{match_id}/cancel",
    response_model=FriendlyOut,
    responses=errors(401, 403, 404, 409),
    openapi_extra=BEARER,
)
def friendly_cancel(request: Request, match_id: MatchId) -> Response:
    """Call off one of your friendly matches that is not over; organisers call off any.

    One that is being played ends without a result.
    """
    site, viewer = begin(request, write=True)
    organises = viewer.is_organiser
    owner = signed_in_owner(viewer, Scope.ORGANISE if organises else Scope.MANAGE)
    with site.store.write() as session:
        friendlies.cancel(session, match_id, owner, as_organiser=organises)
    with site.store.read() as session:
        view = reads.one_friendly(site, session, viewer, match_id)
    return send(request, public_friendly(view))


@router.post(
    "/friendlies/{match_id}/share",
    response_model=FriendlyOut,
    responses=errors(401, 403, 404),
    openapi_extra=BEARER,
)
def friendly_share(request: Request, match_id: MatchId, wanted: Shared) -> Response:
    """Let everyone with its address see one of your friendly matches, or no longer."""
    site, viewer = begin(request, write=True)
    owner = signed_in_owner(viewer, Scope.MANAGE)
    with site.store.write() as session:
        friendlies.set_shared(session, match_id, owner, wanted.shared)
    with site.store.read() as session:
        view = reads.one_friendly(site, session, viewer, match_id)
    return send(request, public_friendly(view))
