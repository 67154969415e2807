"""The embedded server: pages and worker in one process, for `bullring up` and the demo."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.on_store import refusals
from cli.options import refuse

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI

    from league.live import Broadcast
    from league.settings import LeagueSettings
    from store import Store

GRACE_SECONDS = 2
"""Open event streams would hold the server back for ever."""


@dataclass(slots=True)
class Embedded:
    """A running server."""

    url: str
    organiser: str | None
    """The one-time link of the first organiser; None once there is one with a password."""
    store: "Store"
    server: "uvicorn.Server"


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; with port 0 any free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio switches Nagle's algorithm off only for sockets that say they are TCP; with it on,
    # every answer waits 40 ms for the client's acknowledgement.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
    except OSError as error:
        sock.close()
        refuse(f"cannot listen on {host}:{port} ({error.strerror}); choose another with --port")
    sock.listen(128)
    return sock


def server_for(app: "FastAPI") -> "uvicorn.Server":
    """The server of the pages; in a thread it leaves signals to the command."""
    import uvicorn

    from dashboard.http import PatientProtocol

    config = uvicorn.Config(
        app,
        http=PatientProtocol,
        # Its own configuration would write plain lines between those of our log.
        log_config=None,
        log_level="warning",
        access_log=False,
        # Proxies are believed where BULLRING_TRUSTED_PROXIES says so, and nowhere else.
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    return uvicorn.Server(config)


@contextlib.contextmanager
def serving(
    settings: "LeagueSettings",
    host: str,
    port: int,
    *,
    base_url: str | None = None,
    open_to_all: bool = False,
) -> Iterator[Embedded]:
    """Pages, clockwork and worker, from here to the end of the block.

    `open_to_all`: whoever finds it may make an account, whatever the settings say.
    """
    from dashboard.app import create_app
    from dashboard.http import organiser_link
    from dashboard.settings import Settings, SignUp
    from league.live import Broadcast
    from league.retry import patiently
    from league.services import LeagueServices
    from league.wiring import start_store

    sock = bind(host, port)
    shown = "localhost" if host in ("127.0.0.1", "0.0.0.0", "::") else host
    url = base_url or f"http://{shown}:{sock.getsockname()[1]}"
    shared = settings.model_dump() | {"database_url": settings.database}
    chosen = {"sign_up": SignUp.OPEN} if open_to_all else {}
    site = Settings(**shared | chosen, base_url=url)
    with refusals():
        database = patiently(lambda: start_store(settings))
    broadcast = Broadcast()
    app = create_app(site, database, LeagueServices(settings, database, broadcast))
    server = server_for(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
    with _workers(settings, database, broadcast):
        thread.start()
        try:
            yield Embedded(url, organiser_link(site, database), database, server)
        finally:
            server.should_exit = True
            thread.join(timeout=GRACE_SECONDS + 5)
            sock.close()
    database.close()


@contextlib.contextmanager
def _workers(
    settings: "LeagueSettings", database: "Store", broadcast: "Broadcast"
) -> Iterator[None]:
    """A worker in this process; with Docker one in a process of its own, so that the process with
    the pages never holds Docker; with Redis none, as workers run elsewhere."""
    if not settings.embedded:
        yield
        return
    if settings.sandbox == "docker":
        with _worker_process(settings, broadcast):
            yield
        return
    from league.wiring import make_worker

    worker = make_worker(settings, database, watch=broadcast)
    worker.start()
    try:
        yield
    finally:
        worker.stop()


@contextlib.contextmanager
def _worker_process(settings: "LeagueSettings", broadcast: "Broadcast") -> Iterator[None]:
    from league.live import from_pipe

    # It works in the checkout, so that folders named from here have to be written out.
    folders = {
        "BULLRING_DATA_DIR": str(settings.data_dir.resolve()),
        "BULLRING_BLOBS_DIR": str(settings.blobs.resolve()),
    }

    reads, writes = os.pipe()
    child: subprocess.Popen[Any] = subprocess.Popen(
        [sys.executable, "-m", "cli", "worker", "--drain", "5", "--live-pipe", str(writes)],
        cwd=Path(__file__).resolve().parents[2],
        env=os.environ | folders,
        pass_fds=(writes,),
    )
    os.close(writes)
    # It ends with the child, whose end closes the pipe.
    listener = threading.Thread(target=from_pipe, args=(reads, broadcast), daemon=True)
    listener.start()
    try:
        yield
    finally:
        child.terminate()
        try:
            child.wait(timeout=20)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
