"""What an act costs PostgreSQL and the process that asks: counted on its connections."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from league.settings import LeagueSettings
from league.wiring import open_store
from store import Store

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one act costs, averaged."""

    own: float
    """CPU seconds of the process that acts."""
    database: float
    """CPU seconds of PostgreSQL's process for it."""
    statements: float
    log_bytes: float
    """What PostgreSQL writes to its log, and so to disk and to replicas."""


@contextmanager
def two_connections(url: str, folder: Path) -> Iterator[Store]:
    """A store whose every statement goes to one of the same two processes of PostgreSQL."""
    open_store(LeagueSettings(data_dir=folder, database_url=url)).close()
    database = Store(url, folder / "replays", pool_size=2)
    if not database.is_postgresql:
        sys.exit("bench.scale: BULLRING_DATABASE_URL must be an empty PostgreSQL database")
    yield database
    database.close()


def size_of(database: Store) -> int:
    """Bytes of the whole database, indexes included."""
    with database.engine.connect() as connection:
        query = sa.text("SELECT pg_database_size(current_database())")
        return int(connection.execute(query).scalar_one())


class Meter:
    """Counts what happens on the connections that the benchmark uses."""

    def __init__(self, database: Store) -> None:
        self._database = database
        self._statements = 0
        sa.event.listen(database.engine, "before_cursor_execute", self._on_statement)
        # A clock needs two at once: one that writes, one for its memory.
        with database.engine.connect() as one, database.engine.connect() as two:
            query = sa.text("SELECT pg_backend_pid()")
            self._pids = [each.execute(query).scalar_one() for each in (one, two)]

    def _on_statement(self, *_: object) -> None:
        self._statements += 1

    def _backend(self) -> float:
        used = 0
        for pid in self._pids:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            used += int(fields[11]) + int(fields[12])
        return used / TICKS

    def _log(self) -> int:
        query = sa.text("SELECT pg_current_wal_insert_lsn() - '0/0'")
        with self._database.engine.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def measure(self, act: Callable[[], object], times: int = 1) -> Cost:
        """The cost of `act`, which does it `times` times."""
        log = self._log()
        self._statements = 0
        backend, own = self._backend(), time.process_time()
        act()
        own, backend = time.process_time() - own, self._backend() - backend
        statements = self._statements
        return Cost(
            own=own / times,
            database=backend / times,
            statements=statements / times,
            log_bytes=(self._log() - log) / times,
        )
