"""What all routes of the API share: who asks, cursors, ETags, lists as NDJSON, error documents."""

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, TypeAdapter
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from api_models.base import Page, Problem
from dashboard.http import PROBLEM_TYPE, Refused, Viewer, api_viewer, client_address, has_nul
from dashboard.site import Site, site_of

VERSION = "1"
PREFIX = f"/api/v{VERSION}"
NDJSON = "application/x-ndjson"
MAX_LIMIT = 200
# The largest id that a row can have; PostgreSQL refuses to look for a larger one.
MAX_ID = 2**31 - 1

Limit = Annotated[
    int, Query(ge=1, le=MAX_LIMIT, description="The most items to send.", examples=[50])
]
CursorParam = Annotated[
    str | None, Query(max_length=40, description="`next` of the piece before.", examples=["MTIz"])
]
Handle = Annotated[str, Path(max_length=60, description="An account.", examples=["ada"])]
BotPart = Annotated[
    str, Path(max_length=60, description="The bot's name alone.", examples=["greedy"])
]
SeasonPart = Annotated[
    str, Path(max_length=60, description="The season's name.", examples=["autumn"])
]
Id = Annotated[int, Path(ge=1, le=MAX_ID, description="Its number.", examples=[7])]
MatchId = Annotated[int, Path(ge=1, le=MAX_ID, description="The match.", examples=[7])]
LadderId = Annotated[int, Path(ge=1, le=MAX_ID, description="The ladder.", examples=[1])]
PassNo = Annotated[
    int, Path(ge=0, le=1_000_000, description="The pass of the match, from 0.", examples=[0])
]
GameNo = Annotated[
    int, Path(ge=0, le=1_000_000, description="The game of the pass, from 0.", examples=[3])
]

_WORDS = {
    400: "The request cannot be read.",
    401: "A token is needed, or the one that was sent does not work.",
    403: "The token or its owner may not do this.",
    404: "It does not exist.",
    405: "Another method is needed.",
    409: "The present state does not allow it.",
    413: "Too much was sent.",
    415: "This content type is not accepted.",
    422: "The request does not fit the schema.",
    429: "Too many requests; see Retry-After.",
    500: "Our mistake; report the number in `detail`.",
    503: "It cannot be answered now; try again.",
    507: "The disk of the league is almost full.",
}


def errors(*codes: int) -> dict[int | str, dict[str, Any]]:
    """The error responses of a route, for its OpenAPI entry."""
    return {
        code: {
            "description": _WORDS[code],
            "model": Problem,
            "content": {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for code in sorted({*codes, 422, 429})
    }


def download(*kinds: str) -> dict[int | str, dict[str, Any]]:
    """A file with a name as the answer of a route, in one of these content types."""
    forms = {
        kind: {"type": "string", "format": "binary"} if "zip" in kind else {"type": "string"}
        for kind in kinds
    }
    content = {kind: {"schema": form} for kind, form in forms.items()}
    return {200: {"content": content, "headers": header("Content-Disposition")}}


def header(name: str) -> dict[str, Any]:
    """A header that an answer has; what each means is in `schema`."""
    return {name: {"$ref": f"#/components/headers/{name}"}}


EVENTS: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}
}
BEARER: dict[str, Any] = {"security": [{"token": []}]}
OPTIONAL: dict[str, Any] = {"security": [{}, {"token": []}]}


def api_router(tag: str, below: str = "") -> APIRouter:
    """The routes of one part of the API, under its address."""
    # Clients are generated from the ids of operations: each has the name of its function here.
    return APIRouter(
        prefix=PREFIX + below, tags=[tag], generate_unique_id_function=lambda route: route.name
    )


def begin(request: Request, *, write: bool = False) -> tuple[Site, Viewer]:
    """The site and who asks, counted against the rate limit."""
    if has_nul(request):
        raise Refused(422, "the address holds the character NUL; leave it out")
    site = site_of(request)
    viewer = api_viewer(request)
    who = viewer.owner.handle if viewer.owner else client_address(request, site.settings)
    if write:
        site.limiter.hit("changes", site.settings.write_limit, who)
    else:
        site.limiter.hit("reads", site.settings.read_limit, who)
    return site, viewer


def encode_cursor(last: int) -> str:
    """A cursor after this id.

    >>> decode_cursor(encode_cursor(7))
    7
    """
    return base64.urlsafe_b64encode(str(last).encode()).decode().rstrip("=")


def decode_cursor(cursor: str | None) -> int | None:
    """The id behind a cursor; a broken one is refused."""
    if cursor is None:
        return None
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii")
        value = int(text) if text.isdigit() else -1
    except ValueError:
        value = -1
    if not 0 <= value <= MAX_ID:
        raise Refused(422, f"got cursor {cursor!r}, expected the `next` of an earlier answer")
    return value


def send(request: Request, value: object, status: int = 200) -> Response:
    """A document; one that was read has an ETag, and is 304 when the client has it already."""
    body = _dump(value)
    headers = {"cache-control": "private, no-cache", "vary": "Authorization, Cookie"}
    if request.method in ("GET", "HEAD"):
        headers["etag"] = '"' + hashlib.sha256(body).hexdigest()[:20] + '"'
        if headers["etag"] in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
    return Response(body, status, headers=headers, media_type="application/json")


def send_list(
    request: Request, items: Sequence[BaseModel], full: bool, last_id: int | None
) -> Response:
    """A piece of a list; as NDJSON when the client prefers it, with the cursor in `Link`.

    `full`: as many were found as were asked for, so there may be more after `last_id`.
    """
    more = encode_cursor(last_id) if last_id is not None and full else None
    if wants_ndjson(request):
        return _linked(request, ndjson(items), more)
    return _linked(request, send(request, Page[Any](items=list(items), next=more)), more)


def send_array(
    request: Request, items: Sequence[BaseModel], full: bool, last_id: int | None
) -> Response:
    """The same as a plain array, for lists that had no cursor at first: it is in `Link` alone."""
    more = encode_cursor(last_id) if last_id is not None and full else None
    return _linked(request, send_all(request, items), more)


def _linked(request: Request, response: Response, more: str | None) -> Response:
    if more is not None:
        following = request.url.include_query_params(cursor=more)
        response.headers["link"] = f'<{following.path}?{following.query}>; rel="next"'
    return response


def send_all(request: Request, items: Sequence[BaseModel]) -> Response:
    """A list that is short, whole; as NDJSON when the client prefers it."""
    return ndjson(items) if wants_ndjson(request) else send(request, list(items))


def wants_ndjson(request: Request) -> bool:
    """Whether the client accepts NDJSON."""
    return NDJSON in request.headers.get("accept", "")


def ndjson(items: Iterable[object]) -> Response:
    """One document a line."""
    return StreamingResponse(map(as_line, items), media_type=NDJSON)


def as_line(value: object) -> bytes:
    """A document on a line of its own."""
    return _dump(value) + b"\n"


def _dump(value: object) -> bytes:
    if isinstance(value, BaseModel):
        return value.model_dump_json().encode()
    if isinstance(value, list) and value and isinstance(value[0], BaseModel):
        return TypeAdapter(list[Any]).dump_json(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
