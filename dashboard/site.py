"""`Site`: the parts one running dashboard is made of, as every route finds them."""

import hmac
from dataclasses import dataclass
from hashlib import sha256
from typing import cast

from starlette.requests import HTTPConnection

from dashboard.http import Assets, Limiter, Metrics, PageCache, UploadsInProgress
from dashboard.live import Live, Shows, TableStreams
from dashboard.render import Docs, Shelf
from dashboard.services import Services
from dashboard.settings import Settings
from store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One dashboard; made by `create_app`, kept in `app.state.site`."""

    settings: Settings
    store: Store
    services: Services
    secret: bytes
    assets: Assets
    limiter: Limiter
    live: Live
    shows: Shows
    tables: TableStreams
    metrics: Metrics
    cache: PageCache
    shelf: Shelf
    docs: Docs
    uploading: UploadsInProgress

    def mac(self, purpose: str, text: str) -> bytes:
        """A keyed hash; the purpose keeps one use from standing in for another."""
        return hmac.digest(self.secret, f"{purpose}\0{text}".encode(), sha256)


def site_of(connection: HTTPConnection) -> Site:
    """The site that serves this request."""
    return cast(Site, connection.app.state.site)
