"""`bullring worker`, `clock` and `files`: the processes behind a league, until told to stop."""

import signal
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from cli.operate.up import HostOption, PortOption, tell
from cli.options import refuse
from league.words import counted

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

    from league.settings import LeagueSettings
    from league.worker import Worker
    from store import Store

DRAIN_SECONDS = 600.0
FIRST_PAUSE, LONGEST_PAUSE = 2.0, 30.0
"""Seconds between the tries of a worker whose machine is not ready."""


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
    from dashboard.logs import configure_logs
    from league.settings import LeagueSettings
    from league.wiring import join_store, make_worker, spectators, start_store

    configure_logs()
    settings = LeagueSettings()
    if slots is not None:
        settings = settings.model_copy(update={"slots": slots})
    watch = spectators(settings, live_pipe)
    enter = start_store if clock else join_store
    database = _opened(lambda: enter(settings))
    running = _prepared(lambda: make_worker(settings, database, clock=clock, watch=watch))
    about = f"{counted(settings.slots, 'slot')}, {running.stage.runner} sandbox"
    about = f"Worker {running.name}: {about}."
    # Beside the pages, `bullring up` says what becomes of the matches.
    _until_signal(running, about, drain, quiet=live_pipe is not None)


def clock() -> None:
    """Keep dates, queue and ratings going until a signal comes; play nothing.

    One of these is enough for any number of workers started with --no-clock, and two do no harm.
    """
    from dashboard.logs import configure_logs
    from league.settings import LeagueSettings
    from league.wiring import make_clock, start_store

    configure_logs()
    settings = LeagueSettings()
    running = make_clock(settings, _opened(lambda: start_store(settings)))
    _until_signal(running, f"Clock {running.name}.", 0)


def files(host: HostOption = "127.0.0.1", port: PortOption = 8001) -> None:
    """Serve the data folder to workers: they put replays here and fetch what was submitted.

    For workers that do not share the folder, on this machine or another; they find it by
    BULLRING_FILES_URL. It answers only those who know BULLRING_FILES_PASSWORD (or, where that is
    not set, BULLRING_WORKER_PASSWORD).
    """
    from cli.operate.embedded import bind
    from dashboard.http import FilesMetrics, create_files_app, serve_files
    from dashboard.logs import configure_logs
    from league.settings import LeagueSettings
    from store import Blobs

    configure_logs()
    settings = LeagueSettings()
    if not settings.files_secret:
        refuse("set BULLRING_FILES_PASSWORD to the password that workers are to use")
    blobs = Blobs(settings.blobs)
    settings.blobs.mkdir(mode=0o700, parents=True, exist_ok=True)
    numbers = FilesMetrics(settings.blobs)
    app = create_files_app(blobs, settings.uploads, settings.files_secret, numbers)
    with bind(host, port) as sock, _numbers(numbers.registry, settings):
        _say(f"Files of {settings.data_dir.resolve()} on {host}:{port}.")
        serve_files(app, sock)


def _say(text: str) -> None:
    tell(text, err=True)


def _opened(enter: "Callable[[], Store]") -> "Store":
    """The database, waited for; when it does not come, its error in one line."""
    from cli.on_store import refusals
    from league.retry import patiently

    with refusals():
        return patiently(enter)


def _prepared(make: "Callable[[], Worker]") -> "Worker":
    """The worker, as soon as its machine is ready: Docker may come later, a full folder be emptied.

    To die would only be to be started again, with a traceback each time.
    """
    from sandbox.api import PlatformFault

    def leave(*_: object) -> NoReturn:
        raise SystemExit(0)

    before = signal.signal(signal.SIGTERM, leave)
    pause = FIRST_PAUSE
    try:
        while True:
            try:
                return make()
            except (PlatformFault, OSError) as error:
                reason = (str(error).splitlines() or [type(error).__name__])[0]
            _say(f"This worker cannot start yet: {reason}. It tries again in {pause:.0f} s.")
            time.sleep(pause)
            pause = min(LONGEST_PAUSE, 2 * pause)
    finally:
        signal.signal(signal.SIGTERM, before)


def _numbers(
    registry: "CollectorRegistry", settings: "LeagueSettings"
) -> AbstractContextManager[None]:
    """The metrics of this process on their port, if it has one."""
    from league.worker import shown

    try:
        return shown(registry, settings.metrics_host, settings.metrics_port)
    except OSError as error:
        where = f"{settings.metrics_host}:{settings.metrics_port}"
        refuse(f"no metrics on {where} ({error.strerror}); choose another BULLRING_METRICS_PORT")


def _until_signal(running: "Worker", about: str, drain: float, *, quiet: bool = False) -> None:
    """Run until a first signal, then drain; a second one ends it at once."""
    asked = threading.Event()
    again = threading.Event()

    def on_signal(*_: object) -> None:
        (again if asked.is_set() else asked).set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, on_signal)
    with _numbers(running.metrics.registry, running.settings):
        _run(running, about, drain, asked, again, quiet=quiet)


def _run(
    running: "Worker",
    about: str,
    drain: float,
    asked: threading.Event,
    again: threading.Event,
    *,
    quiet: bool,
) -> None:
    running.start()
    _say(about if quiet else f"{about} A signal drains it, a second one ends it.")
    while not asked.wait(0.5):
        pass
    if not quiet:
        playing = counted(running.busy, "match is", "matches are")
        _say(f"Draining: {playing} being played.")

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
