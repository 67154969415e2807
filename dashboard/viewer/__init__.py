"""The replay viewer's server side: a replay made ready for the browser, and one-file exports.

Nothing here knows the store, the web framework or who may see what: the caller decides that.
"""

from dashboard.viewer.export import export_html
from dashboard.viewer.payload import Links, Notes, build_payload

__all__ = ["Links", "Notes", "build_payload", "export_html"]
