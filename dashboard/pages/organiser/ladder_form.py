"""The form of a ladder: what was typed, what is wrong with it, and the plan it makes."""

from dataclasses import dataclass
from typing import Self

from dashboard.pages.organiser.fields import GAME_DEFAULTS, GameForm
from league.given import Decimal
from league.ladder import LadderPlan, LadderWords

USUAL = LadderWords()
DEFAULTS = {**GAME_DEFAULTS, "title": "", "longest_wait": "", "cap": str(USUAL.cap)}


@dataclass(slots=True)
class LadderForm(GameForm):
    """What an organiser typed for a ladder."""

    defaults = DEFAULTS
    model = LadderWords

    @classmethod
    def of(cls, plan: LadderPlan) -> Self:
        """The settings that a ladder has, ready to be changed."""
        wait = "" if plan.longest_wait is None else f"{plan.longest_wait:.12g}"
        time = {"move_ms": str(plan.move_ms), "bank_ms": str(plan.bank_ms)}
        own = {"title": plan.title, "boards": str(plan.boards), "cap": str(plan.cap)}
        return cls({**own, "longest_wait": wait, **time})

    def longest_wait(self) -> float:
        """The promise in seconds; 0 when it is left to the league."""
        text, bound = self.values["longest_wait"], self.bound("longest_wait")
        if not text:
            return 0
        assert isinstance(bound, Decimal)
        digits = text.replace(".", "", 1)
        known = float(text) if digits.isascii() and digits.isdigit() else -1.0
        if 0 < known <= bound.high:
            return known
        self.refuse("longest_wait", bound.expected)
        return 0

    def words(self) -> dict[str, object]:
        """The ladder in the words of the league; look at `errors` before it is opened."""
        rules, options, table = self.rules(), self.options(), self.number("table_size")
        self.check_rules(rules, options, table)
        return {
            "title": self.text("title"),
            "rules": rules,
            "options": options,
            "table": table,
            "boards": self.number("boards"),
            "longest_wait": self.longest_wait() or None,
            "cap": self.number("cap"),
            **self.time(),
        }
