"""Playing at home, without database, broker or pages: a match, a gate, a look at the machine."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from league.local.doctor import examine_machine
    from league.local.gate import GateProgress, HomeGate, run_gate
    from league.local.match import LocalMatch, play_local
    from league.local.summary import BotSummary, blocks_of, counted_points, summarise
    from league.local.trial import quick_samples, time_a_match
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
