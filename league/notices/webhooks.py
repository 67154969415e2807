"""One HTTP POST to an address that a stranger chose: to the public internet only, briefly, once.

The name is resolved here and the connection goes to that very address, so no second lookup can
lead inside; redirects are not followed, and of the answer only the status is read.
"""

import http.client
import ipaddress
import json
import socket
import ssl
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import SplitResult, urlsplit

SECONDS = 5.0
LONGEST_URL = 500
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_UNICAST = ipaddress.ip_network("2000::/3")
"""All of IPv6 that is given out to the internet; the rest translates, tunnels or stays inside."""


class WebhookFailed(Exception):
    """The message did not arrive; the text says why."""


class NoAddress(WebhookFailed):
    """The name cannot be resolved at the moment."""


def is_public(address: Address) -> bool:
    """Whether an address is on the public internet, also where IPv6 disguises it.

    >>> [is_public(ipaddress.ip_address(a)) for a in ("9.9.9.9", "10.0.0.1", "::ffff:127.0.0.1")]
    [True, False, False]
    """
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if address.sixtofour is not None or address.teredo or address not in _UNICAST:
            return False
    return address.is_global and not address.is_multicast


def may_be_called(url: str, allowed: Callable[[Address], bool] = is_public) -> SplitResult:
    """The parts of an address that an owner may set; WebhookFailed for one inside our network.

    A name that cannot be resolved is let through: it may have an address when it is called.
    """
    parts = checked(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        _resolve(parts.hostname or "", port, allowed)
    except NoAddress:
        return parts
    return parts


def checked(url: str) -> SplitResult:
    """The parts of an address that is well formed. Raises WebhookFailed, which says why not."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise WebhookFailed(f"the address cannot be read: {error}") from None
    if len(url) > LONGEST_URL or not url.isascii() or any(c <= " " for c in url):
        raise WebhookFailed(f"the address must be plain, and {LONGEST_URL} characters at most")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        raise WebhookFailed("expected http://HOST/… or https://HOST/… without a user name")
    return parts


def post(
    url: str,
    body: dict[str, Any],
    *,
    allowed: Callable[[Address], bool] = is_public,
    seconds: float = SECONDS,
) -> None:
    """POST the body as JSON. Raises WebhookFailed unless the answer is 2xx."""
    parts = checked(url)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    target = _resolve(host, port, allowed)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    data = json.dumps(body).encode()
    headers = {"Content-Type": "application/json", "User-Agent": "bullring"}
    connection = _connection(parts.scheme, host, port, target, seconds)
    # The timeout is for one wait; a server that sends a byte now and then is cut off as well.
    limit = threading.Timer(2 * seconds, _cut, (connection,))
    limit.start()
    try:
        connection.request("POST", path, body=data, headers=headers)
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        raise WebhookFailed(f"{type(error).__name__}: {error}") from None
    finally:
        limit.cancel()
        connection.close()
    if not 200 <= status < 300:
        raise WebhookFailed(f"it answered {status}; redirects are not followed")


def _cut(connection: http.client.HTTPConnection) -> None:
    try:
        connection.sock.shutdown(socket.SHUT_RDWR)
    except (OSError, AttributeError):
        # It was not open yet, or has been closed already.
        return


def _resolve(host: str, port: int, allowed: Callable[[Address], bool]) -> str:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise NoAddress(f"{host} has no address: {error}") from None
    for *_, where in found:
        text = str(where[0]).partition("%")[0]
        if allowed(ipaddress.ip_address(text)):
            return text
    raise WebhookFailed(f"{host} is not on the public internet")


def _connection(
    scheme: str, host: str, port: int, target: str, seconds: float
) -> http.client.HTTPConnection:
    """A connection that says it speaks to `host` and goes to `target`."""

    def dial(_address: Any, timeout: Any = None, *_more: Any) -> socket.socket:
        return socket.create_connection((target, port), timeout=seconds)

    connection: http.client.HTTPConnection
    if scheme == "https":
        context = ssl.create_default_context()
        connection = http.client.HTTPSConnection(host, port, timeout=seconds, context=context)
    else:
        connection = http.client.HTTPConnection(host, port, timeout=seconds)
    # The library dials through this attribute, which its types leave out, and does TLS with the
    # name of the host.
    connection._create_connection = dial  # type: ignore[attr-defined]
    return connection
