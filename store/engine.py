"""`Store`: a database by its address, with sessions that read and sessions that write."""

import os
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.pool import QueuePool
from sqlmodel import Session, SQLModel

from store.blobs import Blobs
from store.columns import db_time
from store.errors import NotFound, StoreError
from store.migrate import Running, check_schema, migrate
from store.timeouts import PATIENT, WRITES, DatabaseTimeouts, bound

BUSY_SECONDS = 15.0
"""How long a SQLite writer waits for another; every write transaction must be far shorter."""

RowT = TypeVar("RowT", bound=SQLModel)


class Store:
    """The database and the replay files; one a process, shared by its threads."""

    def __init__(
        self,
        url: str,
        blobs: Blobs | Path | str,
        *,
        pool_size: int = 10,
        timeouts: DatabaseTimeouts | None = None,
    ) -> None:
        self.url = normal_url(url)
        self._timeouts = timeouts
        self.engine = make_engine(self.url, pool_size=pool_size, timeouts=timeouts)
        self.blobs = blobs if isinstance(blobs, Blobs) else Blobs(Path(blobs))
        # The same pool, other transactions: readers must not queue up behind writers.
        self._reader = self.engine.execution_options(bullring_reads=True)
        if self.is_postgresql:
            self._reader = self._reader.execution_options(postgresql_readonly=True)
        self._writer = self.engine.execution_options(**{WRITES: True})

    @property
    def is_postgresql(self) -> bool:
        """Whether the database is PostgreSQL (else it is SQLite)."""
        return self.engine.dialect.name == "postgresql"

    @contextmanager
    def read(self, *, patient: bool = False, snapshot: bool = False) -> Iterator[Session]:
        """A read-only session; its rows stay readable afterwards.

        `patient`: a backup or an export, whose statements may take an hour. `snapshot`: all its
        statements see the same moment, on PostgreSQL too (on SQLite they always do).
        """
        reader = self._reader.execution_options(**{PATIENT: True}) if patient else self._reader
        if snapshot and self.is_postgresql:
            reader = reader.execution_options(isolation_level="REPEATABLE READ")
        with Session(reader, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """One transaction: committed at the end, rolled back on any exception.

        On SQLite it holds the only write lock from its first statement on. On PostgreSQL what
        is read and then changed must be read with `locked`.
        """
        with Session(self._writer, expire_on_commit=False) as session, session.begin():
            yield session

    def migrate(self, *, running: Running = "refuse") -> None:
        """Bring the schema up to date; safe to run from several processes at once."""
        migrate(self.url, running=running, timeouts=self._timeouts)

    def check_schema(self) -> None:
        """Check that the schema is up to date. Raises NotReady while it is not."""
        with self.engine.connect() as connection:
            check_schema(connection)

    def now(self) -> datetime:
        """The time by the database's clock."""
        with self.read() as session:
            return database_time(session)

    def close(self) -> None:
        """Give all connections back."""
        self.engine.dispose()


def database_time(session: Session) -> datetime:
    """The time by the database's clock."""
    moment: datetime = session.scalars(sa.select(db_time())).one()
    return moment


def locked(session: Session, table: type[RowT], ident: object) -> RowT:
    """Read a row in order to change it; no other session can change it until this one ends."""
    # A key-share lock (FOR NO KEY UPDATE) lets others add rows that refer to this one meanwhile.
    row = session.get(table, ident, with_for_update={"key_share": True}, populate_existing=True)
    if row is None:
        raise missing(table, ident)
    return row


def present(session: Session, table: type[RowT], ident: object) -> RowT:
    """Read a row that has to exist."""
    row = session.get(table, ident)
    if row is None:
        raise missing(table, ident)
    return row


def missing(table: type[SQLModel], ident: object) -> NotFound:
    """The error for a row that is not there."""
    return NotFound(f"got {table.__name__.lower()} {ident!r}, expected one that exists")


def normal_url(url: str) -> str:
    """The address with the driver spelled out; refuses what the store cannot work with."""
    try:
        parsed = make_url(url)
    except sa.exc.ArgumentError:
        raise _bad_url(url) from None
    backend = parsed.get_backend_name()
    if backend == "sqlite":
        if parsed.database in (None, "", ":memory:"):
            raise StoreError(
                "got an in-memory SQLite address, expected a file: processes share the database"
            )
        driver = "sqlite"
    elif backend in ("postgresql", "postgres"):
        driver = "postgresql+psycopg"
    else:
        raise _bad_url(url)
    return parsed.set(drivername=driver).render_as_string(hide_password=False)


def _bad_url(url: str) -> StoreError:
    # The address may hold a password, so only its scheme is repeated.
    scheme = url.partition("://")[0][:30]
    return StoreError(
        f"got a database address with scheme {scheme!r}, expected sqlite:///PATH or"
        " postgresql://USER@HOST/NAME"
    )


def make_engine(
    url: str,
    *,
    pool_size: int = 10,
    foreign_keys: bool = True,
    timeouts: DatabaseTimeouts | None = None,
) -> Engine:
    """An engine with the transactions, limits and pragmas that the store relies on."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        return _sqlite_engine(parsed, pool_size, foreign_keys)
    limits = timeouts or DatabaseTimeouts()
    engine = sa.create_engine(
        parsed,
        connect_args=limits.connection_arguments,
        pool_size=pool_size,
        max_overflow=2 * pool_size,
        # A restart of the server must not show up as an error, so connections are tried before use.
        pool_pre_ping=True,
        # Errors are logged, and the keys of matches are among the values of a statement.
        hide_parameters=True,
    )
    bound(engine, limits)
    return engine


def _sqlite_engine(url: URL, pool_size: int, foreign_keys: bool) -> Engine:
    if url.database:
        Path(url.database).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    engine = sa.create_engine(
        url,
        poolclass=QueuePool,
        pool_size=pool_size,
        max_overflow=2 * pool_size,
        hide_parameters=True,
    )

    @sa.event.listens_for(engine, "do_connect")
    def before_connect(*_: object) -> None:
        if url.database and not Path(url.database).exists():
            _make_private(Path(url.database))

    @sa.event.listens_for(engine, "connect")
    def on_connect(connection: sqlite3.Connection, _record: Any) -> None:
        # The driver must not begin transactions of its own; on_begin does.
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
        _use_wal(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")

    @sa.event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:
        reads = bool(connection.get_execution_options().get("bullring_reads"))
        connection.exec_driver_sql(f"PRAGMA query_only = {'ON' if reads else 'OFF'}")
        # A writer takes the lock at once: a transaction that reads first and asks for it later
        # would fail, or overwrite what another one wrote in between.
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    return engine


def _make_private(path: Path) -> None:
    """An empty file for this account alone; SQLite gives its log the same mode.

    By a link, because closing a file takes away every lock that SQLite has on it in this process.
    """
    # Whatever goes wrong here, SQLite runs into it again and reports it better.
    with suppress(OSError):
        descriptor, name = tempfile.mkstemp(dir=path.parent)
        os.close(descriptor)
        with suppress(FileExistsError):
            path.hardlink_to(name)
        Path(name).unlink()


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to write-ahead logging; the switch ignores the busy timeout, hence the loop."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
