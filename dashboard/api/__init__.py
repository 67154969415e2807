"""The JSON API under /api/v1. Its pages of words are docs/api.md; its schema is made here."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.api.common import PREFIX, VERSION
    from dashboard.api.routes import PARTS, api_routes
    from dashboard.api.schema import describe
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
