"""A game at a table with people: what one seat sees, what it chooses, and the replay afterwards."""

import json
from typing import Any

from sqlmodel import Session
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from api_models.words import whole_number
from dashboard import http
from dashboard.http import (
    Rank,
    Refused,
    browser_viewer,
    client_address,
    find_person,
    has_nul,
    problem_of,
)
from dashboard.live import EventStream, Look, is_last, read_number
from dashboard.pages.page import Ctx, act, raw, show
from dashboard.pages.play import sit_down
from dashboard.reads import (
    SeatedTable,
    find_table,
    has_containers,
    has_source,
    require_replay,
    state_of,
    visible_match,
)
from dashboard.render import game_title
from dashboard.site import Site, site_of
from dashboard.viewer import Links, load_document, payload_for
from league import people
from league.people import Asker, Opened
from store import SittingState, sittings

BODY_BYTES = 4096
"""A choice is a few numbers."""
SEEN_SECONDS = 10.0
CHOICE_LIMIT = "300/minute"
"""Choices from one address: a class may play behind one."""


def _table(request: Request, site: Site) -> SeatedTable:
    viewer = browser_viewer(request)
    with site.store.read() as session:
        person = find_person(session, site, request, viewer)
        return find_table(session, request.path_params["code"], person)


async def stream(request: Request) -> Response:
    """What this seat is sent, as server-sent events; `Last-Event-ID` brings what was missed."""
    site = site_of(request)
    if has_nul(request):
        raise Refused(404, "there is nothing at this address")
    table = await run_in_threadpool(_table, request, site)
    match_id, seat = table.sitting.match_id, table.seat.seat
    looks = 0

    def look(after: int) -> Look:
        nonlocal looks
        if looks % round(SEEN_SECONDS / people.LOOK_SECONDS) == 0:
            with site.store.write() as session:
                sittings.see(session, match_id, seat)
        looks += 1
        with site.store.read() as session:
            # The state first: what a table that is over has said is then all there.
            now = find_table(session, table.sitting.code, None)
            own = next(one for one in now.seats if one.seat == seat)
            now = SeatedTable(sitting=now.sitting, match=now.match, seats=now.seats, own=own)
            state = state_of(session, now)
            frames = sittings.frames(session, match_id, seat, after)
        return Look(frames=frames, state=state, is_over=is_last(frames, now.sitting.state))

    last = read_number(request.headers.get("last-event-id"))
    address = client_address(request, site.settings)
    return EventStream(site.tables.watch(match_id, seat, look, last, address=address))


async def choice(request: Request) -> Response:
    """A person's choice: 204, or a problem that says what was expected."""
    site = site_of(request)
    try:
        http.check_origin(site, request)
        http.check_token(site, request, request.headers.get("x-csrf-token", ""))
        given = await _read_choice(request)
        await run_in_threadpool(_choose, request, site, *given)
    except Exception as error:
        # Scripts send this, and read the answer.
        problem = problem_of(error)
        if problem is None:
            raise
        return problem.json(request.url.path)
    return Response(status_code=204)


async def _read_choice(request: Request) -> tuple[int, Any]:
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > BODY_BYTES:
            raise Refused(413, f"got more than {BODY_BYTES} bytes, expected a choice")
    try:
        given = json.loads(body)
        ask, chosen = given["ask"], given["choice"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise Refused(422, 'expected {"ask": 7, "choice": 41}') from None
    if type(ask) is not int or not 0 < ask < 2**31:
        raise Refused(422, f"got ask {ask!r:.40}, expected the number of the ask")
    return ask, chosen


def _choose(request: Request, site: Site, ask: int, chosen: Any) -> None:
    if has_nul(request):
        raise Refused(404, "there is nothing at this address")
    site.limiter.hit("choices", CHOICE_LIMIT, client_address(request, site.settings))
    viewer = browser_viewer(request)
    with site.store.write() as session:
        person = find_person(session, site, request, viewer)
        table = find_table(session, request.path_params["code"], person)
        people.choose(session, table.sitting, table.seat, ask, chosen)
        match_id = table.sitting.match_id
    people.BELL.ring((people.CHOICES, match_id))


def leave(ctx: Ctx, code: str) -> Response:
    """Get up: the platform plays on for this person; a table that has not begun is closed."""
    site = ctx.site
    with site.store.write() as session:
        person = find_person(session, site, ctx.request, ctx.viewer)
        table = find_table(session, code, person)
        sitting, seat = table.sitting, table.seat
        sittings.leave(session, sitting.match_id, seat.seat)
        others = [
            one for one in table.seats if one.person_id and one is not seat and not one.left_at
        ]
        if sitting.state in (SittingState.LOBBY, SittingState.WAITING) and not others:
            sittings.close(session, sitting.match_id, "everybody left before it began")
    people.BELL.ring((people.CHOICES, sitting.match_id))
    return ctx.go("/play", "You have left the table.")


def again(ctx: Ctx, code: str) -> Response:
    """Another table on the same terms."""

    def opening(session: Session, asker: Asker) -> Opened:
        table = find_table(session, code, asker.person)
        _ = table.seat
        contained = has_containers(session)
        settings = ctx.site.settings
        return people.open_again(session, settings, asker, table.sitting, contained=contained)

    return sit_down(ctx, opening)


def other_seat(ctx: Ctx, code: str) -> Response:
    """The same cards from another seat."""
    wanted = whole_number(ctx.text("seat")) if ctx.text("seat") else None

    def opening(session: Session, asker: Asker) -> Opened:
        table = find_table(session, code, asker.person)
        _ = table.seat
        contained = has_containers(session)
        return people.open_other_seat(
            session, ctx.site.settings, asker, table.sitting, wanted, contained=contained
        )

    return sit_down(ctx, opening)


def play_board(ctx: Ctx, match_id: int, pass_no: int, game_no: int) -> Response:
    """The board of a game that anybody may see, in the seat chosen."""
    seat = whole_number(ctx.text("seat") or "0")

    def opening(session: Session, asker: Asker) -> Opened:
        visible_match(session, ctx.viewer, match_id)
        return people.open_board(
            session,
            ctx.site.settings,
            asker,
            (match_id, pass_no, game_no),
            -1 if seat is None else seat,
            contained=has_containers(session),
        )

    return sit_down(ctx, opening)


def share(ctx: Ctx, code: str) -> Response:
    """Let everybody who has the link see the replay."""
    with ctx.site.store.write() as session:
        person = find_person(session, ctx.site, ctx.request, ctx.viewer)
        table = find_table(session, code, person)
        _ = table.seat
        sittings.share(session, table.sitting.match_id)
    return ctx.go(f"/play/{code}/replay", "Everybody with this link can see the replay now.")


def replay(ctx: Ctx, code: str) -> Response:
    """The game again, for those who sat there, and for all once it is shared."""
    table, payload, compares = _replay(ctx, code)
    return ctx.render(
        "play/replay.html",
        replay=payload,
        replay_src=f"/play/{code}/replay/data",
        code=code,
        shared=table.sitting.shared,
        own=table.own is not None,
        compares=compares,
    )


def replay_data(ctx: Ctx, code: str) -> Response:
    """The data of the viewer."""
    _, payload, _ = _replay(ctx, code)
    return JSONResponse(payload, headers={"cache-control": "private, no-cache", "vary": "Cookie"})


def _replay(ctx: Ctx, code: str) -> tuple[SeatedTable, dict[str, Any], bool]:
    """The table, the viewer's data, and whether the game whose board it had may be seen."""
    site = ctx.site
    with site.store.read() as session:
        person = find_person(session, site, ctx.request, ctx.viewer)
        table = require_replay(session, code, person)
        compares = has_source(session, ctx.viewer, person, table)
        document = load_document(site, session, table.sitting.match_id, 0, 0)
    for seat in table.seats:
        document["players"][seat.seat]["bot"] = seat.name
        if seat.for_person:
            # The version is of what carries the choices: a person has none.
            document["players"][seat.seat]["version"] = None
    title = f"{game_title(table.match.rules, document['options'])} · your table"
    # Whoever may see the replay may see its review.
    links: Links = {
        "rules": f"/docs/{table.match.rules}",
        "review": f"/api/v1/tables/{code}/review",
    }
    return table, payload_for(document, title=title, links=links), compares


def routes() -> list[Route]:
    """The game and what comes after it."""
    anyone = Rank.SPECTATOR
    return [
        raw("/play/{code}/stream", stream, methods=["GET"]),
        raw("/play/{code}/choice", choice, methods=["POST"]),
        act("/play/{code}/leave", leave, rank=anyone),
        act("/play/{code}/again", again, rank=anyone),
        act("/play/{code}/other-seat", other_seat, rank=anyone),
        act("/play/{code}/share", share, rank=anyone),
        act(
            "/matches/{match_id:int}/games/{pass_no:int}/{game_no:int}/play",
            play_board,
            rank=anyone,
        ),
        show("/play/{code}/replay", replay),
        show("/play/{code}/replay/data", replay_data),
    ]
