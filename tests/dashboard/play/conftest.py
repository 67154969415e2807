"""A league with a worker that plays tables, and its pages on a real port."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from dashboard.settings import Settings
from league.services import LeagueServices
from league.settings import LeagueSettings
from league.wiring import make_worker, open_store
from league.worker import Worker
from store import Store
from tests.dashboard.play.visitor import Visitor
from tests.dashboard.serving import served

QUICK = {"fair_host": False, "poll_seconds": 0.2, "tick_seconds": 0.2, "lease_seconds": 5.0}


@dataclass(slots=True)
class House:
    """A running league."""

    url: str
    store: Store
    settings: Settings
    worker: Worker

    def visitor(self) -> Visitor:
        return Visitor(self.url)


def table_settings(folder: Path, **more: object) -> Settings:
    """Settings of a league whose matches nobody waits for."""
    shared = {"data_dir": folder, "table_slots": 2, "write_limit": "10000/minute", **QUICK}
    return Settings.model_validate({**shared, **more})


@pytest.fixture
def house(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[House]:
    """Pages and a worker with two slots for tables; a test may name other settings."""
    settings = table_settings(tmp_path / "data", **getattr(request, "param", {}))
    store = open_store(LeagueSettings.model_validate(settings.model_dump()))
    worker = make_worker(settings, store)
    worker.start()
    try:
        with served(settings, store, LeagueServices(settings, store)) as url:
            yield House(url, store, settings, worker)
    finally:
        worker.stop()
        store.close()
