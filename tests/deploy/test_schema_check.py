"""Who changes a schema: `bullring db upgrade`, and an embedded league at its start."""

import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from cli.main import build_app
from dashboard.settings import load_secret
from league.settings import LeagueSettings
from league.wiring import enter_store, join_store, start_store
from store import NotReady, Store, StoreError
from store.migrate import current_revision, migrate, newest_revision


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


def old_league(folder: Path) -> LeagueSettings:
    """An embedded league with the schema of an earlier release."""
    settings = LeagueSettings(data_dir=folder)
    migrate(settings.database, "0001")
    return settings


def revision(settings: LeagueSettings) -> str | None:
    with Store(settings.database, settings.blobs).engine.connect() as connection:
        return current_revision(connection)


def test_a_command_that_finds_an_old_schema_says_what_to_type_and_changes_nothing(
    tmp_path: Path,
) -> None:
    settings = old_league(tmp_path)
    with pytest.raises(NotReady, match=r"revision 0001.*bullring db upgrade"):
        enter_store(settings)
    found = CliRunner().invoke(
        build_app(), ["season", "list"], env={"BULLRING_DATA_DIR": str(tmp_path)}
    )
    assert found.exit_code == 2
    assert "bullring db upgrade" in found.output
    assert revision(settings) == "0001"


def test_the_embedded_league_upgrades_at_its_start_and_keeps_a_copy(tmp_path: Path) -> None:
    settings = old_league(tmp_path)
    start_store(settings).close()
    assert revision(settings) == newest_revision()
    [copy] = tmp_path.glob("bullring.db.before-*")
    assert copy.stat().st_mode & 0o777 == 0o600
    kept = LeagueSettings(data_dir=tmp_path, database_url=f"sqlite:///{copy}")
    assert revision(kept) == "0001"


def test_a_scaled_league_waits_for_somebody_to_upgrade_it(tmp_path: Path) -> None:
    settings = old_league(tmp_path)
    scaled = settings.model_copy(update={"database_url": settings.database})
    with pytest.raises(NotReady, match="bullring db upgrade"):
        start_store(scaled)
    assert revision(settings) == "0001"


def test_a_command_makes_the_first_database_of_an_embedded_league(tmp_path: Path) -> None:
    enter_store(LeagueSettings(data_dir=tmp_path)).close()
    assert revision(LeagueSettings(data_dir=tmp_path)) == newest_revision()


def test_a_first_start_on_a_full_disk_leaves_no_broken_secret(tmp_path: Path) -> None:
    code = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from dashboard.settings import load_secret\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))\n"
        "load_secret(Path(sys.argv[1]))\n"
    )
    failed = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert "File too large" in failed.stderr
    assert list(tmp_path.iterdir()) == []
    assert load_secret(tmp_path) == load_secret(tmp_path)
