"""A hint on request: noted first, then computed beside the event loop (`hint_desk`)."""

import json

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dashboard import http
from dashboard.http import (
    Refused,
    browser_viewer,
    client_address,
    find_person,
    has_nul,
    problem_of,
)
from dashboard.pages.hint_desk import HintDesk, Key
from dashboard.pages.page import raw
from dashboard.reads import find_table
from dashboard.site import Site, site_of
from league import people
from league.people import Asked

BODY_BYTES = 256
HINT_LIMIT = "120/minute"
"""Hints from one address: a class may play behind one."""
DESK = HintDesk(people.make_hint)
"""Each takes a core for a fraction of a second: one at a time, and never on the event loop."""


async def hint(request: Request) -> Response:
    """What each choice of an ask would cost; from now on the game counts as assisted."""
    site = site_of(request)
    try:
        http.check_origin(site, request)
        http.check_token(site, request, request.headers.get("x-csrf-token", ""))
        ask = await _read_ask(request)
        key, asked = await run_in_threadpool(_note, request, site, ask)
        made = await DESK.ask(key, asked, request.is_disconnected)
    except Exception as error:
        # Scripts send this, and read the answer.
        problem = problem_of(error)
        if problem is None:
            raise
        return problem.json(request.url.path)
    return JSONResponse(made, headers={"cache-control": "no-store"})


async def _read_ask(request: Request) -> int:
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > BODY_BYTES:
            raise Refused(413, f"got more than {BODY_BYTES} bytes, expected the number of an ask")
    try:
        ask = json.loads(body)["ask"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise Refused(422, 'expected {"ask": 7}') from None
    if type(ask) is not int or not 0 < ask < 2**31:
        raise Refused(422, f"got ask {ask!r:.40}, expected the number of the ask")
    return ask


def _note(request: Request, site: Site, ask: int) -> tuple[Key, Asked]:
    """Stored when this returns: nobody gets a hint that was not noted, and nothing is noted for
    one that has to be refused."""
    if has_nul(request):
        raise Refused(404, "there is nothing at this address")
    site.limiter.hit("hints", HINT_LIMIT, client_address(request, site.settings))
    viewer = browser_viewer(request)
    with site.store.write() as session:
        person = find_person(session, site, request, viewer)
        table = find_table(session, request.path_params["code"], person)
        key = (table.sitting.code, table.seat.seat, ask)
        DESK.require_room(key)
        return key, people.ask_hint(session, table.sitting, table.seat, ask)


def routes() -> list[Route]:
    """The hint."""
    return [raw("/play/{code}/hint", hint, methods=["POST"])]
