"""What is said about a wrong value: what was given, what is expected, and where to read more."""

from typing import Any

import typer

WHOLE, NUMBER = "a whole number", "a number"


def explain(error: Exception, context: Any) -> None:
    """Put an error of the command line into words; the option or argument is named beside them."""
    if getattr(error, "ctx", context) is None:
        # Without it nothing says how the command is used.
        error.ctx = context  # type: ignore[attr-defined]
    if not isinstance(error, typer.BadParameter) or error.param is None:
        return
    cause = error.__cause__
    if cause is None:
        described = getattr(error.param, "help", None)
        if described and not error.message:
            error.message = f"Expected: {described}"
        return
    found: list[Any] = getattr(cause, "errors", list)()
    if found:
        error.message = f"got {found[0]['input']!r}, expected {expected(error.param)}"


def expected(param: Any) -> str:
    """What a value of this option or argument has to be: `a whole number from 2 to 10`."""
    kind = param.type_descriptor
    if kind.is_choice:
        return "one of " + ", ".join(str(getattr(one, "value", one)) for one in kind.choices)
    word = {"int": WHOLE, "float": NUMBER}.get(kind_of(param), kind_of(param))
    low, high = getattr(param, "min", None), getattr(param, "max", None)
    if low is not None and high is not None:
        return f"{word} from {plain(low)} to {plain(high)}"
    if low is not None:
        return f"{word}, {plain(low)} or more"
    return word if high is None else f"{word}, {plain(high)} or less"


def plain(number: float) -> str:
    """A bound as people write it: 10000000, not 1e+07."""
    return str(int(number)) if number == int(number) else f"{number:g}"


def kind_of(param: Any) -> str:
    """The name of the type of one value."""
    return str(param.bare_type()).removeprefix("list[").removesuffix("]")
