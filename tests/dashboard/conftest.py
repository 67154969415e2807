"""A seeded league, played once for all tests and copied for each; clients for every role."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from fastapi import FastAPI
from httpx2 import Response
from starlette.testclient import TestClient

from dashboard.app import create_app
from dashboard.http import passwords
from dashboard.logs import configure_logs
from dashboard.settings import Settings, SignUp
from league.authors.tokens import issue_token
from store import Store, accounts
from tests.dashboard.declared import undeclared
from tests.dashboard.seed import PASSWORD, Seeded, seed_league
from tests.migrated import empty_sqlite

ORIGIN = "http://testserver"


@pytest.fixture(scope="session", autouse=True)
def quick_passwords() -> Iterator[None]:
    """The real hasher is slow on purpose; the tests need its form, not its strength."""
    slow = passwords._HASHER
    quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    passwords._HASHER, passwords._NOBODYS = quick, quick.hash("nobody")
    yield
    passwords._HASHER = slow


@pytest.fixture(scope="session", autouse=True)
def plain_logs() -> None:
    """Logs as in production; the default of the library draws bugs for minutes."""
    configure_logs()


@pytest.fixture(scope="session")
def seeded_folder(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Seeded]:
    """A data folder with a small league in it; never changed, only copied."""
    folder = tmp_path_factory.mktemp("league")
    (folder / "bullring.db").write_bytes(empty_sqlite())
    store = Store(f"sqlite:///{folder / 'bullring.db'}", folder / "replays")
    seeded = seed_league(store, passwords.hash_password(PASSWORD), boards=4, meetings=2)
    store.close()
    return folder, seeded


@pytest.fixture
def seeded(seeded_folder: tuple[Path, Seeded]) -> Seeded:
    return seeded_folder[1]


@pytest.fixture
def settings(seeded_folder: tuple[Path, Seeded], tmp_path: Path) -> Settings:
    folder = tmp_path / "data"
    shutil.copytree(seeded_folder[0], folder)
    return Settings(
        sign_up=SignUp.OPEN,
        data_dir=folder,
        base_url=ORIGIN,
        page_cache_seconds=0,
        live_seconds=0.05,
        upload_max_bytes=200_000,
        sign_in_limit="1000/minute",
        submit_limit="1000/minute",
        write_limit="10000/minute",
        read_limit="100000/minute",
        page_limit="100000/minute",
        token_limit="1000/minute",
    )


@pytest.fixture
def store(settings: Settings) -> Iterator[Store]:
    opened = Store(settings.database, settings.blobs)
    yield opened
    opened.close()


@pytest.fixture
def app(settings: Settings, store: Store) -> FastAPI:
    return create_app(settings, store)


class Browser(TestClient):
    """A client that behaves like a browser: it sends Origin, and fills in the form's token.

    Every answer of the API that it gets must be one that the schema declares.
    """

    def send(self, *args: Any, **kwargs: Any) -> Response:
        answer = super().send(*args, **kwargs)
        assert not undeclared(answer), undeclared(answer)
        return answer

    def token_on(self, path: str) -> str:
        """The token of the first form on a page."""
        page = self.get(path)
        found = re.search(r'name="csrf" value="([^"]+)"', page.text)
        assert found, f"no form on {path}: {page.status_code}"
        return found[1]

    def submit(
        self, path: str, fields: dict[str, str] | None = None, *, on: str = "/sign-in"
    ) -> Response:
        """Send a form as the page `on` would."""
        data = {"csrf": self.token_on(on), **(fields or {})}
        return self.post(path, data=data, headers={"origin": ORIGIN}, follow_redirects=False)


def browser(app: FastAPI, handle: str | None = None) -> Browser:
    """A browser, signed in if a name is given."""
    client = Browser(app, base_url=ORIGIN, raise_server_exceptions=True)
    if handle is not None:
        answer = client.submit("/sign-in", {"handle": handle, "password": PASSWORD})
        assert answer.status_code == 303, answer.text
    return client


@pytest.fixture
def spectator(app: FastAPI) -> Iterator[Browser]:
    with browser(app) as client:
        yield client


@pytest.fixture
def heron(app: FastAPI) -> Iterator[Browser]:
    with browser(app, "heron") as client:
        yield client


@pytest.fixture
def otter(app: FastAPI) -> Iterator[Browser]:
    with browser(app, "otter") as client:
        yield client


@pytest.fixture
def boss(app: FastAPI) -> Iterator[Browser]:
    with browser(app, "boss") as client:
        yield client


def api_token(store: Store, handle: str, *scopes: str) -> dict[str, str]:
    """The header of a fresh token."""
    with store.write() as session:
        owner = accounts.owner_by_handle(session, handle)
        assert owner is not None
        _, secret = issue_token(session, owner.id, "test", scopes)
    return {"authorization": f"Bearer {secret}"}
