"""Friendly matches: unrated ones that an author asks for, at once, against chosen bots.

They have a queue and slots of their own and count nowhere. Who may see one is decided by
`dashboard.reads.access`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from league.friendlies.asking import FriendlyLimits, ask, cancel, set_shared, waiting_bells
    from league.friendlies.plan import FriendlyPlan, FriendlyWords
    from league.friendlies.result import game_record, seat_summaries
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
