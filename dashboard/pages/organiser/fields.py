"""What the forms of organisers share: fields as typed, numbers in bounds, rules with options.

Defaults and bounds are those of the league's plans; a form adds only how they are typed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Self

import nimmt
from api_models.words import whole_number
from dashboard.render import rules_title
from league.given import SHOWN, Bound, Text, Whole, bound_of
from league.plans import GameWords
from nimmt import GAMES
from nimmt.errors import shorten
from nimmt.six import HAND_SIZE, MAX_LIMIT, MAX_ROUNDS

USUAL = GameWords()
SHORT = 40
"""Characters of a field that has no bound of its own."""
LONGEST = 4000
"""What is kept of a text, so that a page that shows it again stays small."""

WORDS = {"table_size": "table"}
"""Fields whose word in a plan is another."""
GAME_DEFAULTS: dict[str, str] = {
    "rules": "six-nimmt",
    "length": "limit",
    "limit": "66",
    "rounds": "1",
    "advanced": "",
    "opening_picks": "0",
    "next_start": "fewest",
    "table_size": str(USUAL.table),
    "boards": str(USUAL.boards),
    "move_ms": str(USUAL.move_ms),
    "bank_ms": str(USUAL.bank_ms),
}
OPTION_BOUNDS = {
    "limit": Whole(1, MAX_LIMIT),
    "rounds": Whole(1, MAX_ROUNDS),
    "opening_picks": Whole(0, HAND_SIZE),
}
"""Those of the rules themselves, so that a wrong one is marked beside its field."""


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
    model: ClassVar[type[GameWords]] = GameWords
    """The plan that the form makes: its bounds are those of the form."""
    bounds: ClassVar[Mapping[str, Bound]] = OPTION_BOUNDS
    """Bounds of fields that are no words of the plan."""

    values: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.values = {**self.defaults, **self.values}

    @classmethod
    def read(cls, given: Mapping[str, list[str]]) -> Self:
        """From the fields of a sent form; a box that is not ticked is not sent."""
        values = {name: given.get(name, [""])[0].strip() for name in cls.defaults}
        # Browsers count the end of a line as one character, and send two.
        return cls({name: text.replace("\r\n", "\n")[:LONGEST] for name, text in values.items()})

    def bound(self, name: str) -> Bound | None:
        """What the plan takes in this field."""
        if name in self.bounds:
            return self.bounds[name]
        word = WORDS.get(name, name)
        return bound_of(self.model, word) if word in self.model.model_fields else None

    def most(self, name: str) -> int:
        """How long the text in this field may be."""
        bound = self.bound(name)
        return bound.most if isinstance(bound, Text) else SHORT

    def number(self, name: str) -> int:
        """A whole number within its bounds; its least when there is an error to show."""
        bound = self.bound(name)
        assert isinstance(bound, Whole), f"{name} is no number"
        known = whole_number(self.values[name])
        if known is not None and bound.low <= known <= bound.high:
            return known
        self.refuse(name, bound.expected)
        return bound.low

    def text(self, name: str) -> str:
        """A text that is not too long."""
        typed, bound = self.values[name], self.bound(name)
        if isinstance(bound, Text) and not bound.least <= len(typed) <= bound.most:
            self.refuse(name, bound.expected)
        return typed

    def refuse(self, name: str, expected: str) -> None:
        """Mark a field with what was typed and what was expected."""
        self.errors[name] = f"got {shorten(self.values[name], SHOWN)}, expected {expected}"

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
        """Mark what these rules cannot be played with, or by how many."""
        try:
            rules = nimmt.get(name, dict(options))
        except nimmt.RulesError as error:
            self.errors.setdefault("rules", str(error))
            return
        fewest, most = rules.min_players, rules.max_players
        if not fewest <= table_size <= most:
            words = f"{rules_title(name)} is for {fewest} to {most} players, got {table_size}"
            self.errors.setdefault("table_size", words)
