"""`bullring season create`, `edit` and `delete`: drafts by options, from a file, by questions."""

import sys
from dataclasses import asdict
from typing import Annotated, Any

import typer

import nimmt
from cli.on_store import ACTOR, change, open_database, refusals
from cli.options import OptionOption, refuse
from cli.organise.season import plan_options as words
from cli.organise.season.group import SeasonArgument, find_season, season
from cli.organise.season.steps import say_next
from cli.terminal import confirm, say
from league import seasons
from league.seasons import USUAL
from league.words import counted


@season.command()
def create(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(metavar="SEASON", help="Its name.")] = None,
    rules: Annotated[str | None, typer.Argument(help=words.RULES)] = None,
    from_file: words.FromOption = None,
    table: words.TableOption = USUAL.table,
    boards: words.BoardsOption = USUAL.boards,
    meetings: words.MeetingsOption = USUAL.meetings,
    places: words.PlacesOption = None,
    budget: words.BudgetOption = None,
    duplicate: words.DuplicateOption = None,
    move_ms: words.MoveOption = USUAL.move_ms,
    bank_ms: words.BankOption = USUAL.bank_ms,
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
    with refusals():
        plan = seasons.plan_from(words.words_of(given))
    made = change(lambda session: seasons.create(session, plan, ACTOR))
    say(
        f"Season {made.name} is a draft: {made.rules}, tables of {made.table_size}, "
        f"{counted(made.boards, 'board')} a match."
    )
    say_next(made.name)


def is_asked_by_a_person() -> bool:
    """Whether a person can answer questions."""
    return sys.stdin.isatty()


@season.command()
def edit(
    context: typer.Context,
    draft: SeasonArgument,
    name: Annotated[str | None, typer.Option(metavar="SEASON", help="Another name.")] = None,
    rules: Annotated[str | None, typer.Option(help=words.RULES)] = None,
    from_file: words.FromOption = None,
    table: words.TableOption = None,
    boards: words.BoardsOption = None,
    meetings: words.MeetingsOption = None,
    places: words.PlacesOption = None,
    budget: words.BudgetOption = None,
    duplicate: words.DuplicateOption = None,
    move_ms: words.MoveOption = None,
    bank_ms: words.BankOption = None,
    option: OptionOption = None,
    title: words.TitleOption = None,
    about: words.AboutOption = None,
    opens: words.OpensOption = None,
    freezes: words.FreezesOption = None,
    starts: words.StartsOption = None,
    ends: words.EndsOption = None,
) -> None:
    """Change a draft: what is given changes, what is not stays. An empty text removes a date.

    --place 0 makes it end with its meetings again; options of the rules are given all at once.
    When entries are open only title, about and dates can still be changed.
    """
    from dashboard.reads import audit_words

    given = words.words_of(words.given_in(context))
    del given["draft"]
    if given.get("places") == [0]:
        given["places"] = []
    if not given:
        refuse("give at least one option to change, such as --boards 200; see --help")

    def act(session: Any) -> Any:
        return seasons.edit(session, find_season(session, draft).id, given, ACTOR)

    changed = change(act)
    for word, one in changed.items():
        say(f"{word.removesuffix('_at')}: {audit_words(asdict(one))}")
    if not changed:
        say(f"Nothing was changed: season {draft} is already like that.")


@season.command()
def delete(
    name: SeasonArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete a draft with its entries and rehearsals. Only a draft can be deleted."""
    import store

    database = open_database()
    with refusals():
        with database.read() as session:
            found = find_season(session, name)
            seasons.check_draft(found)
            entries = store.seasons.entries(session, found.id, only_entered=True)
        if not yes:
            confirm(
                f"{found.title}: {found.rules}, tables of {found.table_size},"
                f" {counted(len(entries), 'entry', 'entries')}. Delete this draft?",
            )
        seasons.delete(database, found.id, ACTOR)
    say(f"Season {name} is deleted; the audit log keeps what it was: bullring audit")


def register(app: typer.Typer) -> None:
    """Nothing to add: the commands hang on `bullring season` already."""
