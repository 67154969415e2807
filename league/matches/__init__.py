"""One match from its plan to its result: the attempt, the referee process, the host, the cores.

What is to be played is decided by seasons, ladders and gates; nothing here plans a match.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from league.matches.attempt import Player
    from league.matches.cores import set_aside, share_out, spare_cores, usable_cores
    from league.matches.fair import HostUnfit, Slot, plan_for
    from league.matches.host import HostGuard
    from league.matches.plan import (
        DUPLICATE_BELOW,
        TableBot,
        match_name,
        new_match,
        plan_of,
        whole_laps,
    )
    from league.matches.referee_process import NO_SLOT, play_match
    from league.matches.result import blocks_of
    from league.matches.sandboxed import SandboxStage
    from league.matches.showcase import add_showcase
    from league.matches.slots import Slots
    from league.matches.stage import NO_ROOM, Cause, Stage, VoidMatch
    from league.matches.summary import (
        BotSummary,
        counted_points,
        place_halves,
        summarise,
        whole_blocks,
    )
    from league.matches.zygote import Zygote
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
