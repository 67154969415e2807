"""`bullring season rehearse`: the whole season with samples on the real queue, before it counts."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from cli.on_store import ACTOR, JsonOption, open_database
from cli.options import refuse
from cli.organise.season.group import SeasonArgument, find_season, season
from cli.terminal import say, say_json
from league.seasons import BOTS
from league.words import counted

if TYPE_CHECKING:
    from league.seasons import RehearsalFindings
    from store import Store


@season.command()
def rehearse(
    name: SeasonArgument,
    bots: Annotated[
        int | None, typer.Option(help=f"Entrants, {BOTS.span}. Default: as entered.")
    ] = None,
    boards: Annotated[
        int | None,
        typer.Option(
            min=1, help="Boards in a match, fewer than the season's for a quick rehearsal."
        ),
    ] = None,
    minutes: Annotated[
        float, typer.Option(min=0, help="Stop waiting after this many minutes.")
    ] = 60.0,
    stop: Annotated[
        bool, typer.Option("--stop", help="Only stop the running one, and remove it.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Play the whole season with samples on the real queue, report what was found, remove it all.

    Uses the workers that are alive; where there is none, one in this process.
    """
    import logging

    from dashboard.logs import configure_logs
    from league import seasons
    from league.errors import LeagueRefusal

    database = open_database()
    with database.read() as session:
        real = find_season(session, name)
    seasons.stop_rehearsal(database, real.id, ACTOR)
    if stop:
        say(f"No rehearsal of {name} is running now.")
        return
    # The log of a worker of our own would drown the findings.
    configure_logs(logging.WARNING)
    try:
        with database.write() as session:
            made = seasons.begin_rehearsal(session, real, ACTOR, bots=bots, boards=boards)
    except (LeagueRefusal, ValueError) as error:
        refuse(str(error))
    try:
        with _workers(database):
            complete = _wait(database, made.id, minutes)
        found = seasons.examine_rehearsal(database, made.id)
    finally:
        seasons.remove_rehearsal(database, made.id)
    if as_json:
        say_json({**asdict(found), "complete": complete, "good": found.good})
    else:
        _tell(found, complete)
    raise typer.Exit(0 if found.good else 1)


@contextmanager
def _workers(database: "Store") -> Iterator[None]:
    """The workers that are there; else one of our own while the block runs."""
    import store
    from league.settings import LeagueSettings
    from league.wiring import make_worker

    with database.read() as session:
        alive = store.workers.alive(session)
    if alive:
        yield
        return
    worker = make_worker(LeagueSettings(), database)
    worker.start()
    try:
        yield
    finally:
        worker.stop()


def _wait(database: "Store", rehearsal_id: int, minutes: float) -> bool:
    import store
    from cli.progress import progress
    from league import seasons

    deadline = time.monotonic() + 60 * minutes
    with database.read() as session:
        total = store.seasons.progress(session, rehearsal_id).total
    done = 0
    with progress("matches", total) as advance:
        while time.monotonic() < deadline:
            with database.read() as session:
                now = store.seasons.progress(session, rehearsal_id).done
                over = seasons.rehearsal_is_over(session, rehearsal_id)
            advance(now - done)
            done = now
            if over:
                return True
            time.sleep(0.2)
    return False


def _tell(found: "RehearsalFindings", complete: bool) -> None:
    if not complete:
        say("Time ran out before everything was played.")
    took = "–" if found.match_seconds is None else f"{found.match_seconds:.1f} s"
    say(
        f"{found.done} of {counted(found.matches, 'match', 'matches')},"
        f" {counted(found.games, 'game')} in {found.seconds:.0f} s"
        f" on {counted(found.workers, 'worker')}; a match took {took}."
    )
    say(f"Replays: {found.games - found.replays_wrong} verified, {found.replays_wrong} wrong.")
    for what, count in found.faults.items():
        say(f"Fault, {counted(count, 'time')}: {what}")
    for reason, count in found.void.items():
        say(f"Attempt void, {counted(count, 'time')}: {reason}")
    if found.stuck:
        stuck = counted(found.stuck, "match is", "matches are")
        say(f"{stuck} stuck; the real season would have the same trouble.")
    say("The rehearsal is removed. " + ("All is well." if found.good else "Look into it."))


def register(app: typer.Typer) -> None:
    """Nothing to add: the commands hang on `bullring season` already."""
