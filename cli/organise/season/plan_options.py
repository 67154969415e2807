"""The plan of a season on the command line: its options and its file, as the league's plan says.

Bounds, defaults and help texts are those of `league.seasons.SeasonWords`.
"""

import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.options import parse_options, refuse
from cli.organise.season.group import moment
from league.errors import LeagueRefusal
from league.given import help_of, take
from league.seasons import PLACE, SeasonWords

RULES = help_of(SeasonWords, "rules")
DATES = ("opens", "freezes", "starts", "ends")
"""What dates are called here; to the league they are `opens_at` and so on."""
FILE = (*(word for word in SeasonWords.model_fields if not word.endswith("_at")), *DATES)
"""What a season file may say."""


def option(field: str, *names: str, show_default: bool = True) -> Any:
    """An option for a field of the plan, with the plan's own words and bounds."""
    return typer.Option(*names, help=help_of(SeasonWords, field), show_default=show_default)


FromOption = Annotated[
    Path | None,
    typer.Option("--from", metavar="FILE", help="A season file; options on the command line win."),
]
TableOption = Annotated[int | None, option("table")]
BoardsOption = Annotated[int | None, option("boards")]
MeetingsOption = Annotated[int | None, option("meetings")]
PlacesOption = Annotated[
    list[int] | None,
    typer.Option(
        "--place",
        help=f"A place that matters, {PLACE.span}: go on until it is settled. May be repeated.",
    ),
]
BudgetOption = Annotated[int | None, option("budget")]
DuplicateOption = Annotated[
    bool | None, option("duplicate", "--duplicate/--one-pass", show_default=False)
]
MoveOption = Annotated[int | None, option("move_ms")]
BankOption = Annotated[int | None, option("bank_ms")]
TitleOption = Annotated[str | None, option("title")]
AboutOption = Annotated[str | None, option("about")]
OpensOption = Annotated[str | None, option("opens_at")]
FreezesOption = Annotated[str | None, option("freezes_at")]
StartsOption = Annotated[str | None, option("starts_at")]
EndsOption = Annotated[str | None, option("ends_at")]


def given_in(context: typer.Context) -> dict[str, Any]:
    """What was typed or is in the file, without defaults."""

    def is_typed(name: str) -> bool:
        source = context.get_parameter_source(name)
        return source is not None and source.name == "COMMANDLINE"

    typed = {name: value for name, value in context.params.items() if is_typed(name)}
    if "option" in typed:
        typed["options"] = parse_options(typed.pop("option"))
    path = typed.pop("from_file", None)
    return typed if path is None else {**read_file(path), **typed}


def read_file(path: Path) -> dict[str, Any]:
    """A season file; what a season cannot be is refused with the name of the file."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        refuse(f"{path} cannot be read as TOML: {error}")
    if unknown := [name for name in found if name not in FILE]:
        refuse(f"{path}: got {unknown[0]!r}, expected one of {', '.join(FILE)}")
    try:
        take(SeasonWords, words_of(found))
    except LeagueRefusal as error:
        refuse(f"{path}: {error}")
    return found


def words_of(given: dict[str, Any]) -> dict[str, Any]:
    """The same in the words of the league: its dates are moments, and an empty one is none."""
    words = {name: value for name, value in given.items() if name not in DATES}
    return words | {f"{name}_at": moment(given[name] or None) for name in DATES if name in given}
