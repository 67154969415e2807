"""The league itself: what a program should know before it submits anything."""

from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import Response

from api_models.models import LeagueOut, MissingOut
from dashboard.api.common import OPTIONAL, VERSION, api_router, begin, errors, send

router = api_router("league")


@router.get("/league", response_model=LeagueOut, responses=errors(), openapi_extra=OPTIONAL)
def league_get(request: Request) -> Response:
    """Its name, the version of this API, and whether bots can be submitted."""
    site, _ = begin(request)
    refused = site.services.refuses_uploads()
    return send(
        request,
        LeagueOut(
            name=site.settings.site_name,
            api=VERSION,
            url=site.settings.base_url,
            upload_max_bytes=site.settings.upload_max_bytes,
            submissions_per_day=site.settings.submissions_per_day,
            refuses_uploads=None if refused is None else f"{refused.why} {refused.fix}",
            missing=[MissingOut(**asdict(one)) for one in site.services.missing()],
        ),
    )
