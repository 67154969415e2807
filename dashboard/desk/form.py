"""The form of a new season: what was typed, what is wrong with it, and the plan it makes."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from dashboard.desk.fields import GAME_BOUNDS, GAME_DEFAULTS, GameForm
from league.drafts import SeasonPlan
from league.fleet import Question
from league.seasons import DATES, read_date

DEFAULTS: dict[str, str] = {
    **GAME_DEFAULTS,
    "name": "",
    "title": "",
    "about": "",
    "duplicate": "usual",
    "ends": "meetings",
    "meetings": "1",
    "places": "1, 3",
    "budget": "200",
    "bots": "8",
    **dict.fromkeys(DATES, ""),
}
BOUNDS = {**GAME_BOUNDS, "meetings": (1, 1000), "budget": (1, 1_000_000), "bots": (2, 1000)}
DUPLICATE: dict[str, bool | None] = {"usual": None, "duplicate": True, "one-pass": False}


@dataclass(slots=True)
class SeasonForm(GameForm):
    """What an organiser typed for a season."""

    defaults = DEFAULTS
    bounds = BOUNDS
    lengths: ClassVar = {"name": 40, "title": 100, "about": 2000, "places": 60}

    def date(self, name: str) -> datetime | None:
        """A date in UTC, or none."""
        text = self.values[name]
        if not text:
            return None
        try:
            return read_date(text)
        except ValueError as error:
            self.errors[name] = str(error)
            return None

    def question(self) -> Question:
        """What the planner is asked."""
        asked = Question(
            rules=self.rules(),
            options=self.options(),
            bots=self.number("bots"),
            table_size=self.number("table_size"),
            boards=self.number("boards"),
            duplicate=self._duplicate(),
            meetings=self.number("meetings"),
        )
        self.check_rules(asked.rules, asked.options or {}, asked.table_size)
        return asked

    def plan(self) -> SeasonPlan:
        """The season; look at `errors` before it is made."""
        asked = self.question()
        adaptive = self.values["ends"] == "places"
        if not self.values["name"]:
            self.errors["name"] = "a season needs a name; it becomes part of its address"
        return SeasonPlan(
            name=self.values["name"],
            rules=asked.rules,
            options=asked.options or {},
            title=self.values["title"],
            about=self.values["about"],
            table_size=asked.table_size,
            boards=asked.boards,
            duplicate=asked.duplicate,
            meetings=asked.meetings,
            places=self._places() if adaptive else (),
            most_matches=self.number("budget") if adaptive else None,
            time=self.time(),
            opens_at=self.date("opens_at"),
            freezes_at=self.date("freezes_at"),
            starts_at=self.date("starts_at"),
            ends_at=self.date("ends_at"),
        )

    def blame(self, words: str) -> None:
        """Mark the field that a refusal of the league speaks of."""
        if "name" in words and repr(self.values["name"]) in words:
            self.errors["name"] = words

    def _duplicate(self) -> bool | None:
        if self.values["duplicate"] not in DUPLICATE:
            self.errors["duplicate"] = f"expected one of {', '.join(DUPLICATE)}"
        return DUPLICATE.get(self.values["duplicate"])

    def _places(self) -> tuple[int, ...]:
        words = self.values["places"].replace(",", " ").split()
        if words and all(word.isascii() and word.isdigit() and int(word) > 0 for word in words):
            return tuple(int(word) for word in words)
        self.errors["places"] = f"got {self.values['places']!r}, expected places such as 1, 3"
        return ()
