"""`bullring season list`, `status` and `standings`: what a season says of itself."""

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.on_store import JsonOption, open_database
from cli.options import refuse
from cli.organise.season.group import SeasonArgument, find_season, season
from cli.tables import LEGEND, print_standings
from cli.terminal import say, say_json, say_text
from league.words import counted

if TYPE_CHECKING:
    from store import Store


@season.command("list")
def list_() -> None:
    """All seasons and their states."""
    import store

    with open_database().read() as session:
        found = store.seasons.seasons(session)
        for one in found:
            say(f"{one.name}: {one.state}, {one.rules}, tables of {one.table_size}")
    if not found:
        say("There is no season yet. Make one: bullring season create spring six-nimmt")


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
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Follow until it is over.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """The progress of a season; stuck matches are named."""
    database = open_database()
    now = _status(database, name)
    if follow and not as_json:
        _follow(database, name)
        now = _status(database, name)
    if as_json:
        say_json(now)
        return
    states = ", ".join(f"{count} {state}" for state, count in now["states"].items()) or "none"
    entries = counted(now["entries"], "entry", "entries")
    say(f"{name} is {now['state']}: {entries}, matches: {states}.")
    if not now["workers"] and now["state"] == "running":
        say("No worker is alive: start one with `bullring worker` or `bullring up`.")
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
        waits = False
        for match in store.match_lists.matches(session, season_id=found.id, states=states):
            last = store.match_lists.attempts(session, match.id)[-1]
            say(
                f"Match {match.id} is stuck ({last.reason}). Fix the cause, then:"
                f" bullring season replay-match {match.id} --reason '…'"
            )
            waits = waits or not found.state.is_final
        if waits:
            say(
                "The season waits for you: play the stuck matches again, strike them (bullring"
                f" season strike-match NUMBER), or bullring season finish-without {name}"
            )


@season.command()
def standings(name: SeasonArgument, as_json: JsonOption = False) -> None:
    """The table, every number with its error."""
    import store
    from league import ratings

    database = open_database()
    with database.read() as session:
        ladder_id = store.scales.of_season(session, find_season(session, name).id).id
    if ratings.refresh(database, ladder_id) is None:
        refuse(f"no match of season {name} is done yet; see: bullring season status {name}")
    with database.read() as session:
        table = find_season(session, name).standings or {}
    if as_json:
        say_json(table)
        return
    print_standings(name, table)
    say_text(LEGEND)


def register(app: typer.Typer) -> None:
    """Nothing to add: the commands hang on `bullring season` already."""
