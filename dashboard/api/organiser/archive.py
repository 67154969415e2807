"""The archive of a season as a download, for organisers."""

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from dashboard import reads
from dashboard.api.common import BEARER, SeasonPart, api_router, begin, download, errors
from dashboard.archive import from_store, stream_zip
from dashboard.http import Refused, signed_in_owner
from league.authors import Scope
from league.errors import LeagueRefusal

router = api_router("seasons")
ZIP = "application/zip"
LIMIT = "3/minute"
"""Every game is played again while the pages are made, so few requests are allowed."""


@router.get(
    "/seasons/{name}/archive.zip",
    responses=errors(401, 403, 404, 409) | download(ZIP),
    response_class=StreamingResponse,
    openapi_extra=BEARER,
)
def season_archive_zip(request: Request, name: SeasonPart) -> Response:
    """A season that is over as pages that need no server, with all replays and raw results."""
    site, viewer = begin(request)
    owner = signed_in_owner(viewer, Scope.ORGANISE)
    if not viewer.is_organiser:
        raise Refused(
            403, "only organisers can download archives; every part of one is public by itself"
        )
    with site.store.read() as session:
        season = reads.season_named(session, name, organiser=True)
    if season is None:
        raise Refused(404, f"got season {name!r}, expected one that exists")
    site.limiter.hit("archives", LIMIT, owner.handle)
    try:
        data = from_store(site.store, season.id)
    except LeagueRefusal as error:
        raise Refused(409, str(error)) from None
    headers = {
        "content-disposition": f'attachment; filename="{season.name}-archive.zip"',
        "cache-control": "private, no-store",
        # Packed already: nothing on the way should try again.
        "content-encoding": "identity",
    }
    return StreamingResponse(stream_zip(data), media_type=ZIP, headers=headers)
