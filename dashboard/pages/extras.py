"""What belongs to no page: static files, the feed, health, numbers, robots."""

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from dashboard import http, reads
from dashboard.http import Refused
from dashboard.pages.page import Ctx, raw, show
from dashboard.site import Site, site_of
from store import match_lists


async def static(request: Request) -> Response:
    """A file under the hash of all files."""
    version, name = request.path_params["version"], request.path_params["name"]
    response = site_of(request).assets.respond(request, version, name)
    if response is None:
        raise Refused(404, "there is no such file")
    return response


async def favicon(request: Request) -> Response:
    """Browsers ask for this address whatever a page says."""
    return RedirectResponse(site_of(request).assets.url("img/favicon.svg"), 301)


async def healthz(request: Request) -> Response:
    """This process answers."""
    return PlainTextResponse("ok\n", headers={"cache-control": "no-store"})


async def readyz(request: Request) -> Response:
    """Whether everything behind the pages answers too.

    A broker that is away is told, and makes nobody stop sending requests here: pages work, and
    matches are played without it.
    """
    site = site_of(request)
    problems = await run_in_threadpool(_problems, site)
    ready = not set(problems) - {"broker"}
    body = {"ready": ready, "problems": problems}
    return JSONResponse(body, 200 if ready else 503, headers={"cache-control": "no-store"})


def _problems(site: Site) -> dict[str, str]:
    found = {}
    try:
        site.store.now()
    except Exception as error:  # Whatever it is, the database does not answer.
        found["database"] = type(error).__name__
    broker = site.services.broker_problem()
    if broker is not None:
        found["broker"] = broker
    return found


async def numbers(request: Request) -> Response:
    """Numbers for Prometheus."""
    site = site_of(request)
    site.metrics.watchers.set(site.live.watchers + site.shows.watchers)
    body = await run_in_threadpool(site.metrics.render, site.store)
    return Response(body, headers={"content-type": http.METRICS_TYPE})


def feed(ctx: Ctx) -> Response:
    """The latest results as an Atom feed."""
    with ctx.site.store.read() as session:
        hidden = reads.hidden_seasons(session)
        latest = match_lists.latest(session, hidden=hidden, limit=30)
        seats = match_lists.seated(session, [match.id for match in latest])
    response = ctx.render("feed.xml", latest=latest, seats=seats, bot=None)
    response.headers["content-type"] = "application/atom+xml; charset=utf-8"
    return response


async def robots(request: Request) -> Response:
    """What crawlers should leave alone."""
    return PlainTextResponse("User-agent: *\nDisallow: /link/\nDisallow: /api/\n")


def routes() -> list[Route]:
    """Everything else."""
    return [
        raw("/static/{version}/{name:path}", static, methods=["GET"]),
        raw("/favicon.ico", favicon, methods=["GET"]),
        raw("/healthz", healthz, methods=["GET"]),
        raw("/readyz", readyz, methods=["GET"]),
        raw("/metrics", numbers, methods=["GET"]),
        raw("/robots.txt", robots, methods=["GET"]),
        show("/feed.atom", feed, cached=False),
    ]
