"""`bullring demo`: a league with the sample bots, a short season of each rules, live at one URL."""

import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.operate.up import HostOption, PortOption, announce, heed_signals
from cli.options import refuse
from cli.terminal import say, say_text

if TYPE_CHECKING:
    from store import Store

FOLDER = Path(".bullring/demo")
MARK = "this-is-a-demo"
"""A file in the folder of a demo, which the next one may empty."""
SEASONS: tuple[dict[str, Any], ...] = (
    {
        "name": "six",
        "title": "6 nimmt!",
        "rules": "six-nimmt",
        "options": {"rounds": 1},
        "bots": ("slotrisk", "lookahead", "gap", "leastcost", "highest", "random", "lowest"),
        "table": 4,
    },
    {
        "name": "advanced",
        "title": "6 nimmt!, advanced game",
        "rules": "six-nimmt",
        "options": {"rounds": 1, "advanced": True, "opening_picks": 4},
        "bots": ("highest", "lookahead", "gap", "slotrisk", "random"),
        "table": 3,
    },
    {
        "name": "eleven",
        "title": "11 nimmt!",
        "rules": "eleven-nimmt",
        "options": {},
        "bots": ("bullhunter", "dearest", "patience", "urgent", "greedy", "random"),
        "table": 4,
    },
    {
        "name": "x",
        "title": "X nimmt!",
        "rules": "x-nimmt",
        "options": {},
        "bots": ("lookahead", "xsafe", "leastcost", "gap", "highest", "random"),
        "table": 4,
    },
)


def make_room(folder: Path) -> None:
    """An empty folder that is marked as a demo's; one that holds anything else is left alone."""
    try:
        ours = folder == FOLDER or (folder / MARK).exists()
        if not ours and folder.exists() and any(folder.iterdir()):
            refuse(
                f"{folder} holds other things than a demo's data; choose an empty or a new folder"
            )
        shutil.rmtree(folder, ignore_errors=True)
        if folder == FOLDER:
            # A league may follow in the folder above, and a data folder is its account's alone.
            folder.parent.mkdir(mode=0o700, exist_ok=True)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / MARK).touch()
    except OSError as error:
        refuse(
            f"got --folder {folder}, which cannot be made ({error.strerror}); expected a folder"
            " that you may write to, name another"
        )


def demo(
    boards: Annotated[int, typer.Option(min=4, help="Boards of each match.")] = 100,
    host: HostOption = "127.0.0.1",
    port: PortOption = 0,
    serve: Annotated[
        bool | None,
        typer.Option(
            "--serve/--no-serve",
            help="Stay up afterwards; by default when a person is watching.",
            show_default=False,
        ),
    ] = None,
    folder: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where its data goes; emptied first.")
    ] = FOLDER,
) -> None:
    """Run a league with the sample bots: a short season of each rules, live at one URL.

    Needs nothing but Python: SQLite, no Redis, no Docker. The sample bots are real processes
    that play over gRPC; every replay is verified at the end.
    """
    import logging

    from cli.operate.embedded import serving
    from dashboard.logs import configure_logs
    from league.settings import LeagueSettings

    configure_logs(logging.WARNING)
    make_room(folder)
    # Its own everything, whatever the environment says: a demo touches no real league.
    settings = LeagueSettings(
        data_dir=folder,
        database_url=None,
        redis_url=None,
        blobs_dir=None,
        sandbox="process",
        slots=1,
        table_slots=2,
        tick_seconds=0.5,
        # Nothing is at stake, and whoever tries it out has other programs open.
        fair_host=False,
    )
    with serving(settings, host, port, open_to_all=True) as running:
        announce(running.url, running.organiser)
        say("The sample bots run as plain processes: trusted, and not contained.")
        create(running.store, boards)
        follow(running.store)
        show(running.store)
        wrong = _verify(running.store)
        stays = sys.stdout.isatty() if serve is None else serve
        if stays:
            wait = heed_signals()
            say(f"The league stays up at {running.url}. Ctrl-C ends it.")
            wait()
    if wrong:
        raise typer.Exit(1)


def create(database: "Store", boards: int) -> None:
    """Make the seasons of the demo and start them."""
    from league import seasons
    from league.seasons import SeasonPlan

    for one in SEASONS:
        fields = {key: value for key, value in one.items() if key != "bots"}
        plan = SeasonPlan(**fields, boards=boards, duplicate=False, move_ms=200, bank_ms=5000)
        with database.write() as session:
            made = seasons.create(session, plan, "demo")
            seasons.open_entries(session, made.id, "demo")
            for bot in one["bots"]:
                seasons.enter(session, made.id, f"house/{bot}", "demo")
            seasons.freeze_season(session, made.id, "demo")
            seasons.start(session, made.id, "demo")


def follow(database: "Store") -> None:
    """Show how the matches come in, until every season is over."""
    import store
    from cli.progress import progress
    from store import SeasonState

    def counts() -> tuple[int, int, bool]:
        with database.read() as session:
            found = store.seasons.seasons(session)
            parts = [store.seasons.progress(session, season.id) for season in found]
        over = all(season.state is SeasonState.FINISHED for season in found)
        return sum(p.done for p in parts), sum(p.total for p in parts), over

    done, total, over = counts()
    with progress("matches", total) as advance:
        advance(done)
        while not over:
            time.sleep(0.2)
            before = done
            done, _, over = counts()
            advance(done - before)


def show(database: "Store") -> None:
    """Print the standings of every season."""
    import store
    from cli.tables import LEGEND, print_standings
    from league import ratings

    with database.read() as session:
        found = [(one.title, one.id) for one in reversed(store.seasons.seasons(session))]
    for title, season_id in found:
        with database.read() as session:
            ladder = store.scales.of_season(session, season_id).id
        ratings.refresh(database, ladder)
        with database.read() as session:
            table = store.seasons.season(session, season_id).standings
        if table is not None:
            print_standings(title, table)
    say_text(LEGEND)


def _verify(database: "Store") -> int:
    """Play every stored replay again; returns how many were wrong."""
    import json

    import store
    from nimmt.errors import ReplayError
    from nimmt.verify import verify

    with database.read() as session:
        done = (store.MatchState.DONE,)
        found = store.match_lists.matches(session, states=done, limit=10_000)
        files = [store.results.blob_of(session, match.id) for match in found]
    good = wrong = 0
    for file in files:
        for line in database.blobs.lines(file.sha256) if file is not None else ():
            try:
                verify(json.loads(line))
                good += 1
            except ReplayError as error:
                wrong += 1
                say(str(error), fg="red")
    say(f"Replays: {good} verified, {wrong} wrong")
    return wrong


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(demo)
