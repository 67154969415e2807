"""Reference pages made from what machines read: the API's schema, and the protocol's contract."""

from dashboard.references.api import api_reference
from dashboard.references.protocol import protocol_reference

__all__ = ["api_reference", "protocol_reference"]
