"""Who is asking: by the browser's cookie or by a bearer token. What each may do is decided here."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from ipaddress import IPv6Address, IPv6Network

from starlette.requests import HTTPConnection

from dashboard.http.problems import Refused
from dashboard.settings import Settings
from dashboard.site import site_of
from league.authors import Scope, token_looks_right
from store import Bot, Owner, Role, accounts

COOKIE = "bullring_session"
NETWORK_BITS = 64
"""How much of an address of IPv6 is the network, which providers give to one household."""


class Rank(StrEnum):
    """The least that a route asks for."""

    SPECTATOR = "spectator"
    """Anyone, signed in or not."""
    AUTHOR = "author"
    """Anyone with an account."""
    ORGANISER = "organiser"
    """Those who run the league."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """Who sent the request."""

    owner: Owner | None = None
    scopes: frozenset[str] | None = None
    """None: a browser, which may do all its owner may."""
    expires_at: datetime | None = None
    """When the token in use ends; None: never, or it is a browser."""

    @property
    def is_organiser(self) -> bool:
        """Whether this viewer runs the league, and may act so here."""
        return (
            self.owner is not None
            and self.owner.role is Role.ORGANISER
            and (self.scopes is None or Scope.ORGANISE in self.scopes)
        )

    @property
    def rank(self) -> Rank:
        """The most this viewer can claim."""
        if self.is_organiser:
            return Rank.ORGANISER
        return Rank.SPECTATOR if self.owner is None else Rank.AUTHOR

    def has(self, scope: Scope) -> bool:
        """Whether a token's scopes allow this; a browser has them all."""
        return self.owner is not None and (self.scopes is None or scope in self.scopes)

    def sees_private(self, owner_id: int) -> bool:
        """Logs, notes and reports are for their owner and for organisers."""
        if self.owner is None:
            return False
        return self.is_organiser or (self.owner.id == owner_id and self.has(Scope.READ))

    def owns(self, bot: Bot) -> bool:
        """Whether the bot is the viewer's own."""
        return self.owner is not None and bot.owner_id == self.owner.id


NOBODY: Viewer = Viewer()


def session_cookie(connection: HTTPConnection, settings: Settings) -> str | None:
    """The secret of the browser's sign-in."""
    return connection.cookies.get(cookie_name(settings)) or None


def cookie_name(settings: Settings) -> str:
    """By https the name itself makes browsers refuse a cookie from a neighbouring site."""
    return f"__Host-{COOKIE}" if settings.secure else COOKIE


def browser_viewer(connection: HTTPConnection) -> Viewer:
    """Whoever is signed in in this browser. Reads the store, so not for the event loop."""
    site = site_of(connection)
    secret = session_cookie(connection, site.settings)
    if secret is None:
        return NOBODY
    with site.store.read() as session:
        owner = accounts.signed_in(session, secret)
    return Viewer(owner=owner)


def api_viewer(connection: HTTPConnection) -> Viewer:
    """By token; a browser's cookie serves for reading only, so that no other site can use it."""
    header = connection.headers.get("authorization")
    if header is None:
        safe = connection.scope["method"] in ("GET", "HEAD", "OPTIONS")
        return browser_viewer(connection) if safe else NOBODY
    kind, _, secret = header.partition(" ")
    found = None
    site = site_of(connection)
    if kind.lower() == "bearer" and token_looks_right(secret.strip()):
        with site.store.read() as session:
            found = accounts.token_owner(session, secret.strip())
    if found is None:
        # Only wrong ones: whoever shares an address with a guesser, or a broken script, goes on.
        limit, address = site.settings.token_limit, client_address(connection, site.settings)
        site.limiter.hit("wrong tokens from your address", limit, address)
        raise Refused(
            401,
            "got an Authorization header without a valid token; make one on the page My bots",
            headers={"www-authenticate": "Bearer"},
        )
    token, owner = found
    if accounts.needs_touch(token):
        with site.store.write() as session:
            accounts.touch_token(session, token.id)
    return Viewer(owner=owner, scopes=frozenset(token.scopes), expires_at=token.expires_at)


def has_nul(connection: HTTPConnection) -> bool:
    """Whether the address holds the character NUL, with which PostgreSQL compares no text."""
    return "\0" in connection.scope["path"] or b"%00" in connection.scope["query_string"]


def signed_in_owner(viewer: Viewer, scope: Scope) -> Owner:
    """The owner behind an API request that needs one, or a refusal that says what is missing."""
    if viewer.owner is None:
        raise Refused(
            401,
            f"this needs a token with scope {scope.value!r}; make one on the page My bots",
            headers={"www-authenticate": "Bearer"},
        )
    if not viewer.has(scope):
        got = ", ".join(sorted(viewer.scopes or ())) or "none"
        raise Refused(403, f"this needs a token with scope {scope.value!r}, got scopes: {got}")
    return viewer.owner


def organiser_of(viewer: Viewer) -> Owner:
    """The organiser behind an API request, or a refusal that says what is missing."""
    owner = signed_in_owner(viewer, Scope.ORGANISE)
    if not viewer.is_organiser:
        raise Refused(403, "this is for organisers; ask one of them")
    return owner


def acting_for(viewer: Viewer, bot: str) -> Owner:
    """Whoever may act for this bot: an organiser, or its owner with scope `manage`."""
    if viewer.is_organiser and viewer.owner is not None:
        return viewer.owner
    owner = signed_in_owner(viewer, Scope.MANAGE)
    if bot.partition("/")[0] != owner.handle:
        raise Refused(403, f"{bot} is not your bot; organisers need a token with scope 'organise'")
    return owner


def client_address(connection: HTTPConnection, settings: Settings) -> str:
    """Where a request comes from; a proxy is believed only where one is known to stand.

    Of the sixth version only the network counts: whoever has one address there has them all.
    """
    found = connection.client.host if connection.client else "unknown"
    if settings.trusted_proxies:
        # A proxy may add a line of its own below the one that the sender made up.
        lines = ",".join(connection.headers.getlist("x-forwarded-for"))
        chain = [part.strip() for part in lines.split(",")]
        if len(chain) >= settings.trusted_proxies and chain[-settings.trusted_proxies]:
            found = chain[-settings.trusted_proxies]
    try:
        address = IPv6Address(found)
    except ValueError:
        return found
    whole = address.ipv4_mapped or IPv6Network((int(address), NETWORK_BITS), strict=False)
    return str(whole)
