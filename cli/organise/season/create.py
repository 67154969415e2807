"""`bullring season create`: by options, from a small file, or by questions."""

import sys
from typing import Annotated

import typer

import nimmt
from cli.on_store import ACTOR, change
from cli.options import OptionOption, refuse
from cli.organise.season import words
from cli.organise.season.steps import season
from league import seasons


@season.command()
def create(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(metavar="SEASON", help="Its name.")] = None,
    rules: Annotated[str | None, typer.Argument(help=words.RULES)] = None,
    from_file: words.FromOption = None,
    table: words.TableOption = 4,
    boards: words.BoardsOption = 100,
    meetings: words.MeetingsOption = 1,
    places: words.PlacesOption = None,
    budget: words.BudgetOption = None,
    duplicate: words.DuplicateOption = None,
    move_ms: words.MoveOption = 100,
    bank_ms: words.BankOption = 1000,
    option: OptionOption = None,
    title: words.TitleOption = None,
    about: words.AboutOption = None,
    opens: words.OpensOption = None,
    freezes: words.FreezesOption = None,
    starts: words.StartsOption = None,
    ends: words.EndsOption = None,
) -> None:
    """Make a new season. Nothing is played before it is opened, frozen and started.

    By options: bullring season create spring six-nimmt --table 4. From a file: bullring season
    create --from spring.toml. With nothing at all, in a terminal, it asks.
    """
    from cli.organise.season import words

    given = words.given_in(context)
    if not given and from_file is None and is_asked_by_a_person():
        from cli.organise.season.questions import ask

        given = ask()
    for word in ("name", "rules"):
        if word not in given:
            refuse(
                f"a season needs its {word}: bullring season create SEASON RULES,"
                " or --from FILE; rules are " + ", ".join(nimmt.GAMES)
            )
    plan = seasons.plan_from(words.words_of(given))
    made = change(lambda session: seasons.create(session, plan, ACTOR))
    typer.echo(
        f"Season {made.name} is a draft: {made.rules}, tables of {made.table_size}, "
        f"{made.boards} boards a match. Next: bullring season open {made.name}"
    )


def is_asked_by_a_person() -> bool:
    """Whether somebody is there to answer."""
    return sys.stdin.isatty()


def register(app: typer.Typer) -> None:
    """Nothing to add: the command hangs on `bullring season` already."""
