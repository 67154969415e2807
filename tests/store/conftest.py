"""Every test of the store runs on SQLite and on PostgreSQL, in a fresh database of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from store import Store

DATABASES = [
    pytest.param("sqlite", id="sqlite"),
    pytest.param("postgres", id="postgres", marks=pytest.mark.postgres),
]


@pytest.fixture(params=DATABASES)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/league.db"
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
def store(database_url: str, tmp_path: Path) -> Iterator[Store]:
    """A store with the newest schema and no rows."""
    opened = Store(database_url, tmp_path / "blobs")
    opened.migrate()
    yield opened
    opened.close()
