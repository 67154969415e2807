"""The form of a new season: what was typed, what is wrong with it, and the plan it makes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import nimmt
from league.fleet import Question
from league.seasons import DATES, SeasonPlan, read_date
from nimmt import GAMES

DEFAULTS: dict[str, str] = {
    "name": "",
    "title": "",
    "about": "",
    "rules": "six-nimmt",
    "length": "limit",
    "limit": "66",
    "rounds": "1",
    "advanced": "",
    "opening_picks": "0",
    "next_start": "fewest",
    "table_size": "4",
    "boards": "100",
    "duplicate": "usual",
    "ends": "meetings",
    "meetings": "1",
    "places": "1, 3",
    "budget": "200",
    "move_ms": "100",
    "bank_ms": "1000",
    "bots": "8",
    **dict.fromkeys(DATES, ""),
}
BOUNDS = {
    "limit": (1, 1000),
    "rounds": (1, 100),
    "opening_picks": (0, 10),
    "table_size": (2, 10),
    "boards": (1, 10_000),
    "meetings": (1, 1000),
    "budget": (1, 1_000_000),
    "move_ms": (0, 60_000),
    "bank_ms": (0, 600_000),
    "bots": (2, 1000),
}
DUPLICATE: dict[str, bool | None] = {"usual": None, "duplicate": True, "one-pass": False}
ANY_TEXT = {"name": 40, "title": 100, "about": 2000, "places": 60}


@dataclass(slots=True)
class SeasonForm:
    """What an organiser typed. `errors` says what is wrong, by field; empty text: none."""

    values: dict[str, str] = field(default_factory=lambda: dict(DEFAULTS))
    errors: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, given: Mapping[str, list[str]]) -> "SeasonForm":
        """From the fields of a sent form; a box that is not ticked is not sent."""
        values = {name: given.get(name, [""])[0].strip() for name in DEFAULTS}
        return cls({name: text[: ANY_TEXT.get(name, 40)] for name, text in values.items()})

    def number(self, name: str) -> int:
        """A whole number within its bounds; its least when there is an error to show."""
        low, high = BOUNDS[name]
        text = self.values[name]
        if text.isascii() and text.isdigit() and len(text) < 10 and low <= int(text) <= high:
            return int(text)
        self.errors[name] = f"got {text!r}, expected a whole number from {low} to {high}"
        return low

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

    def options(self) -> dict[str, object]:
        """The options of the chosen rules; fields of other rules are not looked at."""
        rules = self.values["rules"]
        if rules == "eleven-nimmt":
            return {"next_start": self.values["next_start"]}
        if rules != "six-nimmt":
            return {}
        length = "rounds" if self.values["length"] == "rounds" else "limit"
        chosen: dict[str, object] = {length: self.number(length)}
        if self.values["advanced"]:
            chosen |= {"advanced": True, "opening_picks": self.number("opening_picks")}
        return chosen

    def question(self) -> Question:
        """What the planner is asked."""
        asked = Question(
            rules=self._rules(),
            options=self.options(),
            bots=self.number("bots"),
            table_size=self.number("table_size"),
            boards=self.number("boards"),
            duplicate=self._duplicate(),
            meetings=self.number("meetings"),
        )
        self._check_rules(asked)
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
            time={"move_ms": self.number("move_ms"), "bank_ms": self.number("bank_ms")},
            opens_at=self.date("opens_at"),
            freezes_at=self.date("freezes_at"),
            starts_at=self.date("starts_at"),
            ends_at=self.date("ends_at"),
        )

    def _rules(self) -> str:
        if self.values["rules"] in GAMES:
            return self.values["rules"]
        self.errors["rules"] = f"got {self.values['rules']!r}, expected one of {', '.join(GAMES)}"
        return next(iter(GAMES))

    def _check_rules(self, asked: Question) -> None:
        try:
            rules = nimmt.get(asked.rules, dict(asked.options or {}))
        except nimmt.RulesError as error:
            self.errors.setdefault("rules", str(error))
            return
        try:
            rules.check_players(asked.table_size)
        except nimmt.RulesError as error:
            self.errors.setdefault("table_size", str(error))

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
