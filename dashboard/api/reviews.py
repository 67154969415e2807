"""Reviews of games: the judgement where there is one, how far it is where there is not yet."""

from typing import Annotated, Any

from fastapi import Query
from sqlmodel import Session
from starlette.requests import Request
from starlette.responses import Response

from api_models.reviews import ReviewOut
from dashboard.api.common import OPTIONAL, GameNo, MatchId, PassNo, api_router, begin, errors, send
from dashboard.http import (
    Refused,
    Viewer,
    api_viewer,
    browser_viewer,
    check_origin,
    client_address,
)
from dashboard.reads import visible_match
from dashboard.site import Site, site_of
from league import reviews as league_reviews
from league.reviews import MatchGame, ReviewedGame, is_under_way, review_of
from store import Conflict, MatchState, NotFound, Review, ReviewState, reviews

router = api_router("reviews")
_PATH = "/matches/{match_id}/games/{pass_no}/{game_no}/review"
Seat = Annotated[
    int | None, Query(ge=0, le=9, description="Only the decisions of this seat.", examples=[0])
]


NO_REVIEW = ReviewOut(state="none", done=0, total=0, ahead=0, error="", review=None)


def public_review(session: Session, row: Review | None, seat: int | None = None) -> ReviewOut:
    """A review as readers get it; with a seat only what concerns that one."""
    if row is None:
        return NO_REVIEW
    document = reviews.document(row)
    waits = row.state is ReviewState.WAITING
    return ReviewOut(
        state=row.state.value,
        done=row.done,
        total=row.total,
        ahead=reviews.waiting(session, before=row) if waits else 0,
        error=row.error,
        review=document if document is None or seat is None else of_seat(document, seat),
    )


def of_seat(document: dict[str, Any], seat: int) -> dict[str, Any]:
    """The part of a review that one seat could have made: others' choices name their cards."""

    def own(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [entry for entry in entries if entry["seat"] == seat]

    rounds = [
        {**part, "seats": own(part["seats"]), "steps": own(part["steps"])}
        for part in document["rounds"]
    ]
    return {**document, "seats": own(document["seats"]), "rounds": rounds}


@router.get(_PATH, response_model=ReviewOut, responses=errors(404), openapi_extra=OPTIONAL)
def review_get(
    request: Request, match_id: MatchId, pass_no: PassNo, game_no: GameNo, seat: Seat = None
) -> Response:
    """The review of a game (`bullring-review/1`), or its progress."""
    site, viewer = begin(request)
    with site.store.read() as session:
        _check_done(session, viewer, match_id)
        row = reviews.of_game(session, match_id, pass_no, game_no)
        return send(request, public_review(session, row, seat))


@router.post(
    _PATH,
    response_model=ReviewOut,
    status_code=202,
    responses=errors(403, 404, 409)
    | {200: {"description": "It was asked for before.", "model": ReviewOut}},
    openapi_extra=OPTIONAL,
)
def review_ask(
    request: Request, match_id: MatchId, pass_no: PassNo, game_no: GameNo, seat: Seat = None
) -> Response:
    """Ask for the review of a game that you may see. One that exists already costs nothing."""
    site, viewer = site_of(request), review_asker(request)
    with site.store.read() as session:
        _check_done(session, viewer, match_id)
    game = MatchGame(match_id=match_id, pass_no=pass_no, game_no=game_no)
    return asked_review(request, viewer, game, seat)


def asked_review(
    request: Request, viewer: Viewer, game: ReviewedGame, seat: int | None = None
) -> Response:
    """The answer to somebody who may see a game and asks for its review, within limits.

    `viewer` comes from `review_asker`. What exists already costs nothing (200, else 202).
    """
    site = site_of(request)
    site.limiter.hit("changes", site.settings.write_limit, _name(site, request, viewer))
    with site.store.read() as session:
        known = review_of(session, game)
        if is_under_way(known):
            return send(request, public_review(session, known, seat))
    site.limiter.hit("reviews", site.settings.review_limit, _name(site, request, viewer))
    try:
        row = league_reviews.ask_review(site.store, game)
    except NotFound as error:
        raise Refused(404, str(error)) from None
    except Conflict as error:
        raise Refused(409, str(error)) from None
    site.services.review_wanted(row.id)
    with site.store.read() as session:
        return send(request, public_review(session, row, seat), 202)


def _check_done(session: Session, viewer: Viewer, match_id: int) -> None:
    """A review names cards: while its match is played, or played again, there is none to see."""
    if visible_match(session, viewer, match_id).state is not MatchState.DONE:
        raise Refused(404, f"match {match_id} is not done; its games are reviewed when it is")


def _name(site: Site, request: Request, viewer: Viewer) -> str:
    return viewer.owner.handle if viewer.owner else client_address(request, site.settings)


def review_asker(request: Request) -> Viewer:
    """By token; or whoever is signed in in a browser that sends this from our own page."""
    if "authorization" in request.headers or "origin" not in request.headers:
        return api_viewer(request)
    check_origin(site_of(request), request)
    return browser_viewer(request)
