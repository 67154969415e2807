"""The form of a season: what was typed or is so already, and what is wrong with it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

from api_models.words import whole_number
from dashboard.pages.organiser.fields import (
    GAME_DEFAULTS,
    OPTION_BOUNDS,
    GameForm,
    option_fields,
)
from league.given import Bound
from league.seasons import (
    BOTS,
    DATES,
    PLACE,
    USUAL,
    ForecastQuestion,
    SeasonPlan,
    SeasonWords,
    read_date,
)

DEFAULTS: dict[str, str] = {
    **GAME_DEFAULTS,
    "name": "",
    "title": "",
    "about": "",
    "duplicate": "usual",
    "ends": "meetings",
    "meetings": str(USUAL.meetings),
    "places": "1, 3",
    "budget": "200",
    "bots": "8",
    **dict.fromkeys(DATES, ""),
}
BOUNDS: dict[str, Bound] = {**OPTION_BOUNDS, "bots": BOTS}
DUPLICATE: dict[str, bool | None] = {"usual": None, "duplicate": True, "one-pass": False}


def field_of(at: datetime) -> str:
    """A date as browsers fill it into a field, in UTC."""
    return at.strftime("%Y-%m-%dT%H:%M:%S" if at.second else "%Y-%m-%dT%H:%M")


@dataclass(slots=True)
class SeasonForm(GameForm):
    """What an organiser typed for a season."""

    defaults = DEFAULTS
    model = SeasonWords
    bounds = BOUNDS

    @classmethod
    def of(cls, plan: SeasonPlan, bots: int = 0) -> Self:
        """What a season is, ready to be changed; `bots` are entered already."""
        dates = {name: getattr(plan, name) for name in DATES}
        form = {made: name for name, made in DUPLICATE.items()}[plan.duplicate]
        adaptive = {"places": ", ".join(map(str, plan.places)), "budget": str(plan.budget)}
        return cls(
            {
                **{word: getattr(plan, word) for word in ("name", "title", "about", "rules")},
                **option_fields(plan.options),
                "table_size": str(plan.table),
                "boards": str(plan.boards),
                "duplicate": form,
                "meetings": str(plan.meetings),
                **({"ends": "places", **adaptive} if plan.places else {}),
                **{name: str(ms) for name, ms in plan.time.items()},
                **{name: "" if at is None else field_of(at) for name, at in dates.items()},
                **({"bots": str(bots)} if bots > 1 else {}),
            }
        )

    @classmethod
    def like(cls, plan: SeasonPlan) -> Self:
        """A new season with the terms of another; name, title and dates are its own."""
        form = cls.of(plan)
        form.values |= dict.fromkeys(("name", "title", *DATES), "")
        return form

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

    def question(self) -> ForecastQuestion:
        """What the planner is asked."""
        asked = ForecastQuestion(
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

    def words(self) -> dict[str, object]:
        """What a season says of itself and its dates, in the words of the league."""
        said: dict[str, object] = {word: self.text(word) for word in ("title", "about")}
        return said | {name: self.date(name) for name in DATES}

    def given(self) -> dict[str, object]:
        """All of a season in the words of the league; look at `errors` before it is made."""
        asked = self.question()
        adaptive = self.values["ends"] == "places"
        if not self.values["name"]:
            self.errors["name"] = "a season needs a name; it becomes part of its address"
        else:
            self.text("name")
        return {
            **self.words(),
            "name": self.values["name"],
            "rules": asked.rules,
            "options": asked.options or {},
            "table": asked.table_size,
            "boards": asked.boards,
            "duplicate": asked.duplicate,
            "meetings": asked.meetings,
            "places": self._places() if adaptive else (),
            "budget": self.number("budget") if adaptive else None,
            **self.time(),
        }

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
        # A place of 0 is as wrong as a word.
        numbers = [whole_number(word) or 0 for word in words]
        if numbers and all(PLACE.low <= number <= PLACE.high for number in numbers):
            return tuple(numbers)
        self.refuse("places", f"places such as 1, 3, each {PLACE.expected}")
        return ()
