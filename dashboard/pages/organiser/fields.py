"""What the forms of the desk share: fields as typed, numbers in bounds, rules with options."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Self

import nimmt
from dashboard.render import rules_title, whole_number
from nimmt import GAMES

GAME_DEFAULTS: dict[str, str] = {
    "rules": "six-nimmt",
    "length": "limit",
    "limit": "66",
    "rounds": "1",
    "advanced": "",
    "opening_picks": "0",
    "next_start": "fewest",
    "table_size": "4",
    "boards": "100",
    "move_ms": "100",
    "bank_ms": "1000",
}
GAME_BOUNDS = {
    "limit": (1, 1000),
    "rounds": (1, 100),
    "opening_picks": (0, 10),
    "table_size": (2, 10),
    "boards": (1, 10_000),
    "move_ms": (0, 60_000),
    "bank_ms": (0, 600_000),
}


def option_fields(options: Mapping[str, object]) -> dict[str, str]:
    """The options of rules as a form holds them.

    >>> option_fields({"rounds": 3, "advanced": True, "opening_picks": 2})
    {'rounds': '3', 'advanced': '1', 'opening_picks': '2', 'length': 'rounds'}
    """
    told = {"length": "rounds"} if "rounds" in options else {}
    return {
        name: ("1" if value else "") if isinstance(value, bool) else str(value)
        for name, value in options.items()
    } | told


@dataclass(slots=True)
class GameForm:
    """What an organiser typed. `errors` says what is wrong, by field; empty text: none."""

    defaults: ClassVar[Mapping[str, str]] = GAME_DEFAULTS
    bounds: ClassVar[Mapping[str, tuple[int, int]]] = GAME_BOUNDS
    lengths: ClassVar[Mapping[str, int]] = {}
    """How long a text may be; 40 characters where nothing else is said."""

    values: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.values = {**self.defaults, **self.values}

    @classmethod
    def read(cls, given: Mapping[str, list[str]]) -> Self:
        """From the fields of a sent form; a box that is not ticked is not sent."""
        values = {name: given.get(name, [""])[0].strip() for name in cls.defaults}
        return cls({name: text[: cls.lengths.get(name, 40)] for name, text in values.items()})

    def number(self, name: str) -> int:
        """A whole number within its bounds; its least when there is an error to show."""
        low, high = self.bounds[name]
        text = self.values[name]
        known = whole_number(text)
        if known is not None and low <= known <= high:
            return known
        self.errors[name] = f"got {text!r}, expected a whole number from {low} to {high}"
        return low

    def time(self) -> dict[str, int]:
        """The time control."""
        return {name: self.number(name) for name in ("move_ms", "bank_ms")}

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

    def rules(self) -> str:
        """The name of the rules; those that nobody can play are an error."""
        if self.values["rules"] in GAMES:
            return self.values["rules"]
        self.errors["rules"] = f"got {self.values['rules']!r}, expected one of {', '.join(GAMES)}"
        return next(iter(GAMES))

    def check_rules(self, name: str, options: Mapping[str, object], table_size: int) -> None:
        """Whether these rules can be played so, by so many."""
        try:
            rules = nimmt.get(name, dict(options))
        except nimmt.RulesError as error:
            self.errors.setdefault("rules", str(error))
            return
        fewest, most = rules.min_players, rules.max_players
        if not fewest <= table_size <= most:
            words = f"{rules_title(name)} is for {fewest} to {most} players, got {table_size}"
            self.errors.setdefault("table_size", words)
