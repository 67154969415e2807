"""What comes from outside, as types: exact, bounded, refused with what was given and expected.

Every bound is in one place, and form, API, command line and season file refuse a value with the
same sentence. Light: the command line reads its help texts here, so no database is imported.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Self, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    GetCoreSchemaHandler,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from api_models.base import Given
from league.errors import Malformed
from nimmt.errors import shorten

SHOWN = 60
"""How much of a wrong value a refusal repeats."""
LIST = 'a JSON list such as ["one", "two"]'


class Refusing(Given):
    """The same for the league itself: what does not fit is `Malformed`, which names it."""

    @model_validator(mode="wrap")
    @classmethod
    def _refuse(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return handler(value)
        except ValidationError as error:
            raise Malformed(refusal_words(error, cls)) from None


GivenModel = TypeVar("GivenModel", bound=Given)


def take(model: type[GivenModel], given: Mapping[str, Any]) -> GivenModel:
    """The words of a caller, checked; Malformed names the field, the value and the bound."""
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        raise Malformed(refusal_words(error, model)) from None


def refusal_words(error: ValidationError, model: type[BaseModel]) -> str:
    """What does not fit, field by field."""
    return "; ".join(
        f"{'.'.join(map(str, one['loc'])) or 'it'}: {_complaint(one, model)}"
        for one in error.errors(include_url=False)
    )


def _complaint(one: Mapping[str, Any], model: type[BaseModel]) -> str:
    message = str(one["msg"])
    if message.startswith("got "):
        return message
    if one["type"] == "extra_forbidden":
        return f"there is no such field, expected one of {', '.join(model.model_fields)}"
    if one["type"] == "missing":
        return "is missing"
    return f"got {shorten(one['input'], SHOWN)}; {message[:1].lower()}{message[1:]}"


def refused_settings(error: ValidationError) -> str:
    """The same for settings from the environment, by the names that an operator typed."""
    return "; ".join(_refused_setting(one) for one in error.errors(include_url=False))


def _refused_setting(one: Mapping[str, Any]) -> str:
    name = f"BULLRING_{str(one['loc'][0]).upper()}" if one["loc"] else "the settings"
    # A password is never repeated: this ends in logs.
    got = "a value" if "PASSWORD" in name or name.endswith("_URL") else shorten(one["input"], SHOWN)
    message = str(one["msg"]).removeprefix("Value error, ").removeprefix("Input should be ")
    # In a list, the place of what does not fit; and people count from 1.
    if len(one["loc"]) > 1:
        message = f"{LIST}, where entry {int(one['loc'][1]) + 1} is {message}"
    elif one["type"] == "tuple_type":
        message = LIST
    elif one["type"] == "string_pattern_mismatch":
        message = f"text of the form {one['ctx']['pattern']}"
    return f"{name}: got {got}, expected {message}; change it, or unset it for the default"


def unreadable_setting(message: str) -> str:
    """The same for a list that is no JSON; pydantic names its field in quotes."""
    _, quote, rest = message.partition('"')
    name = f"BULLRING_{rest.partition(quote)[0].upper()}" if quote else "the settings"
    got = shorten(os.environ.get(name, ""), SHOWN)
    return f"{name}: got {got}, expected {LIST}; change it, or unset it for the default"


@dataclass(frozen=True, slots=True)
class Bound:
    """Marks a field as bounded; what lies outside is refused by what `expected` says."""

    @property
    def expected(self) -> str:
        """What fits, for a refusal."""
        raise NotImplementedError

    @property
    def span(self) -> str:
        """The same in short, for a help text; empty where it goes without saying."""
        return ""

    def limits(self) -> dict[str, Any]:
        """The same as pydantic says it, for the types of the API."""
        raise NotImplementedError

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        inner: Any = {**handler(source), **self.limits()}
        return core_schema.no_info_wrap_validator_function(self._fit, inner)

    def _fit(self, value: object, inner: Callable[[object], object]) -> object:
        try:
            return inner(value)
        except ValidationError:
            got = {"got": shorten(value, SHOWN), "expected": self.expected}
            raise PydanticCustomError(
                "out_of_bounds", "got {got}, expected {expected}", got
            ) from None


@dataclass(frozen=True, slots=True)
class Whole(Bound):
    """A whole number within its bounds.

    >>> Whole(1, 10_000).expected
    'a whole number from 1 to 10000'
    """

    low: int
    high: int

    @property
    def expected(self) -> str:
        """What fits, for a refusal."""
        return f"a whole number from {self.low} to {self.high}"

    @property
    def span(self) -> str:
        """The same in short, for a help text."""
        return f"{self.low} to {self.high}"

    def limits(self) -> dict[str, Any]:
        """The same as pydantic says it."""
        return {"ge": self.low, "le": self.high}

    def check(self, what: str, number: int) -> None:
        """Malformed for a number outside the bounds."""
        if not self.low <= number <= self.high:
            raise Malformed(f"{what}: got {shorten(number, SHOWN)}, expected {self.expected}")


@dataclass(frozen=True, slots=True)
class Decimal(Bound):
    """A number from 0 to a bound; 0 itself only where it is `from_zero`."""

    high: float
    from_zero: bool = False

    @property
    def expected(self) -> str:
        """What fits, for a refusal."""
        return f"a number {'from' if self.from_zero else 'above'} 0 and up to {self.high:.0f}"

    @property
    def span(self) -> str:
        """The same in short, for a help text."""
        return f"up to {self.high:.0f}"

    def limits(self) -> dict[str, Any]:
        """The same as pydantic says it."""
        least = "ge" if self.from_zero else "gt"
        return {least: 0.0, "le": self.high, "allow_inf_nan": False}


@dataclass(frozen=True, slots=True)
class Text(Bound):
    """Text that is not too long, nor too short."""

    most: int
    least: int = 0

    @property
    def expected(self) -> str:
        """What fits, for a refusal."""
        least = f"{self.least} to " if self.least else "at most "
        return f"text of {least}{self.most} characters"

    def limits(self) -> dict[str, Any]:
        """The same as pydantic says it."""
        return {"max_length": self.most} | ({"min_length": self.least} if self.least else {})


def bound_of(model: type[BaseModel], field: str) -> Bound | None:
    """The bound of a field, also of one that may be None."""
    info = model.model_fields[field]
    inside = [mark for part in get_args(info.annotation) for mark in get_args(part)[1:]]
    return next((mark for mark in (*info.metadata, *inside) if isinstance(mark, Bound)), None)


def whole_bound(model: type[BaseModel], field: str) -> Whole:
    """The bound of a field that is a whole number."""
    found = bound_of(model, field)
    assert isinstance(found, Whole), f"{model.__name__}.{field} has no bounds"
    return found


def help_of(model: type[BaseModel], field: str) -> str:
    """What a field is, with its bounds, as the help of the command line says it."""
    words = model.model_fields[field].description or ""
    bound = bound_of(model, field)
    return f"{words.rstrip('.')}, {bound.span}." if bound is not None and bound.span else words


def to_utc(moment: datetime) -> datetime:
    """A moment in UTC; without a zone it is UTC already."""
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("this date is outside the calendar") from None


# JSON has no dates, so that strictness would refuse every one of them.
Moment = Annotated[datetime, Field(strict=False), AfterValidator(to_utc)]
