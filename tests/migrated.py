"""Databases with the newest schema and no rows: migrated once a process, then copied.

Migrating takes longer than most tests; those of the migrations themselves start from nothing.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from store import Store
from tests.services import fresh_database


@cache
def empty_sqlite() -> bytes:
    """The file of such a database."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "empty.db"
        _migrate(f"sqlite:///{file}", folder)
        return file.read_bytes()


@contextmanager
def template_database(server: str) -> Iterator[str]:
    """The name of such a database on a PostgreSQL server, for copies by `fresh_database`."""
    with fresh_database(server) as url, tempfile.TemporaryDirectory() as folder:
        _migrate(url, folder)
        yield url.rsplit("/", 1)[1]


def _migrate(url: str, folder: str) -> None:
    store = Store(url, folder)
    store.migrate()
    store.close()
