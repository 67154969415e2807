"""Rendered pages for those not signed in, kept for a moment: many watch, few pages differ."""

import gzip
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

SIZE = 500


@dataclass(frozen=True, slots=True)
class Kept:
    """A page and when it was made."""

    body: bytes
    packed: bytes
    """The same, compressed once for all who take it so."""
    etag: str
    at: float


class PageCache:
    """The latest pages by address; thread-safe, never larger than `SIZE` pages."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self._clock = clock
        self._pages: OrderedDict[str, Kept] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> Kept | None:
        """The page, if it is young enough."""
        with self._lock:
            kept = self._pages.get(key)
        return kept if kept and self._clock() - kept.at < self.seconds else None

    def put(self, key: str, body: bytes, etag: str) -> Kept:
        """Keep a page."""
        kept = Kept(body, gzip.compress(body, 5), etag, self._clock())
        with self._lock:
            self._pages[key] = kept
            self._pages.move_to_end(key)
            while len(self._pages) > SIZE:
                self._pages.popitem(last=False)
        return kept


def kept_response(request: Request, kept: Kept) -> Response:
    """The page as this reader takes it; 304 to those who have it."""
    headers = {
        "etag": kept.etag,
        "cache-control": "public, no-cache",
        "vary": "Accept-Encoding, Cookie",
    }
    if request.headers.get("if-none-match") == kept.etag:
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return HTMLResponse(kept.packed, headers=headers | {"content-encoding": "gzip"})
    return HTMLResponse(kept.body, headers=headers)
