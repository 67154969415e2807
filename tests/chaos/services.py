"""Private Redis and PostgreSQL servers that a test may kill, stop, empty and start again."""

import os
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import redis
from sqlalchemy.engine import make_url

from sandbox.waiting import threads
from tests.services import (
    find_postgres,
    make_postgres,
    missing,
    ping_postgres,
    ping_redis,
    redis_in,
    scratch_folder,
    server_account,
)

UP_SECONDS = 60


class Server:
    """A server process on a fixed port, which can die and come back."""

    def __init__(
        self, command: list[str], folder: Path, ready: Callable[[], bool], owner: str | None
    ) -> None:
        self._command = command
        self._folder = folder
        self._ready = ready
        self._owner = owner
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with (self._folder / "server.log").open("ab") as output:
            self._process = subprocess.Popen(
                self._command,
                cwd=self._folder,
                user=self._owner,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        deadline = time.monotonic() + UP_SECONDS
        while not self._ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                log = (self._folder / "server.log").read_text(errors="replace")
                raise AssertionError(f"{self._command[0]} did not come up:\n{log[-4000:]}")
            time.sleep(0.05)

    def end(self, number: signal.Signals = signal.SIGINT) -> None:
        """Send a signal and wait for the end."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(number)
            self._process.wait(timeout=UP_SECONDS)


@contextmanager
def own_redis() -> Iterator[tuple[Server, str]]:
    """A Redis that keeps nothing when it ends."""
    program = shutil.which("redis-server")
    if program is None:
        missing("Redis", "install redis-server: this test stops and starts its own")
    with scratch_folder(owner=None) as folder:
        serve, url = redis_in(program, folder)
        server = Server(serve, folder, lambda: ping_redis(url), None)
        server.start()
        try:
            yield server, url
        finally:
            server.end()


@contextmanager
def own_postgres() -> Iterator[tuple[Server, str]]:
    """A PostgreSQL whose data outlive its process.

    The league owns its database there and is nothing more, as in a deployment: what only a
    superuser may do fails here too.
    """
    programs = find_postgres()
    if programs is None:
        missing("PostgreSQL", "install postgresql: this test stops and starts its own")
    owner = server_account()
    with scratch_folder(owner) as folder:
        serve, url = make_postgres(programs, folder, owner)
        server = Server(serve, folder, lambda: ping_postgres(url), owner)
        server.start()
        try:
            yield server, _league_in(url)
        finally:
            server.end()


def _league_in(superuser: str) -> str:
    """The address of a new database, and of its owner, in this server."""
    password = secrets.token_hex(16)
    rights = "LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE"
    with psycopg.connect(superuser, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE league {rights} PASSWORD '{password}'")
        connection.execute("CREATE DATABASE league OWNER league")
    made = make_url(superuser).set(username="league", password=password, database="league")
    return made.render_as_string(hide_password=False)


def on_full_disk(folder: Path) -> list[str]:
    """What a command runs in that finds this folder on a disk of its own, and full."""
    filler = folder / "filler"
    script = (
        f"mount -t tmpfs -o size=1m tmpfs {folder}; dd if=/dev/zero of={filler} bs=4k 2>&-;"
        f' test -s {filler} && exec "$@"'
    )
    return ["unshare", "-rm", "sh", "-c", script, "sh"]


def on_machine(name: str) -> list[str]:
    """What a command runs in that finds itself on a machine of this name, as its process 1."""
    mine = [] if os.geteuid() == 0 else ["--map-root-user"]
    spaces = ["--uts", "--pid", "--fork", "--mount-proc", "--kill-child"]
    return ["unshare", *mine, *spaces, "sh", "-c", f'hostname {name} && exec "$@"', "sh"]


def empty_redis(url: str) -> None:
    """Forget every message."""
    with redis.Redis.from_url(url) as client:
        client.flushall()


def lose_messages(url: str) -> int:
    """Delete the queues of matches, as if their messages had been lost; returns how many."""
    with redis.Redis.from_url(url) as client:
        names = [name for name in client.keys("*season*") if client.type(name) == b"list"]
        lost = sum(client.llen(name) for name in names)
        if names:
            client.delete(*names)
        return int(lost)


def descendants(pid: int) -> set[tuple[int, str]]:
    """All processes below this one as (pid, time of its start), which no other process shares."""
    below: set[tuple[int, str]] = set()
    waiting = [pid]
    while waiting:
        # Asked for by parent: a search through all processes takes longer than some matches.
        for task in threads(Path(f"/proc/{waiting.pop()}")):
            with suppress(FileNotFoundError, ProcessLookupError):
                for child in map(int, (task / "children").read_text().split()):
                    waiting.append(child)
                    if (born := _born(child)) is not None:
                        below.add((child, born))
    return below


def _born(pid: int) -> str | None:
    """The time of its start; None: gone, or only waiting to be buried."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] == "Z" else fields[19]


def still_there(processes: set[tuple[int, str]]) -> set[tuple[int, str]]:
    """Those of these processes that live."""
    return {(pid, born) for pid, born in processes if _born(pid) == born}


def kill_hard(pid: int) -> None:
    """The end that no process can prepare for."""
    os.kill(pid, signal.SIGKILL)
