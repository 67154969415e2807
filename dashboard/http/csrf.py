"""Forms only from our own pages: a token bound to the browser, and the Origin header."""

import base64
import hmac
import secrets

from starlette.requests import Request

from dashboard.http.identity import session_cookie
from dashboard.http.problems import Refused
from dashboard.site import Site

CSRF_FIELD = "csrf"
HEADER = "x-csrf-token"
VISITOR_COOKIE = "bullring_visitor"
_SIZE = 32


def _expected(site: Site, request: Request) -> bytes | None:
    """What a token of this browser hides: a hash of its sign-in, or of its visitor cookie."""
    secret = session_cookie(request, site.settings)
    if secret is not None:
        return site.mac("csrf session", secret)
    visitor = request.cookies.get(VISITOR_COOKIE)
    return site.mac("csrf visitor", visitor) if visitor else None


def make_token(site: Site, request: Request) -> tuple[str, str | None]:
    """A token for a form, and the visitor cookie that has to be set for it (or None)."""
    expected = _expected(site, request)
    visitor = None
    if expected is None:
        visitor = secrets.token_urlsafe(16)
        expected = site.mac("csrf visitor", visitor)
    # A fresh mask each time: compressed pages must not repeat a secret.
    mask = secrets.token_bytes(_SIZE)
    masked = bytes(a ^ b for a, b in zip(mask, expected, strict=True))
    return base64.urlsafe_b64encode(mask + masked).decode(), visitor


def check_origin(site: Site, request: Request) -> None:
    """Refuse a form that another site sent."""
    origin = request.headers.get("origin")
    own = {site.settings.origin, f"{request.url.scheme}://{request.headers.get('host', '')}"}
    if origin not in own:
        raise Refused(
            403,
            "this form was not sent from this site; open the page again and repeat what you did",
        )


def check_token(site: Site, request: Request, given: str) -> None:
    """Refuse a form whose token is not this browser's."""
    expected = _expected(site, request)
    try:
        raw = base64.urlsafe_b64decode(given.encode())
    except ValueError:
        raw = b""
    found = bytes(a ^ b for a, b in zip(raw[:_SIZE], raw[_SIZE:], strict=False))
    if expected is None or len(raw) != 2 * _SIZE or not hmac.compare_digest(found, expected):
        raise Refused(
            403, "this form has lost its connection to you; open the page again and repeat"
        )
