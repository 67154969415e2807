"""A running match for those who watch: what happened so far, and its way to the pages.

Only public events pass here; how they are shown is the dashboard's.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from league.live.record import Broadcast, Item, Watch
    from league.live.relay import RedisRecords, Relay, from_pipe, to_pipe, to_redis
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
