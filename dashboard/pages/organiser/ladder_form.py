"""The form of a ladder: what was typed, what is wrong with it, and the plan it makes."""

from dataclasses import dataclass
from typing import Self

from dashboard.pages.organiser.fields import GAME_BOUNDS, GAME_DEFAULTS, GameForm
from league.ladder import LadderPlan
from store.ladders import DEFAULT_CAP

DEFAULTS = {**GAME_DEFAULTS, "longest_wait": "", "cap": str(DEFAULT_CAP)}
BOUNDS = {**GAME_BOUNDS, "longest_wait": (1, 10_000_000), "cap": (1, 1000)}


@dataclass(slots=True)
class LadderForm(GameForm):
    """What an organiser typed for a ladder."""

    defaults = DEFAULTS
    bounds = BOUNDS

    @classmethod
    def of(cls, plan: LadderPlan) -> Self:
        """The settings that a ladder has, ready to be changed."""
        wait = "" if plan.longest_wait is None else f"{plan.longest_wait:.0f}"
        time = {name: str(ms) for name, ms in plan.time.items()}
        return cls({"boards": str(plan.boards), "cap": str(plan.cap), "longest_wait": wait, **time})

    def longest_wait(self) -> int:
        """The promise in seconds; 0 when it is left to the league."""
        return self.number("longest_wait") if self.values["longest_wait"] else 0

    def plan(self) -> LadderPlan:
        """The ladder; look at `errors` before it is opened."""
        plan = LadderPlan(
            rules=self.rules(),
            options=self.options(),
            table_size=self.number("table_size"),
            boards=self.number("boards"),
            time=self.time(),
            longest_wait=self.longest_wait() or None,
            cap=self.number("cap"),
        )
        self.check_rules(plan.rules, plan.options, plan.table_size)
        return plan
