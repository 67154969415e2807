"""Rules, options and seeds as they are typed on the command line; shared by the commands."""

from collections.abc import Sequence
from typing import Annotated, Any, NoReturn

import typer

import nimmt
from cli.terminal import say

RulesArgument = Annotated[
    str, typer.Argument(help=f"The rules: {', '.join(nimmt.GAMES)}.", show_default=False)
]
OptionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="NAME=VALUE",
        help="An option of the rules, such as limit=66, rounds=1, advanced=true. May be repeated.",
    ),
]


def refuse(message: str) -> NoReturn:
    """End the command with a message that says what to do; exit code 2, as for wrong usage."""
    say(f"bullring: {message}", err=True, fg="red")
    raise typer.Exit(2)


def was_typed(context: typer.Context, name: str) -> bool:
    """Whether a parameter stands on the command line, and is no default and no setting."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def parse_options(given: Sequence[str] | None) -> dict[str, Any]:
    """`["limit=66", "advanced=true"]` as a dictionary."""
    options: dict[str, Any] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not name:
            refuse(f"got --option {text!r}, expected NAME=VALUE, such as --option limit=66")
        if name in options:
            refuse(f"got --option {name} twice, expected it once; leave one out")
        options[name] = _value(value)
    return options


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        return text


def get_rules(name: str, given: Sequence[str] | None, players: int | None = None) -> nimmt.Rules:
    """The rules as typed, checked together with the number of players."""
    try:
        rules = nimmt.get(name, parse_options(given))
        if players is not None:
            rules.check_players(players)
    except nimmt.RulesError as error:
        refuse(str(error))
    return rules
