"""Live updates: streams that are open, and one look at the store for all who watch."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.live.fanout import Shows, read_id
    from dashboard.live.reel import Place
    from dashboard.live.streams import EventStream
    from dashboard.live.tables import Look, TableStreams, is_last, read_number
    from dashboard.live.topics import Live
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
