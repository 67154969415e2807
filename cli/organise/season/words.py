"""What a season is made of on the command line: its options, its file, and the words of both."""

import tomllib
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer

import nimmt
from cli.options import parse_options, refuse
from cli.organise.season.steps import moment

KINDS: dict[str, tuple[type, ...]] = {
    "name": (str,), "rules": (str,), "title": (str,), "about": (str,), "table": (int,),
    "boards": (int,), "meetings": (int,), "places": (list,), "budget": (int,), "duplicate": (bool,),
    "move_ms": (int,), "bank_ms": (int,), "options": (dict,), "opens": (str, date),
    "freezes": (str, date), "starts": (str, date), "ends": (str, date),
}  # fmt: skip
"""What a season file may say, and what kind of value."""
RULES = f"The rules: {', '.join(nimmt.GAMES)}."
DATES = ("opens", "freezes", "starts", "ends")

FromOption = Annotated[
    Path | None,
    typer.Option("--from", metavar="FILE", help="A season file; options given here win."),
]
TableOption = Annotated[int | None, typer.Option(help="Seats at a table.")]
BoardsOption = Annotated[int | None, typer.Option(help="Boards in a match.")]
MeetingsOption = Annotated[int | None, typer.Option(help="How often every two bots meet, about.")]
PlacesOption = Annotated[
    list[int] | None,
    typer.Option(
        "--place", help="A place that matters: go on until it is settled. May be repeated."
    ),
]
BudgetOption = Annotated[int | None, typer.Option(help="With --place: matches to play at most.")]
DuplicateOption = Annotated[
    bool | None,
    typer.Option(
        "--duplicate/--one-pass",
        help="Every board with every seating; by default for tables of 2 and 3.",
        show_default=False,
    ),
]
MoveOption = Annotated[int | None, typer.Option(help="Free time of a decision.")]
BankOption = Annotated[int | None, typer.Option(help="Spare time of a pass.")]
TitleOption = Annotated[str | None, typer.Option(help="What pages call it.")]
AboutOption = Annotated[str | None, typer.Option(help="What the season's page says of it.")]
OpensOption = Annotated[str | None, typer.Option(help="When entries open, UTC.")]
FreezesOption = Annotated[str | None, typer.Option(help="When entries freeze, UTC.")]
StartsOption = Annotated[str | None, typer.Option(help="When play begins, UTC.")]
EndsOption = Annotated[str | None, typer.Option(help="When it ends at the latest, UTC.")]


def given_in(context: typer.Context) -> dict[str, Any]:
    """What was typed or stands in the file, without what is there by default."""

    def is_typed(name: str) -> bool:
        source = context.get_parameter_source(name)
        return source is not None and source.name == "COMMANDLINE"

    typed = {name: value for name, value in context.params.items() if is_typed(name)}
    if "option" in typed:
        typed["options"] = parse_options(typed.pop("option"))
    path = typed.pop("from_file", None)
    return typed if path is None else {**read_file(path), **typed}


def read_file(path: Path) -> dict[str, Any]:
    """A season file, every name and kind of value checked."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        refuse(f"{path} cannot be read as TOML: {error}")
    for name, value in found.items():
        if name not in KINDS:
            refuse(f"{path} says {name!r}; a season file knows {', '.join(KINDS)}")
        # A bool is an int to Python, and never what is meant by a number here.
        if not isinstance(value, KINDS[name]) or (isinstance(value, bool) and name != "duplicate"):
            expected = " or ".join(kind.__name__ for kind in KINDS[name])
            refuse(f"{path}: got {name} = {value!r}, expected {expected}")
    return found


def words_of(given: dict[str, Any]) -> dict[str, Any]:
    """The same in the words of the league: its dates are moments, and an empty one is none."""
    words = {name: value for name, value in given.items() if name not in DATES}
    return words | {f"{name}_at": moment(given[name] or None) for name in DATES if name in given}
