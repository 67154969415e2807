"""`bullring worker`, `clock` and `files`: the processes behind a league, until told to stop."""

import signal
import threading
from typing import TYPE_CHECKING, Annotated

import typer

from cli.on_store import prepared_database
from cli.operate.up import HostOption, PortOption
from cli.options import refuse
from cli.terminal import say
from league.words import counted

if TYPE_CHECKING:
    from league.worker import Worker

DRAIN_SECONDS = 600.0


def worker(
    slots: Annotated[
        int | None, typer.Option(min=1, help="Matches at once; default BULLRING_SLOTS.")
    ] = None,
    clock: Annotated[
        bool,
        typer.Option(
            "--clock/--no-clock", help="Whether to keep dates, queue and ratings going as well."
        ),
    ] = True,
    drain: Annotated[
        float, typer.Option(min=0, help="Seconds that running matches get after a signal.")
    ] = DRAIN_SECONDS,
    live_pipe: Annotated[
        int | None, typer.Option(hidden=True, help="A file descriptor for live events.")
    ] = None,
) -> None:
    """Play matches until a signal comes.

    The first signal drains: running matches end, no new ones begin. The second ends at once, and
    what was being played goes back to the queue. Where the league is comes from the environment:
    BULLRING_DATABASE_URL, BULLRING_REDIS_URL, BULLRING_DATA_DIR, BULLRING_SANDBOX.
    """
    from league.retry import patiently
    from league.settings import LeagueSettings
    from league.wiring import join_store, make_worker, open_store, spectators

    settings = LeagueSettings()
    if slots is not None:
        settings = settings.model_copy(update={"slots": slots})
    watch = spectators(settings, live_pipe)
    # Whoever keeps the clock prepares the database; a mere worker has no right to.
    enter = open_store if clock else join_store
    database = patiently(lambda: enter(settings))
    running = make_worker(settings, database, clock=clock, watch=watch)
    about = f"{counted(settings.slots, 'slot')}, {running.stage.runner} sandbox"
    about = f"Worker {running.name}: {about}."
    # Beside the pages, `bullring up` says what becomes of the matches.
    _until_signal(running, about, drain, quiet=live_pipe is not None)


def clock() -> None:
    """Keep dates, queue and ratings going until a signal comes; play nothing.

    One of these is enough for any number of workers started with --no-clock, and two do no harm.
    """
    from league.settings import LeagueSettings
    from league.wiring import make_clock

    settings = LeagueSettings()
    running = make_clock(settings, prepared_database(settings))
    _until_signal(running, f"Clock {running.name}.", 0)


def files(host: HostOption = "127.0.0.1", port: PortOption = 8001) -> None:
    """Serve the data folder to workers: they put replays here and fetch what was submitted.

    For workers that do not share the folder, on this machine or another; they find it by
    BULLRING_FILES_URL. It answers nobody who does not know BULLRING_WORKER_PASSWORD.
    """
    from cli.operate.embedded import bind
    from dashboard.http import create_files_app, serve_files
    from dashboard.logs import configure_logs
    from league.settings import LeagueSettings
    from store import Blobs

    configure_logs()
    settings = LeagueSettings()
    if not settings.worker_password:
        refuse("set BULLRING_WORKER_PASSWORD to the password that workers are to use")
    app = create_files_app(Blobs(settings.blobs), settings.uploads, settings.worker_password)
    with bind(host, port) as sock:
        say(f"Files of {settings.data_dir.resolve()} on {host}:{port}.", err=True)
        serve_files(app, sock)


def _until_signal(running: "Worker", about: str, drain: float, *, quiet: bool = False) -> None:
    """Run until a first signal, then drain; a second one ends it at once."""
    from dashboard.logs import configure_logs

    configure_logs()
    asked = threading.Event()
    again = threading.Event()

    def on_signal(*_: object) -> None:
        (again if asked.is_set() else asked).set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, on_signal)
    running.start()
    say(about if quiet else f"{about} A signal drains it, a second one ends it.", err=True)
    while not asked.wait(0.5):
        pass
    if not quiet:
        playing = counted(running.busy, "match is", "matches are")
        say(f"Draining: {playing} being played.", err=True)

    def end_at_once() -> None:
        again.wait()
        running.stop()

    threading.Thread(target=end_at_once, daemon=True).start()
    running.drain(drain)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(worker)
    app.command()(clock)
    app.command()(files)
