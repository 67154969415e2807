"""Bots against each other in this process, without referee and sandbox: for trusted bots, as fast
as they think. In a notebook, results show as tables and games as replays."""

from arena.games import Arena, play
from arena.replays import InlineReplay
from arena.versions import Comparison, compare

__all__ = ["Arena", "Comparison", "InlineReplay", "compare", "play"]
