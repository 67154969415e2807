"""`bullring up`: a whole league in one process, at one address."""

import signal
import sys
import threading
from collections.abc import Callable
from typing import Annotated

import typer

from cli.on_store import ADDRESS_FILE
from cli.terminal import say

HostOption = Annotated[str, typer.Option(help="Address to listen on.")]
PortOption = Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes any free one.")]


def tell(text: str, *, err: bool = False) -> None:
    """To whoever sits at the terminal; into the log where there is none, so that all of it is JSON.

    Only after `configure_logs`.
    """
    import structlog

    if (sys.stderr if err else sys.stdout).isatty():
        say(text, err=err)
    else:
        structlog.get_logger("league").info(text)


def announce(url: str, organiser: str | None, told: Callable[[str], object] = say) -> None:
    """Tell the one address, and the organiser's link while there is no organiser."""
    told(f"Bullring is at {url}")
    if organiser is not None:
        told(f"Organiser, sign in once by this link: {organiser}")


def heed_signals() -> Callable[[], None]:
    """From now on Ctrl-C or a termination only ends the wait that this returns.

    Before the address is told: whoever reads it may end the league at once, and in good order.
    """
    asked = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: asked.set())

    def wait() -> None:
        while not asked.wait(0.5):
            pass

    return wait


def up(
    host: HostOption = "127.0.0.1",
    port: PortOption = 8000,
    base_url: Annotated[
        str | None, typer.Option(help="The address people type, behind a proxy.")
    ] = None,
) -> None:
    """Serve the pages and the API, and play matches, until Ctrl-C.

    Without BULLRING_REDIS_URL a worker runs along (with BULLRING_SANDBOX=docker in a process of
    its own); with it, workers run elsewhere. Data lies in BULLRING_DATA_DIR.
    """
    from cli.operate.embedded import serving
    from dashboard.logs import configure_logs
    from league.settings import LeagueSettings

    configure_logs()
    settings = LeagueSettings()
    with serving(settings, host, port, base_url=base_url) as running:
        # Links that other commands make lead to where the league really is.
        (settings.data_dir / ADDRESS_FILE).write_text(running.url, encoding="utf-8")
        wait = heed_signals()
        announce(running.url, running.organiser, tell)
        tell(f"Data: {settings.data_dir.resolve()}. Ctrl-C ends it.")
        wait()
        tell("Ending; matches that are not over in a few seconds go back to the queue.")


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(up)
