"""Submitting a bot, and following its check."""

import json
from typing import Annotated, Any

from fastapi import Header, Query
from sqlmodel import Session
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from api_models.base import Page
from api_models.models import SubmissionOut
from dashboard import reads
from dashboard.api.common import (
    BEARER,
    EVENTS,
    CursorParam,
    Id,
    Limit,
    api_router,
    begin,
    decode_cursor,
    errors,
    header,
    send,
    send_list,
)
from dashboard.http import (
    Refused,
    Upload,
    check_first,
    client_address,
    discard_parts,
    receive_form,
    signed_in_owner,
    take_in,
)
from dashboard.live import EventStream
from dashboard.reads import submission_state, visible_submission
from dashboard.site import Site
from league.authors import Scope
from league.submissions import SubmissionRequest
from store import Submission, bots

router = api_router("submissions")

_FORM: dict[str, Any] = {
    "type": "object",
    "required": ["bot", "kind"],
    "properties": {
        "bot": {"type": "string", "description": "The name alone.", "example": "greedy"},
        "kind": {
            "type": "string",
            "enum": ["image_archive", "build_context", "reference"],
            "description": "In which form it is submitted.",
            "example": "build_context",
        },
        "rules": {
            "type": "string",
            "description": "For a new bot: names separated by commas.",
            "example": "six-nimmt",
        },
        "note": {
            "type": "string",
            "maxLength": 500,
            "description": "For yourself; shown beside the version.",
            "example": "Looks one turn ahead.",
        },
        "reference": {
            "type": "string",
            "description": "An image by its digest, instead of a file.",
            "example": "registry.example/greedy@sha256:…",
        },
        "file": {
            "type": "string",
            "format": "binary",
            "description": "The folder, packed, or the saved image.",
            "example": "greedy.tar.gz",
        },
    },
}
_JSON = {
    "type": "object",
    "required": ["bot", "kind", "reference"],
    "properties": {
        name: _FORM["properties"][name] for name in ("bot", "kind", "rules", "note", "reference")
    },
}
_SUBMIT: dict[str, Any] = BEARER | {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {"schema": _FORM},
            "application/json": {"schema": _JSON},
        },
    }
}
JSON_BYTES = 64 * 1024


def public_submission(session: Session, row: Submission) -> SubmissionOut:
    """A submission as its owner sees it."""
    names = bots.full_names(session, [row.bot_id])
    version = None
    if row.version_id is not None:
        version = reads.versions_named(session, [row.version_id])[row.version_id][1]
    filename = row.detail.get("filename")
    return SubmissionOut(
        id=row.id,
        bot=names[row.bot_id],
        kind=row.kind,
        state=row.state,
        size=row.size,
        note=str(row.detail.get("note", "")),
        filename=None if filename is None else str(filename),
        version=version,
        report=row.report,
        created_at=row.created_at,
        finished_at=row.finished_at,
        url=f"/submissions/{row.id}",
    )


@router.post(
    "/submissions",
    response_model=SubmissionOut,
    status_code=201,
    responses=errors(401, 403, 409, 413, 415, 507)
    | {
        201: {"headers": header("Location")},
        200: {
            "description": "The key was used before; this is that submission.",
            "model": SubmissionOut,
            "headers": header("Location"),
        },
    },
    openapi_extra=_SUBMIT,
)
async def submission_create(
    request: Request,
    idempotency_key: Annotated[
        str | None,
        Header(
            max_length=100,
            description="The same key again gives the same submission.",
            examples=["1f0c2b7"],
        ),
    ] = None,
) -> Response:
    """Submit a bot: a file as a form, or an image by its digest as JSON."""
    site, viewer = await run_in_threadpool(begin, request, write=True)
    owner = signed_in_owner(viewer, Scope.SUBMIT)
    limit = site.settings.submit_limit
    await run_in_threadpool(site.limiter.hit, "submissions", limit, owner.handle)
    earlier = await run_in_threadpool(check_first, site, owner, idempotency_key)
    with site.uploading.one(owner.id):
        if earlier is not None:
            # Read to its end and not kept: a sender who is cut off would miss the answer.
            await discard_parts(request)
            return await run_in_threadpool(_answer, request, site, earlier, 200)
        fields, upload = await _receive(request, site)
    wish = SubmissionRequest(
        bot=fields.get("bot", ""),
        kind=fields.get("kind", ""),
        rules=tuple(name.strip() for name in fields.get("rules", "").split(",") if name.strip()),
        note=fields.get("note", ""),
        reference=fields.get("reference", ""),
        idempotency_key=idempotency_key or None,
    )
    submission, fresh = await run_in_threadpool(take_in, site, owner, wish, upload)
    return await run_in_threadpool(_answer, request, site, submission, 201 if fresh else 200)


def _answer(request: Request, site: Site, submission: Submission, status: int) -> Response:
    with site.store.read() as session:
        public = public_submission(session, submission)
    response = send(request, public, status)
    response.headers["location"] = f"/api/v1/submissions/{submission.id}"
    return response


async def _receive(request: Request, site: Site) -> tuple[dict[str, str], Upload | None]:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json":
        return await _json_fields(request), None
    received = await receive_form(
        request, site.settings.uploads, site.settings.upload_max_bytes, lambda fields: None
    )
    return received.fields, received.upload


async def _json_fields(request: Request) -> dict[str, str]:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > JSON_BYTES:
            raise Refused(413, f"the document is larger than {JSON_BYTES} bytes")
    try:
        fields = json.loads(bytes(body))
    except (ValueError, RecursionError):
        raise Refused(422, "the body is not a JSON document") from None
    if not isinstance(fields, dict) or not all(isinstance(v, str) for v in fields.values()):
        raise Refused(422, "expected a JSON object whose values are texts")
    if any("\0" in value for value in fields.values()):
        raise Refused(422, "a text holds the character NUL; leave it out")
    return fields


@router.get(
    "/submissions",
    response_model=Page[SubmissionOut],
    responses=errors(401, 403),
    openapi_extra=BEARER,
)
def submission_list(
    request: Request,
    key: Annotated[
        str | None,
        Query(
            max_length=100,
            description="Only the one with this Idempotency-Key.",
            examples=["1f0c2b7"],
        ),
    ] = None,
    cursor: CursorParam = None,
    limit: Limit = 50,
) -> Response:
    """Your submissions, newest first."""
    site, viewer = begin(request)
    owner = signed_in_owner(viewer, Scope.READ)
    with site.store.read() as session:
        rows = reads.submissions_page(
            session, owner.id, key=key, before=decode_cursor(cursor), limit=limit
        )
        items = [public_submission(session, row) for row in rows]
    return send_list(request, items, len(rows) == limit, rows[-1].id if rows else None)


@router.get(
    "/submissions/{submission_id}",
    response_model=SubmissionOut,
    responses=errors(401, 403, 404),
    openapi_extra=BEARER,
)
def submission_get(request: Request, submission_id: Id) -> Response:
    """A submission with its check report."""
    site, viewer = begin(request)
    signed_in_owner(viewer, Scope.READ)
    with site.store.read() as session:
        row = visible_submission(session, viewer, submission_id)
        return send(request, public_submission(session, row))


@router.get(
    "/submissions/{submission_id}/log",
    response_class=PlainTextResponse,
    responses=errors(401, 403, 404),
    openapi_extra=BEARER,
)
def submission_log(request: Request, submission_id: Id) -> Response:
    """The log of building and checking, as plain text."""
    site, viewer = begin(request)
    signed_in_owner(viewer, Scope.READ)
    with site.store.read() as session:
        return PlainTextResponse(visible_submission(session, viewer, submission_id).log)


@router.get(
    "/submissions/{submission_id}/events",
    response_class=StreamingResponse,
    responses=errors(401, 403, 404) | EVENTS,
    openapi_extra=BEARER,
)
async def submission_events(request: Request, submission_id: Id) -> Response:
    """State and log as they change, as server-sent events; ends when the check is over."""
    site, viewer = await run_in_threadpool(begin, request)
    signed_in_owner(viewer, Scope.READ)

    def look() -> dict[str, object]:
        with site.store.read() as session:
            return submission_state(session, submission_id)

    def allowed() -> None:
        with site.store.read() as session:
            visible_submission(session, viewer, submission_id)

    await run_in_threadpool(allowed)
    address = client_address(request, site.settings)
    return EventStream(site.live.watch(f"submission {submission_id}", look, address))
