"""Submitting a bot by the page, and watching it being checked."""

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dashboard import http, reads
from dashboard.http import Rank, browser_viewer, check_first, receive_form, take_in
from dashboard.pages.page import Ctx, raw, require, show
from dashboard.reads import visible_submission
from dashboard.site import site_of
from league.submissions import SubmissionRequest
from nimmt import GAMES
from store import SubmissionState, bots


def submit(ctx: Ctx) -> Response:
    """The form, with what is missing before a bot can be checked here."""
    assert ctx.viewer.owner is not None
    with ctx.site.store.read() as session:
        own = reads.bots_page(session, owner=ctx.viewer.owner.handle, limit=200)
        recent = reads.submissions_page(session, ctx.viewer.owner.id, limit=5)
        names = bots.full_names(session, [row.bot_id for row in recent])
    return ctx.render(
        "submit.html",
        own=own,
        full=len(own) >= ctx.site.settings.bots_per_owner,
        recent=recent,
        names=names,
        games=list(GAMES),
        missing=ctx.site.services.missing(),
        chosen=ctx.query("bot"),
    )


async def submit_file(request: Request) -> Response:
    """Take the form in, streaming its file to disk; the token is checked before the file."""
    site = site_of(request)
    http.check_origin(site, request)
    ctx = Ctx(request=request, site=site, viewer=await run_in_threadpool(browser_viewer, request))
    request.state.viewer = ctx.viewer
    require(ctx, Rank.AUTHOR)
    assert ctx.viewer.owner is not None
    limit, handle = site.settings.submit_limit, ctx.viewer.owner.handle
    await run_in_threadpool(site.limiter.hit, "submissions", limit, handle)
    await run_in_threadpool(check_first, site, ctx.viewer.owner)

    def check(fields: dict[str, str]) -> None:
        http.check_token(site, request, fields.get(http.CSRF_FIELD, ""))

    with site.uploading.one(ctx.viewer.owner.id):
        received = await receive_form(
            request, site.settings.uploads, site.settings.upload_max_bytes, check
        )
    fields = received.fields
    wish = SubmissionRequest(
        bot=(fields.get("new_name") or fields.get("bot", "")).strip(),
        kind=fields.get("kind", ""),
        rules=tuple(name for name in GAMES if fields.get(f"rules-{name}")),
        note=fields.get("note", ""),
        reference=fields.get("reference", "").strip(),
    )
    submission, _ = await run_in_threadpool(take_in, site, ctx.viewer.owner, wish, received.upload)
    address = f"/submissions/{submission.id}"
    if request.headers.get("accept") == "application/json":
        # The script that shows the upload's progress follows the address by itself.
        return JSONResponse({"location": address}, 201)
    return ctx.go(address, "Received. The check begins as soon as a worker is free.")


def submission(ctx: Ctx, submission_id: int) -> Response:
    """One submission: its state, its log while it is checked, and the report."""
    with ctx.site.store.read() as session:
        row = visible_submission(session, ctx.viewer, submission_id)
        name = bots.full_names(session, [row.bot_id])[row.bot_id]
        version = None
        if row.version_id is not None:
            version = reads.versions_named(session, [row.version_id])[row.version_id][1]
    steps = [
        SubmissionState.RECEIVED,
        SubmissionState.BUILDING,
        SubmissionState.CHECKING,
        SubmissionState.REJECTED
        if row.state is SubmissionState.REJECTED
        else SubmissionState.ACCEPTED,
    ]
    return ctx.render(
        "submission.html",
        row=row,
        name=name,
        version=version,
        steps=steps,
        reached=steps.index(row.state),
        missing=[] if row.state.is_final else ctx.site.services.missing(),
    )


def routes() -> list[Route]:
    """Submissions."""
    return [
        show("/submit", submit, rank=Rank.AUTHOR),
        raw("/submit", submit_file, methods=["POST"]),
        show("/submissions/{submission_id:int}", submission, rank=Rank.AUTHOR),
    ]
