"""Matches and their games. Nothing here shows a key or a hand before the match is done."""

from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from api_models.base import Page
from api_models.matches import AttemptOut, FaultOut, GameOut, MatchDetail, MatchOut, SeatOut
from dashboard import reads
from dashboard.api.common import (
    OPTIONAL,
    CursorParam,
    GameNo,
    Limit,
    MatchId,
    PassNo,
    api_router,
    begin,
    decode_cursor,
    errors,
    send,
    send_all,
    send_list,
)
from dashboard.http import Refused
from dashboard.reads import visible_match
from store import Game, Match, MatchKind, MatchState, match_lists, results
from store.match_lists import Seated
from store.matches import public_key

router = api_router("matches")


def public_seat(seated: Seated) -> SeatOut:
    """A seat with its sums."""
    seat = seated.seat
    return SeatOut(
        number=seated.number,
        bot=seated.bot,
        version=seated.version,
        is_anchor=seated.is_anchor,
        substitute=seated.seat.substitute,
        games=seat.games,
        points=seat.points,
        wins=seat.wins,
        mean_place=seat.places / seat.games if seat.games else None,
        faults=seat.faults,
        out_games=seat.out_games,
        mean_ms=seat.think_ms / seat.decisions if seat.decisions else None,
    )


def _match_fields(match: Match, season: str | None, seats: list[Seated]) -> dict[str, object]:
    return {
        "id": match.id,
        "kind": match.kind,
        "state": match.state,
        "season": season,
        "season_id": match.season_id,
        "ladder": match.scale_id,
        "round": match.round_no,
        "rules": match.rules,
        "options": match.options,
        "table_size": match.table_size,
        "boards": match.boards,
        "passes": match.passes,
        "rated": match.rated,
        "rated_why": match.rated_why,
        "runner": match.runner,
        "commitment": match.commitment,
        "key": public_key(match),
        "created_at": match.created_at,
        "started_at": match.started_at,
        "finished_at": match.finished_at,
        "seconds": match.seconds,
        "seats": [public_seat(seat) for seat in seats],
        "url": f"/matches/{match.id}",
    }


@router.get(
    "/matches", response_model=Page[MatchOut], responses=errors(404), openapi_extra=OPTIONAL
)
def match_list(
    request: Request,
    season: Annotated[
        str | None, Query(max_length=60, description="Only of this season.", examples=["autumn"])
    ] = None,
    bot: Annotated[
        str | None, Query(max_length=81, description="Only with this bot.", examples=["ada/greedy"])
    ] = None,
    state: Annotated[
        list[MatchState] | None,
        Query(max_length=10, description="Only in one of these.", examples=[["done"]]),
    ] = None,
    kind: Annotated[
        list[MatchKind] | None,
        Query(max_length=10, description="Only of one of these.", examples=[["season"]]),
    ] = None,
    cursor: CursorParam = None,
    limit: Limit = 50,
) -> Response:
    """Matches, newest first; friendly matches and people's tables are in no list of this kind."""
    site, viewer = begin(request)
    with site.store.read() as session:
        season_id = bot_id = None
        if season is not None:
            found = reads.season_named(session, season, organiser=viewer.is_organiser)
            if found is None:
                raise Refused(404, f"got season {season!r}, expected one that exists")
            season_id = found.id
        if bot is not None:
            owner, _, name = bot.partition("/")
            line = reads.find_bot(session, owner, name)
            if line is None:
                raise Refused(404, f"got bot {bot!r}, expected one that exists")
            bot_id = line.bot.id
        hidden = set() if viewer.is_organiser else reads.hidden_seasons(session)
        kinds = [one for one in kind or MatchKind if not one.is_private]
        rows = match_lists.matches(
            session,
            season_id=season_id,
            bot_id=bot_id,
            states=state or (),
            kinds=kinds,
            before=decode_cursor(cursor),
            hidden=hidden,
            limit=limit,
        )
        seats = match_lists.seated(session, [row.id for row in rows])
        names = reads.season_names(session, [row.season_id for row in rows])
    items = [
        MatchOut.model_validate(_match_fields(row, names.get(row.season_id), seats.get(row.id, [])))
        for row in rows
    ]
    return send_list(request, items, len(rows) == limit, rows[-1].id if rows else None)


@router.get(
    "/matches/{match_id}",
    response_model=MatchDetail,
    responses=errors(404),
    openapi_extra=OPTIONAL,
)
def match_get(request: Request, match_id: MatchId) -> Response:
    """A match with its faults and attempts."""
    site, viewer = begin(request)
    with site.store.read() as session:
        match = visible_match(session, viewer, match_id)
        seats = match_lists.seated(session, [match_id]).get(match_id, [])
        season = reads.season_names(session, [match.season_id]).get(match.season_id)
        faults = results.faults(session, match_id)
        attempts = match_lists.attempts(session, match_id)
    names = {seat.number: seat.bot for seat in seats}
    return send(
        request,
        MatchDetail.model_validate(
            _match_fields(match, season, seats)
            | {
                "faults": [
                    FaultOut(
                        seat=fault.seat,
                        bot=names.get(fault.seat, ""),
                        kind=fault.kind,
                        cause=fault.cause,
                        pass_no=fault.pass_no,
                        game_no=fault.game_no,
                        round_no=fault.round_no,
                        decision=fault.decision,
                    )
                    for fault in faults
                ],
                "attempts": [
                    AttemptOut(
                        number=attempt.number,
                        state=attempt.state,
                        reason=attempt.reason,
                        started_at=attempt.started_at,
                        finished_at=attempt.finished_at,
                    )
                    for attempt in attempts
                ],
            }
        ),
    )


def public_game(game: Game, names: dict[int, str]) -> GameOut:
    """A game with the names of its bots."""
    address = f"/api/v1/matches/{game.match_id}/games/{game.pass_no}/{game.game_no}/replay"
    return GameOut(
        pass_no=game.pass_no,
        game_no=game.game_no,
        board=game.board,
        seats=game.seats,
        bots=[names.get(seat, "") for seat in game.seats],
        points=game.points,
        places=game.places,
        rounds=game.rounds,
        out=game.out,
        replay=address,
    )


@router.get(
    "/matches/{match_id}/games",
    response_model=list[GameOut],
    responses=errors(404),
    openapi_extra=OPTIONAL,
)
def game_list(request: Request, match_id: MatchId) -> Response:
    """The games of a match in the order of play; empty until it is done."""
    site, viewer = begin(request)
    with site.store.read() as session:
        visible_match(session, viewer, match_id)
        seats = match_lists.seated(session, [match_id]).get(match_id, [])
        games = results.games(session, match_id)
    names = {seat.number: seat.bot for seat in seats}
    items = [public_game(game, names) for game in games]
    return send_all(request, items)


@router.get(
    "/matches/{match_id}/games/{pass_no}/{game_no}",
    response_model=GameOut,
    responses=errors(404),
    openapi_extra=OPTIONAL,
)
def game_get(request: Request, match_id: MatchId, pass_no: PassNo, game_no: GameNo) -> Response:
    """One game."""
    site, viewer = begin(request)
    with site.store.read() as session:
        visible_match(session, viewer, match_id)
        game = session.get(Game, (match_id, pass_no, game_no))
        seats = match_lists.seated(session, [match_id]).get(match_id, [])
    if game is None:
        raise Refused(404, f"match {match_id} has no game {game_no} in pass {pass_no}, or not yet")
    return send(request, public_game(game, {seat.number: seat.bot for seat in seats}))
