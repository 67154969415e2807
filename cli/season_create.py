"""`bullring season create`: by options, from a small file, or by questions."""

import sys
import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import nimmt
from cli.rules import OptionOption, parse_options, refuse
from cli.season import ACTOR, change, moment, season

if TYPE_CHECKING:
    from league.drafts import SeasonPlan

DEFAULTS: dict[str, Any] = {
    "title": "",
    "about": "",
    "table": 4,
    "boards": 100,
    "meetings": 1,
    "places": [],
    "budget": None,
    "duplicate": None,
    "move_ms": 100,
    "bank_ms": 1000,
    "options": {},
    "opens": None,
    "freezes": None,
    "starts": None,
    "ends": None,
}
"""What a season file may say beside `name` and `rules`, and what holds where it does not."""
KINDS: dict[str, tuple[type, ...]] = {
    "name": (str,), "rules": (str,), "title": (str,), "about": (str,), "table": (int,),
    "boards": (int,), "meetings": (int,), "places": (list,), "budget": (int,), "duplicate": (bool,),
    "move_ms": (int,), "bank_ms": (int,), "options": (dict,), "opens": (str, date),
    "freezes": (str, date), "starts": (str, date), "ends": (str, date),
}  # fmt: skip


@season.command()
def create(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(metavar="SEASON", help="Its name.")] = None,
    rules: Annotated[
        str | None, typer.Argument(help=f"The rules: {', '.join(nimmt.GAMES)}.")
    ] = None,
    from_file: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="A season file; options given here win."),
    ] = None,
    table: Annotated[int, typer.Option(help="Seats at a table.")] = 4,
    boards: Annotated[int, typer.Option(help="Boards in a match.")] = 100,
    meetings: Annotated[int, typer.Option(help="How often every two bots meet, about.")] = 1,
    places: Annotated[
        list[int] | None,
        typer.Option(
            "--place", help="A place that matters: go on until it is settled. May be repeated."
        ),
    ] = None,
    budget: Annotated[
        int | None, typer.Option(help="With --place: matches to play at most.")
    ] = None,
    duplicate: Annotated[
        bool | None,
        typer.Option(
            "--duplicate/--one-pass",
            help="Every board with every seating; by default for tables of 2 and 3.",
            show_default=False,
        ),
    ] = None,
    move_ms: Annotated[int, typer.Option(help="Free time of a decision.")] = 100,
    bank_ms: Annotated[int, typer.Option(help="Spare time of a pass.")] = 1000,
    option: OptionOption = None,
    title: Annotated[str, typer.Option(help="What pages call it.")] = "",
    about: Annotated[str, typer.Option(help="What the season's page says of it.")] = "",
    opens: Annotated[str | None, typer.Option(help="When entries open, UTC.")] = None,
    freezes: Annotated[str | None, typer.Option(help="When entries freeze, UTC.")] = None,
    starts: Annotated[str | None, typer.Option(help="When play begins, UTC.")] = None,
    ends: Annotated[str | None, typer.Option(help="When it ends at the latest, UTC.")] = None,
) -> None:
    """Make a new season. Nothing is played before it is opened, frozen and started.

    By options: bullring season create spring six-nimmt --table 4. From a file: bullring season
    create --from spring.toml. With nothing at all, in a terminal, it asks.
    """
    from league import drafts

    given = _given(context)
    if option:
        given["options"] = parse_options(given.pop("option"))
    if from_file is not None:
        given = {**read_file(from_file), **given}
    elif not given and is_asked_by_a_person():
        from cli.season_questions import ask

        given = ask()
    plan = plan_of(given)
    made = change(lambda session: drafts.create(session, plan, ACTOR))
    typer.echo(
        f"Season {made.name} is a draft: {made.rules}, tables of {made.table_size}, "
        f"{made.boards} boards a match. Next: bullring season open {made.name}"
    )


def _given(context: typer.Context) -> dict[str, Any]:
    """What was typed, without what is there by default."""

    def is_typed(name: str) -> bool:
        source = context.get_parameter_source(name)
        return source is not None and source.name == "COMMANDLINE"

    return {
        name: value
        for name, value in context.params.items()
        if name != "from_file" and is_typed(name)
    }


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


def plan_of(given: Mapping[str, Any]) -> "SeasonPlan":
    """The plan behind what was given; what is missing ends the command."""
    from league import drafts

    for name in ("name", "rules"):
        if name not in given:
            refuse(
                f"a season needs its {name}: bullring season create SEASON RULES,"
                " or --from FILE; rules are " + ", ".join(nimmt.GAMES)
            )
    all_of_it = {**DEFAULTS, **given}
    return drafts.SeasonPlan(
        name=all_of_it["name"],
        rules=all_of_it["rules"],
        options=all_of_it["options"],
        title=all_of_it["title"],
        about=all_of_it["about"],
        table_size=all_of_it["table"],
        boards=all_of_it["boards"],
        meetings=all_of_it["meetings"],
        places=tuple(all_of_it["places"]),
        most_matches=all_of_it["budget"],
        duplicate=all_of_it["duplicate"],
        time={"move_ms": all_of_it["move_ms"], "bank_ms": all_of_it["bank_ms"]},
        opens_at=moment(all_of_it["opens"]),
        freezes_at=moment(all_of_it["freezes"]),
        starts_at=moment(all_of_it["starts"]),
        ends_at=moment(all_of_it["ends"]),
    )


def is_asked_by_a_person() -> bool:
    """Whether somebody is there to answer."""
    return sys.stdin.isatty()


def register(app: typer.Typer) -> None:
    """Nothing to add: the command hangs on `bullring season` already."""
