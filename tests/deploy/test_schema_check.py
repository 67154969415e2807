"""A worker waits for a database that is behind, and refuses one that is ahead of it."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from league.settings import LeagueSettings
from league.wiring import join_store
from store import NotReady, Store, StoreError


def test_a_worker_waits_until_the_schema_is_there(tmp_path: Path) -> None:
    settings = LeagueSettings(data_dir=tmp_path)
    with pytest.raises(NotReady, match="db upgrade"):
        join_store(settings)
    database = Store(settings.database, settings.blobs)
    database.migrate()
    join_store(settings).close()
    with database.engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    database.close()
    with pytest.raises(StoreError, match="install the release") as error:
        join_store(settings)
    assert not isinstance(error.value, NotReady)
