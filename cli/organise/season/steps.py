"""`bullring season`: run seasons from the command line, on the same store."""

from collections.abc import Callable
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.on_store import ACTOR, BotArgument, ReasonOption, change, open_database
from cli.options import refuse

if TYPE_CHECKING:
    from store import Season

season = typer.Typer(no_args_is_help=True, help="Create, run and read seasons.")
SeasonArgument = Annotated[str, typer.Argument(metavar="SEASON", help="Its name.")]


def find_season(session: Any, name: str) -> "Season":
    """The season of that name, or the end of the command."""
    import store

    found = store.seasons.by_name(session, name)
    if found is None:
        known = ", ".join(one.name for one in store.seasons.seasons(session)) or "none yet"
        refuse(f"there is no season {name!r}; known are: {known}")
    return found


def moment(given: str | date | None) -> datetime | None:
    """A date as typed, or as TOML has it; without a zone it is UTC."""
    from league.seasons import read_date

    if given is None:
        return None
    try:
        return read_date(given if isinstance(given, str) else given.isoformat())
    except ValueError as error:
        refuse(str(error))


@season.command()
def dates(
    name: SeasonArgument,
    opens: Annotated[str | None, typer.Option(help="When entries open, UTC.")] = None,
    freezes: Annotated[str | None, typer.Option(help="When entries freeze, UTC.")] = None,
    starts: Annotated[str | None, typer.Option(help="When play begins, UTC.")] = None,
    ends: Annotated[str | None, typer.Option(help="When it ends at the latest, UTC.")] = None,
) -> None:
    """Change when a season takes its steps by itself; an empty text takes a date away."""
    from league import seasons

    given = zip(seasons.DATES, (opens, freezes, starts, ends), strict=True)
    moments = {which: moment(text or None) for which, text in given if text is not None}
    if not moments:
        refuse("give at least one of --opens, --freezes, --starts and --ends")

    def act(session: Any) -> Any:
        return seasons.set_dates(session, find_season(session, name).id, moments, ACTOR)

    made = change(act)
    for which in seasons.DATES:
        at = getattr(made, which)
        typer.echo(f"{which.removesuffix('_at')}: {f'{at:%F %R} UTC' if at else 'by hand'}")


def _step(name: str, take: Callable[..., "Season"], next_step: str, **more: Any) -> None:
    done = change(lambda session: take(session, find_season(session, name).id, ACTOR, **more))
    typer.echo(f"Season {name} is {done.state}.{next_step.format(name=name)}")


@season.command("open")
def open_(name: SeasonArgument) -> None:
    """Let bots be entered."""

    from league import seasons

    _step(name, seasons.open_entries, " Next: bullring season enter {name} OWNER/BOT")


@season.command()
def enter(
    name: SeasonArgument,
    bots: Annotated[list[str], typer.Argument(metavar="OWNER/BOT…", help="Full names.")],
) -> None:
    """Enter bots; the house's samples are called house/NAME."""

    def act(session: Any) -> None:
        from league import seasons

        for bot in bots:
            seasons.enter(session, find_season(session, name).id, bot, ACTOR)

    change(act)
    typer.echo(f"Entered {', '.join(bots)}. Next: bullring season freeze {name}")


@season.command()
def freeze(name: SeasonArgument) -> None:
    """Pin the entries to versions, plan all matches and commit to their keys."""

    from league import seasons

    _step(name, seasons.freeze_season, " Next: bullring season start {name}")
    with open_database().read() as session:
        found = find_season(session, name)
        typer.echo((found.balance or {}).get("words", ""))
        typer.echo(f"Commitment to all keys: {found.commitment}")


@season.command()
def start(name: SeasonArgument) -> None:
    """Let the matches be played by whichever workers are there."""

    from league import seasons

    _step(name, seasons.start, " Follow it: bullring season status {name} --follow")


@season.command()
def pause(name: SeasonArgument) -> None:
    """Hold back what is not being played yet."""

    from league import seasons

    _step(name, seasons.pause, " Go on: bullring season resume {name}")


@season.command()
def resume(name: SeasonArgument) -> None:
    """Go on after a pause."""

    from league import seasons

    _step(name, seasons.resume, "")


@season.command()
def call_off(name: SeasonArgument) -> None:
    """End a season that takes entries: nothing is planned or played, its page stays."""

    from league import seasons

    _step(name, seasons.call_off, " Tell the entrants; another: bullring season create")


@season.command()
def finish(
    name: SeasonArgument,
    early: Annotated[bool, typer.Option(help="Cancel what is not played yet.")] = False,
) -> None:
    """End a season; without --early only when all matches are over."""

    from league import seasons

    _step(name, seasons.finish, " Next: bullring season archive {name}", early=early)


@season.command()
def finish_without(name: SeasonArgument) -> None:
    """End a season without its stuck matches, once everything else is played."""

    from league import seasons

    _step(name, seasons.finish_without, " Next: bullring season archive {name}")


@season.command()
def withdraw(name: SeasonArgument, bot: BotArgument, reason: ReasonOption = "") -> None:
    """Take a bot out at its owner's wish; before half of its matches its results go too."""

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
    """Take a bot out for what it did; none of its results count any more."""
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


@season.command()
def replay_match(
    match: Annotated[int, typer.Argument(help="The number of a done or stuck match.")],
    reason: ReasonOption,
) -> None:
    """Void a match and play it again with the same boards."""

    from league import seasons

    change(lambda session: seasons.play_again(session, match, ACTOR, reason))
    typer.echo(f"Match {match} is queued again.")


@season.command()
def strike_match(
    match: Annotated[int, typer.Argument(help="The number of a stuck match.")],
    reason: ReasonOption,
) -> None:
    """Decide that a stuck match is not played; its season no longer waits for it."""

    from league import seasons

    change(lambda session: seasons.strike(session, match, ACTOR, reason))
    typer.echo(f"Match {match} is struck.")


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(season, name="season")
