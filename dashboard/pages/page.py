"""What every page is made with: a context, rendering, and routes for showing and for acting."""

import base64
import hashlib
import hmac
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.convertors import (  # codespell:ignore convertors
    IntegerConvertor,
    register_url_convertor,
)
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from api_models.words import DIGITS, whole_number
from dashboard import http
from dashboard.http import (
    NOBODY,
    Problem,
    Rank,
    Refused,
    Viewer,
    browser_viewer,
    client_address,
    has_nul,
    kept_response,
    read_form,
    session_cookie,
)
from dashboard.render import Sheet, Slot, fill, page_environment, reader_pieces
from dashboard.site import Site, site_of
from store import Bot

NOTICE_COOKIE = "bullring_notice"
THEME_COOKIE = "bullring_theme"
_MISSING = re.compile(r"got (.+), expected one (?:that exists|of yours)\b")
_RANKS = [Rank.SPECTATOR, Rank.AUTHOR, Rank.ORGANISER]


class _Number(IntegerConvertor):
    """Numbers in addresses: no more digits than a number in any database can have."""

    regex = f"[0-9]{{1,{DIGITS}}}"


register_url_convertor("int", _Number())


@dataclass(slots=True, kw_only=True)
class Ctx:
    """One request for a page."""

    request: Request
    site: Site
    viewer: Viewer = NOBODY
    form: Mapping[str, list[str]] = field(default_factory=dict)
    visitor: str | None = None
    """A visitor cookie that the response has to set, because a form was drawn."""
    mine: Sequence[Bot] = ()
    """Of the reader's bots those that the page offers to enter."""

    @property
    def theme(self) -> str:
        """The scheme the reader chose, empty: the system's."""
        chosen = self.request.cookies.get(THEME_COOKIE, "")
        return chosen if chosen in ("light", "dark") else ""

    def text(self, name: str) -> str:
        """A field of the form, trimmed."""
        return self.form.get(name, [""])[0].strip()

    def query(self, name: str) -> str:
        """A parameter of the address."""
        return self.request.query_params.get(name, "").strip()

    def query_int(self, name: str) -> int | None:
        """A whole number in the address, or None; numbers no database holds count as absent."""
        return whole_number(self.query(name))

    def csrf_field(self) -> Markup:
        """The hidden field that every form has to carry."""
        return Markup('<input type="hidden" name="{}" value="{}">').format(
            http.CSRF_FIELD, self.csrf_token()
        )

    def csrf_token(self) -> str:
        """The token alone, for scripts that send a form."""
        token, visitor = http.make_token(self.site, self.request)
        self.visitor = visitor or self.visitor
        return token

    def piece(self, name: str, *args: str, owner: str | None = None) -> Markup:
        """What this reader is shown in a slot; one with an owner is for that one alone."""
        if owner is not None and owner != self.handle:
            return Markup("")
        made: Markup = getattr(reader_pieces(), name)(self, *args)
        return made

    @property
    def handle(self) -> str | None:
        """The name of the reader's account."""
        return self.viewer.owner.handle if self.viewer.owner else None

    def render(self, template: str, status: int = 200, **values: object) -> Response:
        """A page for this reader alone."""
        body = self.draw(
            template,
            self.piece,
            ctx=self,
            viewer=self.viewer,
            csrf=self.csrf_field,
            **values,
        )
        response = HTMLResponse(body, status)
        response.headers["cache-control"] = "private, no-cache"
        response.headers["vary"] = "Cookie"
        return self._with_cookies(response)

    def draw(self, template: str, reader: Callable[..., Markup], **values: object) -> str:
        """The text of a page; `reader` makes what differs from reader to reader."""
        return (
            page_environment()
            .get_template(template)
            .render(
                reader=reader,
                site=self.site.settings,
                asset=self.site.assets.url,
                **{"here": self.request.url.path, **values},
            )
        )

    def render_sheet(self, sheet: Sheet) -> Response:
        """A page that all readers share, with what is this one's own."""

        def piece(slot: Slot) -> str:
            return self.piece(slot.name, *slot.args, owner=slot.owner)

        body, gzipped = fill(sheet, piece, self.handle)
        for_all = self.viewer.owner is None and not self.notice() and not self.visitor
        headers = {
            "cache-control": "public, no-cache" if for_all else "private, no-cache",
            "vary": "Accept-Encoding, Cookie",
        }
        if for_all:
            headers["etag"] = '"' + hashlib.sha256(body).hexdigest()[:20] + '"'
            if self.request.headers.get("if-none-match") == headers["etag"]:
                return Response(status_code=304, headers=headers)
        if "gzip" in self.request.headers.get("accept-encoding", ""):
            body, headers["content-encoding"] = gzipped(), "gzip"
        return self._with_cookies(HTMLResponse(body, headers=headers))

    def _with_cookies(self, response: Response) -> Response:
        if self.notice():
            response.delete_cookie(NOTICE_COOKIE)
        if self.visitor:
            set_cookie(self.site, response, http.VISITOR_COOKIE, self.visitor, days=1)
        return response

    def go(self, address: str, notice: str = "") -> Response:
        """Send the browser on after an act, with a sentence for the next page."""
        response = RedirectResponse(address, 303)
        if notice:
            text = base64.urlsafe_b64encode(notice.encode()).decode()
            mark = self.site.mac("notice", text).hex()[:32]
            set_cookie(self.site, response, NOTICE_COOKIE, f"{mark}.{text}", days=1)
        return response

    def notice(self) -> str:
        """The sentence left by the act before; a forged one is ignored."""
        mark, _, text = self.request.cookies.get(NOTICE_COOKIE, "").partition(".")
        if not text or not hmac.compare_digest(
            mark.encode(), self.site.mac("notice", text).hex()[:32].encode()
        ):
            return ""
        return base64.urlsafe_b64decode(text.encode()).decode()

    def limit(self, what: str, limit: str, *who: str) -> None:
        """Count an act; by account, else by address."""
        names = who or (
            (self.viewer.owner.handle,)
            if self.viewer.owner
            else (client_address(self.request, self.site.settings),)
        )
        self.site.limiter.hit(what, limit, *names)


Handler = Callable[..., Response]


def set_cookie(site: Site, response: Response, name: str, value: str, *, days: int) -> None:
    """A cookie that scripts cannot read and other sites cannot send along."""
    response.set_cookie(
        name,
        value,
        max_age=days * 86400,
        httponly=True,
        samesite="lax",
        secure=site.settings.secure,
        path="/",
    )


def show(
    path: str, handler: Handler, *, rank: Rank = Rank.SPECTATOR, cached: bool = False
) -> Route:
    """A page. `cached`: those who are not signed in may get one that is a moment old."""

    async def endpoint(request: Request) -> Response:
        request.scope["route_path"] = path
        site = site_of(request)
        key = _cache_key(request, site) if cached else None
        if key is not None:
            kept = site.cache.get(key)
            if kept is not None:
                return kept_response(request, kept)
        response = await run_in_threadpool(_call, handler, request, site, rank, {})
        if key is not None and response.status_code == 200:
            etag = '"' + hashlib.sha256(response.body).hexdigest()[:20] + '"'
            return kept_response(request, site.cache.put(key, bytes(response.body), etag))
        return response

    return Route(path, endpoint, methods=["GET"], name=handler.__name__)


def act(path: str, handler: Handler, *, rank: Rank = Rank.AUTHOR) -> Route:
    """A form: only from our own pages, only with their token."""

    async def endpoint(request: Request) -> Response:
        request.scope["route_path"] = path
        site = site_of(request)
        http.check_origin(site, request)
        form = await read_form(request)
        http.check_token(site, request, form.get(http.CSRF_FIELD, [""])[0])
        return await run_in_threadpool(_call, handler, request, site, rank, form)

    return Route(path, endpoint, methods=["POST"], name=handler.__name__)


def raw(
    path: str, endpoint: Callable[[Request], Awaitable[Response]], *, methods: list[str]
) -> Route:
    """A route that does its own reading and checking."""

    async def noted(request: Request) -> Response:
        request.scope["route_path"] = path
        return await endpoint(request)

    return Route(path, noted, methods=methods, name=getattr(endpoint, "__name__", "raw"))


def _call(
    handler: Handler,
    request: Request,
    site: Site,
    rank: Rank,
    form: Mapping[str, list[str]],
) -> Response:
    ctx = Ctx(request=request, site=site, viewer=browser_viewer(request), form=form)
    request.state.viewer = ctx.viewer
    require(ctx, rank)
    if has_nul(request):
        raise Refused(404, "there is nothing at this address")
    return handler(ctx, **request.path_params)


def require(ctx: Ctx, rank: Rank) -> None:
    """Refuse a viewer below the rank; somebody not signed in is sent to do so."""
    if _RANKS.index(ctx.viewer.rank) >= _RANKS.index(rank):
        return
    if ctx.viewer.owner is None:
        back = quote(ctx.request.url.path if ctx.request.method == "GET" else "/", safe="/")
        raise Refused(401, "please sign in first", headers={"location": f"/sign-in?next={back}"})
    raise Refused(403, "this is for organisers; ask one of them")


def _cache_key(request: Request, site: Site) -> str | None:
    """Under what a page is kept; None: it is for one person only."""
    if session_cookie(request, site.settings) or NOTICE_COOKIE in request.cookies:
        return None
    theme = request.cookies.get(THEME_COOKIE, "")
    return f"{theme[:5]} {request.url.path}?{request.url.query}"


def problem_page(request: Request, problem: Problem) -> Response:
    """The page for a refusal; somebody who has to sign in is taken there."""
    if problem.status == 401 and "location" in problem.headers:
        return RedirectResponse(problem.headers["location"], 303)
    viewer = getattr(request.state, "viewer", NOBODY)
    ctx = Ctx(request=request, site=site_of(request), viewer=viewer)
    words = for_people(problem.detail)
    response = ctx.render("problem.html", problem.status, problem=problem, words=words)
    for name, value in problem.headers.items():
        response.headers[name] = value
    return response


def for_people(detail: str) -> str:
    """A refusal as a page says it; programs get it with what was given and expected.

    >>> for_people("got match 99999, expected one that exists")
    'There is no match 99999.'
    >>> for_people("please sign in first")
    'Please sign in first.'
    """
    known = _MISSING.match(detail)
    text = f"There is no {known[1]}" if known else detail[0].upper() + detail[1:]
    return text if text[-1] in ".!?" else f"{text}."


def found(value: Any, what: str) -> Any:
    """The value, or a 404 that says what was looked for."""
    if value is None:
        raise Refused(404, f"there is no such {what}; it may have been renamed or deleted")
    return value
