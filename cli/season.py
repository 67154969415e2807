"""`bullring season`: create, run and read seasons from the command line, on the same store."""

import json
import time
from collections.abc import Callable
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cli.rules import refuse
from league.wording import counted

if TYPE_CHECKING:
    from store import Season, Store

season = typer.Typer(no_args_is_help=True, help="Create, run and read seasons.")
SeasonArgument = Annotated[str, typer.Argument(metavar="SEASON", help="Its name.")]
BotArgument = Annotated[str, typer.Argument(metavar="OWNER/BOT", help="The bot's full name.")]
ReasonOption = Annotated[str, typer.Option("--reason", help="Why; it is kept in the audit log.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
ACTOR = "command line"


def open_database() -> "Store":
    """The database of the settings, as every command uses it."""
    from league.settings import LeagueSettings
    from league.wiring import open_store

    return open_store(LeagueSettings())


def change(act: Callable[[Any], Any]) -> Any:
    """Run one audited change; a refusal is a message, not a traceback."""
    from league.seasons import SeasonError
    from store import StoreError

    try:
        with open_database().write() as session:
            return act(session)
    except (SeasonError, StoreError) as error:
        refuse(str(error))


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
    from league import seasons

    def act(session: Any) -> None:
        for bot in bots:
            seasons.enter(session, find_season(session, name).id, bot, ACTOR)

    change(act)
    typer.echo(f"Entered {', '.join(bots)}. Next: bullring season freeze {name}")


@season.command()
def freeze(name: SeasonArgument) -> None:
    """Pin the entries to versions, plan all matches and commit to their keys."""
    from league import freezing

    _step(name, freezing.freeze, " Next: bullring season start {name}")
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
def finish(
    name: SeasonArgument,
    early: Annotated[bool, typer.Option(help="Cancel what is not played yet.")] = False,
) -> None:
    """End a season; without --early only when all matches are over."""
    from league import seasons

    _step(name, seasons.finish, " Next: bullring season archive {name}", early=early)


@season.command()
def withdraw(name: SeasonArgument, bot: BotArgument, reason: ReasonOption = "") -> None:
    """Take a bot out at its owner's wish; before half of its matches its results go too."""
    from league import corrections

    change(lambda s: corrections.withdraw(s, find_season(s, name).id, bot, ACTOR, reason))
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
    from league import striking

    if preview:
        changes = change(lambda s: striking.preview(s, find_season(s, name).id, bot))
    else:
        changes = change(
            lambda s: striking.disqualify(s, find_season(s, name).id, bot, ACTOR, reason)
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
    from league import corrections

    change(lambda session: corrections.play_again(session, match, ACTOR, reason))
    typer.echo(f"Match {match} is queued again.")


@season.command("list")
def list_() -> None:
    """All seasons and how far they are."""
    import store

    with open_database().read() as session:
        found = store.seasons.seasons(session)
        for one in found:
            typer.echo(f"{one.name}: {one.state}, {one.rules}, tables of {one.table_size}")
    if not found:
        typer.echo("There is no season yet. Make one: bullring season create spring six-nimmt")


def _status(database: "Store", name: str) -> dict[str, Any]:
    import store

    with database.read() as session:
        found = find_season(session, name)
        progress = store.seasons.progress(session, found.id)
        workers = store.workers.alive(session)
        entries = store.seasons.entries(session, found.id)
    return {
        "season": found.name,
        "state": found.state.value,
        "entries": sum(entry.state is store.EntryState.ENTERED for entry in entries),
        "matches": progress.total,
        "done": progress.done,
        "open": progress.open,
        "states": {state.value: count for state, count in progress.counts.items() if count},
        "workers": len(workers),
        "slots": sum(worker.slots for worker in workers),
    }


@season.command()
def status(
    name: SeasonArgument,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Until it is over.")] = False,
    as_json: JsonOption = False,
) -> None:
    """How far a season is; stuck matches are named."""
    database = open_database()
    now = _status(database, name)
    if follow and not as_json:
        _follow(database, name)
        now = _status(database, name)
    if as_json:
        typer.echo(json.dumps(now))
        return
    states = ", ".join(f"{count} {state}" for state, count in now["states"].items()) or "none"
    entries = counted(now["entries"], "entry", "entries")
    typer.echo(f"{name} is {now['state']}: {entries}, matches: {states}.")
    if not now["workers"] and now["state"] == "running":
        typer.echo("No worker is alive: start one with `bullring worker` or `bullring up`.")
    _tell_stuck(database, name)


def _follow(database: "Store", name: str) -> None:
    from cli.progress import progress

    total = _status(database, name)["matches"]
    with progress("matches", total) as advance:
        done = 0
        while True:
            now = _status(database, name)
            advance(now["done"] - done)
            done = now["done"]
            # After its end a season may still have a match to play again.
            if now["state"] != "running" and not (now["state"] == "finished" and now["open"]):
                return
            time.sleep(1)


def _tell_stuck(database: "Store", name: str) -> None:
    import store

    with database.read() as session:
        found = find_season(session, name)
        states = (store.MatchState.STUCK,)
        for match in store.pages.matches(session, season_id=found.id, states=states):
            last = store.pages.attempts(session, match.id)[-1]
            typer.echo(
                f"Match {match.id} is stuck ({last.reason}). Mend the cause, then:"
                f" bullring season replay-match {match.id} --reason '…'"
            )


@season.command()
def standings(name: SeasonArgument, as_json: JsonOption = False) -> None:
    """The table, every number with its error."""
    import store
    from league import rating

    database = open_database()
    with database.read() as session:
        ladder_id = store.seasons.ladder_of(session, find_season(session, name).id).id
    if rating.refresh(database, ladder_id) is None:
        refuse(f"no match of season {name} is done yet; see: bullring season status {name}")
    with database.read() as session:
        table = find_season(session, name).standings or {}
    if as_json:
        typer.echo(json.dumps(table))
        return
    print_standings(name, table)
    typer.echo(LEGEND)


LEGEND = (
    "Points are per round, ± is the 95 % interval, – cannot be measured yet.\n"
    "Bots that share a letter are statistically tied; ? is provisional."
)


def print_standings(title: str, table: dict[str, Any]) -> None:
    """Published standings as a table in the terminal."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    title = f"{title}: {table['games']} games in {table['blocks']} blocks"
    shown = Table(title=title, box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for column in ("", "bot", "tied", "rating", "live", "points", "wins", "faults"):
        left = column in ("bot", "tied")
        # Where the terminal is narrow a long name takes a second line; numbers stay whole.
        name = column == "bot"
        justify: Literal["left", "right"] = "left" if left else "right"
        shown.add_column(column, justify=justify, no_wrap=not name, overflow="fold")
    for row in table["rows"]:
        low, high = row["low"], row["high"]
        shown.add_row(
            str(low) if low == high else f"{low}-{high}",
            f"{row['bot']} v{row['version']}",
            row["group"],
            f"{row['official']:.0f} {_half(row['official_half'], 0)}",
            f"{row['live']:.0f}" + ("?" if row["provisional"] else ""),
            f"{row['points_per_round']:.1f} {_half(row['points_half'], 1)}",
            f"{100 * row['win_share']:.0f} %",
            str(sum(row["faults"].values())),
        )
    Console().print(shown)


def _half(value: float | None, digits: int) -> str:
    return "± –" if value is None else f"± {value:.{digits}f}"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(season, name="season")
