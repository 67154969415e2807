"""Reference pages made from what machines read: the API's schema, and the protocol's contract."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.references.api import api_reference
    from dashboard.references.protocol import protocol_reference
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
