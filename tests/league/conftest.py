"""A league of its own for every test that asks for one."""

from pathlib import Path

import pytest

from league.settings import LeagueSettings
from store import Store
from tests.factories import add_bots, open_store
from tests.league.world import settings


@pytest.fixture
def chosen(tmp_path: Path) -> LeagueSettings:
    return settings(tmp_path)


@pytest.fixture
def database(chosen: LeagueSettings, request: pytest.FixtureRequest) -> Store:
    """A league without matches; the bots that the module names as its `FIELD` are in it."""
    made = open_store(chosen)
    add_bots(made, getattr(request.module, "FIELD", ()))
    return made
