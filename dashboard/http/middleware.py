"""Around every request: an id, headers that protect, a log line, numbers, limits, a net."""

import logging
import secrets
import time
from collections.abc import Awaitable, Callable

import structlog
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.http.identity import client_address
from dashboard.http.limits import TooMany
from dashboard.http.metrics import Metrics
from dashboard.site import Site

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; font-src 'self'; manifest-src 'self'; form-action 'self';"
    " base-uri 'none'; frame-ancestors 'none'"
)
EMBED_CSP = CSP.replace("frame-ancestors 'none'", "frame-ancestors *")
HEADERS = {
    "content-security-policy": CSP,
    "x-content-type-options": "nosniff",
    # Not no-referrer: browsers would then send `Origin: null` with our own forms.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
API = "/api/v1"
BODY_BYTES = 64 * 1024
PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
UNCOUNTED = PROBES | {"/favicon.ico", "/robots.txt"}
UNCOUNTED_BELOW = ("/api/", "/static/")
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
LOG = structlog.get_logger("dashboard")

OnBug = Callable[[Request, str], Response]
"""Makes the response for a bug, from the request and its id."""
OnRefusal = Callable[[Request, Exception], Awaitable[Response]]
"""Makes the response for a request that is refused."""


class RequestMiddleware:
    """Pure ASGI: it costs microseconds and leaves streams alone."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics, on_bug: OnBug, secure: bool) -> None:
        self.app = app
        self.metrics = metrics
        self.on_bug = on_bug
        self.headers = dict(HEADERS)
        if secure:
            self.headers["strict-transport-security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = secrets.token_hex(8)
        began = time.perf_counter()
        status = 0

        async def send_on(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["x-request-id"] = request_id
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
                self._note(scope, status, time.perf_counter() - began)
            await send(message)

        try:
            await self.app(scope, _bounded(scope, receive), send_on)
        except Exception:
            # Whatever it is: the log gets the traceback, and the client a number to report.
            path = _loggable(scope["path"])
            LOG.exception("bug", request_id=request_id, path=path, method=scope["method"])
            if status:
                raise
            response = self.on_bug(Request(scope, receive), request_id)
            await response(scope, receive, send_on)
        finally:
            # Probes come every few seconds and would drown everything else.
            probe = scope["path"] in PROBES and status < 400
            LOG.log(
                logging.DEBUG if probe else logging.INFO,
                "request",
                request_id=request_id,
                method=scope["method"],
                path=_loggable(scope["path"]),
                status=status,
                ms=round((time.perf_counter() - began) * 1000, 2),
            )

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = scope.get("route_path") or getattr(scope.get("route"), "path", None) or "unknown"
        # Any client can make up a method or a path; every new label would cost memory for ever.
        method = scope["method"] if scope["method"] in METHODS else "other"
        self.metrics.requests.labels(route, method, status).inc()
        self.metrics.seconds.labels(route).observe(seconds)


class PageLimit:
    """Pages count by address; a client that asks too often is told when to try again.

    The API counts its own reads, by token where there is one. What machines ask for all the time,
    and what browsers keep, is not counted.
    """

    def __init__(self, app: ASGIApp, *, site: Site, refuse: OnRefusal) -> None:
        self.app = app
        self.site = site
        self.refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and _is_page(scope):
            request = Request(scope, receive)
            try:
                await self._count(client_address(request, self.site.settings))
            except TooMany as error:
                response = await self.refuse(request, error)
                await response(scope, receive, send)
                return
        await self.app(scope, receive, send)

    async def _count(self, address: str) -> None:
        counted = ("pages from your address", self.site.settings.page_limit, address)
        if self.site.limiter.waits:
            await run_in_threadpool(self.site.limiter.hit, *counted)
        else:
            self.site.limiter.hit(*counted)


def _is_page(scope: Scope) -> bool:
    return scope["path"] not in UNCOUNTED and not scope["path"].startswith(UNCOUNTED_BELOW)


def _bounded(scope: Scope, receive: Receive) -> Receive:
    """Documents sent to the API are read whole before the sender is known: keep them small.

    Pages and submissions are not meant: they count what they read by themselves.
    """
    handing_in = scope["method"] == "POST" and scope["path"] == f"{API}/submissions"
    if handing_in or not scope["path"].startswith("/api/"):
        return receive
    length = Headers(scope=scope).get("content-length", "")
    announced = int(length) if length.isdecimal() and len(length) < 20 else 0
    got = 0

    async def receive_on() -> Message:
        nonlocal got
        message = {} if announced > BODY_BYTES else await receive()
        got += len(message.get("body", b""))
        if max(announced, got) > BODY_BYTES:
            # This kind alone passes through FastAPI's reading of bodies as it is.
            raise HTTPException(413, f"the document is larger than {BODY_BYTES} bytes")
        return message

    return receive_on


def _loggable(path: str) -> str:
    """A path without the secret of a one-time link."""
    return "/link/…" if path.startswith("/link/") else path[:300]
