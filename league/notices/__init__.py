"""Telling owners what happened: the inbox, and copies to webhooks.

What is worth telling is decided by the rooms that call this one.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from league.notices.inbox import send_soon, set_webhook, tell_owner
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
