"""An upgrade from the database of an earlier release loses no row and no match.

`data/release-0001.tar` is a backup that revision 0001 wrote in the middle of a season: two matches
done, one being played, others waiting; an account with token and sign-in, a submission, an audit
log.
"""

import json
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

import store
from cli.operate.database import backup as backup_command
from cli.operate.database import restore as restore_command
from cli.operate.database import upgrade
from league.wiring import join_store
from nimmt.verify import verify
from store import MatchState, NotReady, SeasonState, Store
from store.migrate import current_revision, migrate, newest_revision
from tests.league.world import play_due, settings

BEFORE = Path(__file__).parent / "data" / "release-0001.tar"
DATABASES = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]


@pytest.fixture(params=DATABASES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/bullring.db"
    else:
        yield request.getfixturevalue("postgres_url")


@pytest.fixture
def old(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The database as the earlier release left it, not yet upgraded."""
    monkeypatch.setenv("BULLRING_DATABASE_URL", url)
    monkeypatch.setenv("BULLRING_DATA_DIR", str(tmp_path))

    def only_so_far(address: str, revision: str | None = None) -> None:
        # A restore ends with the migration to the newest schema; here the operator does that.
        if revision is not None:
            migrate(address, revision)

    with monkeypatch.context() as patched:
        patched.setattr(import_module("store.restore"), "migrate", only_so_far)
        store.restore(BEFORE, url, tmp_path / "replays")
    return Store(url, tmp_path / "replays")


def contents(database: Store) -> dict[str, Counter[str]]:
    """Every row of every table, by what the first schema knew of it."""
    metadata = sa.MetaData()
    metadata.reflect(database.engine)
    found: dict[str, Counter[str]] = {}
    with database.engine.connect() as connection:
        for table in metadata.sorted_tables:
            if table.name != "alembic_version":
                rows = connection.execute(sa.select(table)).mappings()
                found[table.name] = Counter(_words(dict(row)) for row in rows)
    return found


def _words(row: dict[str, Any]) -> str:
    return json.dumps(row, sort_keys=True, default=str)


def test_every_row_survives_the_upgrade_and_the_season_is_played_to_its_end(
    old: Store, tmp_path: Path
) -> None:
    before = contents(old)
    if before_newest(old):
        with pytest.raises(NotReady):
            join_store(settings(tmp_path, database_url=old.url))
    upgrade()
    with old.engine.connect() as connection:
        assert current_revision(connection) == newest_revision()
    after = contents(old)
    for name, rows in before.items():
        if set(columns(before, name)) == set(columns(after, name)):
            assert rows <= after[name], name
        else:
            assert rows.total() <= after[name].total(), name

    chosen = settings(tmp_path, database_url=old.url)
    with old.write() as session:
        assert store.attempts.reap(session, dead_worker="a worker of before").lost
    play_due(old, chosen)
    with old.read() as session:
        season = store.seasons.by_name(session, "before")
        assert season is not None
        assert season.state is SeasonState.FINISHED
        played = store.match_lists.matches(session, season_id=season.id, limit=100)
        assert len(played) == 7
        assert {match.state for match in played} == {MatchState.DONE}
        blobs = [store.results.blob_of(session, match.id) for match in played]
    for blob in blobs:
        assert blob is not None
        for line in old.blobs.lines(blob.sha256):
            verify(json.loads(line))
    old.close()


def before_newest(database: Store) -> bool:
    with database.engine.connect() as connection:
        return current_revision(connection) != newest_revision()


def columns(found: dict[str, Counter[str]], table: str) -> set[str]:
    return {name for row in found[table] for name in json.loads(row)}


def test_backup_and_restore_by_command(
    old: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    upgrade()
    kept = contents(old)
    old.close()
    backup_command(tmp_path / "kept.tar")
    monkeypatch.setenv("BULLRING_DATABASE_URL", f"sqlite:///{tmp_path}/again.db")
    monkeypatch.setenv("BULLRING_DATA_DIR", str(tmp_path / "again"))
    restore_command(tmp_path / "kept.tar")
    assert "2 replay files" in capsys.readouterr().out
    again = Store(f"sqlite:///{tmp_path}/again.db", tmp_path / "again" / "replays")
    assert {name: rows.total() for name, rows in contents(again).items()} == {
        name: rows.total() for name, rows in kept.items()
    }
    assert len(list(again.blobs.files())) == 2
    again.close()
