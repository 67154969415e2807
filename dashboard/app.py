"""`create_app`: the dashboard put together from settings, a store and what the league offers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

import structlog
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response

from dashboard import api, pages
from dashboard.http import (
    Assets,
    Limiter,
    Metrics,
    PageCache,
    PageLimit,
    Problem,
    Refused,
    RequestMiddleware,
    TooMany,
    TooManyTopics,
    UploadsInProgress,
    problem_of,
    sweep_parts,
)
from dashboard.live import Live, Shows, TableStreams
from dashboard.render import Docs, Shelf
from dashboard.services import NoServices, Services
from dashboard.settings import Settings, load_secret
from dashboard.site import Site
from league.errors import LeagueRefusal
from nimmt import RulesError
from store import DATABASE_ERRORS, Store, StoreError

_ABOUT = """
Everything the pages show, and everything an author does on them. Lists come in pieces: put `next`
into `cursor`. Errors are problem+json (RFC 9457). Ask for `application/x-ndjson` where a list may
be long. Reading needs no token; the rest needs `Authorization: Bearer br_…`.
"""
_HANDLED: tuple[type[Exception], ...] = (
    Refused,
    TooMany,
    TooManyTopics,
    RequestValidationError,
    HTTPException,
    StoreError,
    RulesError,
    LeagueRefusal,
    *DATABASE_ERRORS,
)
LOG = structlog.get_logger("dashboard")


def create_app(settings: Settings, store: Store, services: Services | None = None) -> FastAPI:
    """The application; the store must be migrated, and stays the caller's to close."""
    site = Site(
        settings=settings,
        store=store,
        services=services or NoServices(),
        secret=load_secret(settings.data_dir),
        assets=Assets(),
        limiter=Limiter(settings.redis_url),
        live=Live(settings.live_seconds),
        shows=Shows(speed=settings.live_speed),
        tables=TableStreams(),
        metrics=Metrics(),
        cache=PageCache(settings.page_cache_seconds),
        shelf=Shelf(settings.page_shelf_bytes),
        docs=Docs(settings.docs_dir),
        uploading=UploadsInProgress(),
    )

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        sweep_parts(settings.uploads)
        yield
        await site.live.close()
        await site.shows.close()

    app = FastAPI(
        title=f"{settings.site_name} API",
        version=api.VERSION,
        description=_ABOUT.strip(),
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{api.PREFIX}/openapi.json",
        lifespan=lifespan,
    )
    app.state.site = site
    app.router.routes.extend([*pages.first_routes(), *api.api_routes(), *pages.page_routes()])
    for kind in _HANDLED:
        app.add_exception_handler(kind, _refuse)
    _add_middleware(app, site)
    _describe(app)
    return app


def _add_middleware(app: FastAPI, site: Site) -> None:
    """The last one added is the outermost."""
    app.add_middleware(PageLimit, site=site, refuse=_refuse)
    app.add_middleware(GZipMiddleware, minimum_size=1024, compresslevel=4)
    app.add_middleware(
        CORSMiddleware,
        allow_origins=["*"],
        allow_methods=["GET"],
        # No credentials: another site reads what is public, never in a user's name.
        allow_headers=["accept", "authorization", "if-none-match"],
        expose_headers=["etag", "link", "retry-after", "x-request-id"],
    )
    app.add_middleware(
        RequestMiddleware, metrics=site.metrics, on_bug=_bug, secure=site.settings.secure
    )


def _is_api(request: Request) -> bool:
    return request.url.path.startswith("/api/")


async def _refuse(request: Request, error: Exception) -> Response:
    problem = problem_of(error)
    if problem is None:
        raise error
    if isinstance(error, DATABASE_ERRORS):
        LOG.warning("database error", error=str(error)[:300])
    if _is_api(request):
        return problem.json(request.url.path)
    return pages.problem_page(request, problem)


def _bug(request: Request, request_id: str) -> Response:
    problem = Problem(
        500,
        "Internal Server Error",
        f"this is our mistake, not yours; report this number to an organiser: {request_id}",
    )
    if _is_api(request):
        return problem.json(request.url.path)
    return pages.problem_page(request, problem)


def _describe(app: FastAPI) -> None:
    """Add to the OpenAPI document what FastAPI cannot know, for the first reader."""
    made = app.openapi

    @cache
    def openapi() -> dict[str, Any]:
        return api.describe(made())

    app.openapi = openapi  # type: ignore[method-assign]  # as FastAPI's manual says
