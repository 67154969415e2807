"""Guesses at passwords: slowed down by account and address, and never at an owner's expense.

A browser in which an owner has signed in before keeps a cookie that says so, for that account
alone. It signs no one in; it only gives the browser a count of its own, so that strangers who
guess cannot make it wait.
"""

import hmac
import secrets
from dataclasses import dataclass

from starlette.requests import Request

from dashboard.http.identity import client_address
from dashboard.site import Site

WHAT = "tries to sign in"
DEVICE_COOKIE = "bullring_device"
DEVICE_DAYS = 400
PAIR_TRIES = "20/hour"
"""Wrong passwords for one account from one address, before they are slowed down."""
PAIR_SLOW = "2/minute"
ACCOUNT_TRIES = "100/hour"
"""The same from all addresses together; known browsers are not among them."""
ACCOUNT_SLOW = "6/minute"


@dataclass(frozen=True, slots=True)
class Try:
    """One try to sign in, by whom and from where."""

    site: Site
    handle: str
    address: str
    device: str | None
    """The name of a browser that knows this account; None: a browser like any other."""

    def count(self) -> None:
        """Raise TooMany for one that comes too soon; it may be made again within a minute."""
        limiter, often = self.site.limiter, self.site.settings.sign_in_limit
        if self.device is not None:
            limiter.hit(WHAT, often, "device", self.device)
            return
        limiter.hit(WHAT, often, "address", self.address)
        if not limiter.within(WHAT, PAIR_TRIES, "pair", self.handle, self.address):
            limiter.hit(WHAT, PAIR_SLOW, "slow pair", self.handle, self.address)
        if not limiter.within(WHAT, ACCOUNT_TRIES, "account", self.handle):
            limiter.hit(WHAT, ACCOUNT_SLOW, "slow account", self.handle)

    def forget(self) -> None:
        """A correct password clears the counts: of the account from here, and of the account."""
        self.site.limiter.clear(WHAT, PAIR_TRIES, "pair", self.handle, self.address)
        self.site.limiter.clear(WHAT, ACCOUNT_TRIES, "account", self.handle)


def try_of(site: Site, request: Request, handle: str) -> Try:
    """A try to sign in under this name."""
    name = handle[:60]
    address = client_address(request, site.settings)
    return Try(site, name, address, _device(site, request, name))


def address_mac(site: Site, request: Request) -> str:
    """Where a request comes from, as a keyed hash: equal for equal addresses, and no more."""
    return site.mac("address", client_address(request, site.settings)).hex()


def device_cookie(site: Site, handle: str) -> str:
    """What a browser keeps that has signed in."""
    name = secrets.token_hex(8)
    return f"{name}.{_mac(site, handle, name)}"


def _device(site: Site, request: Request, handle: str) -> str | None:
    name, _, given = request.cookies.get(DEVICE_COOKIE, "").partition(".")
    expected = _mac(site, handle, name)
    return name if hmac.compare_digest(given.encode(), expected.encode()) else None


def _mac(site: Site, handle: str, name: str) -> str:
    return site.mac("device", f"{handle}\0{name}").hex()
