"""An empty league of its own for every test that asks for one."""

from pathlib import Path

import pytest

from league.settings import LeagueSettings
from store import Store
from tests.league.world import open_store, settings


@pytest.fixture
def chosen(tmp_path: Path) -> LeagueSettings:
    return settings(tmp_path)


@pytest.fixture
def database(chosen: LeagueSettings) -> Store:
    return open_store(chosen)
