"""Ladders: settings, the bots that take part, the next table, why a bot is idle, suspension."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from league.ladder.entrants import BotStatus
    from league.ladder.field import IN_FLIGHT, Member, read_field
    from league.ladder.life import (
        close,
        enter,
        open_ladder,
        pause,
        plan_of,
        resume,
        set_settings,
        take_out,
    )
    from league.ladder.plan import LadderPlan, LadderSettings, LadderWords, plan_from
    from league.ladder.queue import flying, queue_matches
    from league.ladder.steps import LADDER_STEPS
    from league.ladder.suspension import forgive, watch_failures
    from league.ladder.why import Why, WhyNot, why_each_idle, why_idle
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
