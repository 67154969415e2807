"""A database that does not answer costs seconds, never minutes: locks, statements, black holes."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import make_url

from store import DatabaseTimeouts, Owner, Store, accounts, locked
from store.timeouts import ANSWER_MARGIN

pytestmark = pytest.mark.postgres
SHORT = DatabaseTimeouts(connect=2.0, lock=0.3, statement=0.5)


@pytest.fixture
def store(postgres_url: str, tmp_path: Path) -> Iterator[Store]:
    opened = Store(postgres_url, tmp_path / "blobs", timeouts=SHORT)
    opened.migrate()
    yield opened
    opened.close()


class BlackHole:
    """A way to a server that hands everything on, until it swallows everything."""

    def __init__(self, host: str, port: int) -> None:
        self.swallows = threading.Event()
        self._target = (host, port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._open: list[socket.socket] = [self._listener]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(self._target)
            self._open += [client, server]
            for pair in ((client, server), (server, client)):
                threading.Thread(target=self._copy, args=pair, daemon=True).start()

    def _copy(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                if not self.swallows.is_set():
                    target.sendall(data)
        except OSError:
            return

    def close(self) -> None:
        for one in self._open:
            one.close()


@contextmanager
def behind_black_hole(url: str) -> Iterator[tuple[str, BlackHole]]:
    parsed = make_url(url)
    hole = BlackHole(parsed.host or "127.0.0.1", parsed.port or 5432)
    try:
        moved = parsed.set(host="127.0.0.1", port=hole.port)
        yield moved.render_as_string(hide_password=False), hole
    finally:
        hole.close()


def test_a_statement_that_takes_too_long_is_ended_by_the_server(store: Store) -> None:
    with pytest.raises(sa.exc.OperationalError, match="statement timeout"), store.read() as session:
        session.execute(sa.text("SELECT pg_sleep(30)"))


def test_a_backup_or_export_may_take_its_time(store: Store) -> None:
    with store.read(patient=True) as session:
        session.execute(sa.text("SELECT pg_sleep(0.8)"))
    # The next transaction on the same connection has the usual limit again.
    with pytest.raises(sa.exc.OperationalError, match="statement timeout"), store.read() as session:
        session.execute(sa.text("SELECT pg_sleep(30)"))


def test_whoever_waits_for_a_row_too_long_is_told(store: Store) -> None:
    with store.write() as session:
        owner_id = accounts.add_owner(session, "ada").id
    with store.write() as holding:
        locked(holding, Owner, owner_id)
        with (
            pytest.raises(sa.exc.OperationalError, match="lock timeout"),
            store.write() as waiting,
        ):
            locked(waiting, Owner, owner_id)


def test_a_connection_that_swallows_everything_is_given_up_and_the_next_one_works(
    store: Store, tmp_path: Path
) -> None:
    with behind_black_hole(store.url) as (url, hole):
        through = Store(url, tmp_path / "blobs", timeouts=SHORT)
        try:
            with through.read() as session:
                assert session.scalar(sa.text("SELECT 1")) == 1
            hole.swallows.set()
            begun = time.monotonic()
            with pytest.raises(sa.exc.OperationalError), through.read() as session:
                session.scalar(sa.text("SELECT 1"))
            # Not a measure of speed: without a limit of ours this waits for ever.
            assert time.monotonic() - begun < 10 * ANSWER_MARGIN
            hole.swallows.clear()
            with through.read() as session:
                assert session.scalar(sa.text("SELECT 1")) == 1
        finally:
            through.close()
