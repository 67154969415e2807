"""`bullring season enter`, `withdraw` and `disqualify`: who takes part."""

from typing import Annotated, Any

import typer

from cli.on_store import ACTOR, BotArgument, ReasonOption, change
from cli.organise.season.group import SeasonArgument, find_season, season
from cli.organise.season.steps import say_next


@season.command()
def enter(
    name: SeasonArgument,
    bots: Annotated[list[str], typer.Argument(metavar="OWNER/BOT…", help="Full names.")],
) -> None:
    """Enter bots; platform bots are called house/NAME."""

    def act(session: Any) -> None:
        from league import seasons

        for bot in bots:
            seasons.enter(session, find_season(session, name).id, bot, ACTOR)

    change(act)
    typer.echo(f"Entered {', '.join(bots)}.")
    say_next(name)


@season.command()
def withdraw(name: SeasonArgument, bot: BotArgument, reason: ReasonOption = "") -> None:
    """Take a bot out at its owner's request; before half of its matches its results go too."""

    from league import seasons

    change(lambda s: seasons.withdraw(s, find_season(s, name).id, bot, ACTOR, reason))
    typer.echo(f"{bot} is withdrawn from {name}.")


@season.command()
def disqualify(
    name: SeasonArgument,
    bot: BotArgument,
    reason: ReasonOption = "",
    preview: Annotated[
        bool, typer.Option("--preview", help="Only show what it would do to the table.")
    ] = False,
) -> None:
    """Take a bot out for what it did; none of its results count."""
    from league import seasons

    if preview:
        changes = change(lambda s: seasons.preview_removal(s, find_season(s, name).id, bot))
    else:
        changes = change(
            lambda s: seasons.disqualify(s, find_season(s, name).id, bot, ACTOR, reason)
        )
    for one in changes:
        before, after = one.place_before or "–", one.place_after or "–"
        typer.echo(f"{before} -> {after}  {one.bot}")
    typer.echo("Nothing has been changed." if preview else f"{bot} is disqualified from {name}.")


def register(app: typer.Typer) -> None:
    """Nothing to add: the commands hang on `bullring season` already."""
