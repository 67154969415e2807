"""Every test of the store runs on SQLite and on PostgreSQL, in a fresh database of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from store import Store
from tests.migrated import empty_sqlite, template_database
from tests.services import fresh_database

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


@pytest.fixture(scope="session")
def postgres_template(postgres_server: str) -> Iterator[str]:
    """A database on the server to be copied."""
    with template_database(postgres_server) as name:
        yield name


@pytest.fixture(params=DATABASES)
def migrated_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database with the newest schema and no rows."""
    if request.param == "sqlite":
        (tmp_path / "league.db").write_bytes(empty_sqlite())
        yield f"sqlite:///{tmp_path}/league.db"
        return
    server = request.getfixturevalue("postgres_server")
    with fresh_database(server, request.getfixturevalue("postgres_template")) as url:
        yield url


@pytest.fixture
def store(migrated_url: str, tmp_path: Path) -> Iterator[Store]:
    """A store with the newest schema and no rows."""
    opened = Store(migrated_url, tmp_path / "blobs")
    yield opened
    opened.close()
