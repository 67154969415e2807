"""A backup holds everything and restores into either database."""

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from store import (
    METADATA,
    BackupError,
    Finish,
    Store,
    accounts,
    attempts,
    audit,
    backup,
    inbox,
    matches,
    restore,
)
from tests.store.support import add_season, new_match, outcome, queued_matches, replay_lines


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def target_url(
    request: pytest.FixtureRequest, tmp_path: Path, postgres_server_or_none: str | None
) -> Any:
    """The address of a second, empty database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/restored.db"
        return
    from tests.services import fresh_database

    assert postgres_server_or_none is not None
    with fresh_database(postgres_server_or_none) as url:
        yield url


@pytest.fixture
def postgres_server_or_none(request: pytest.FixtureRequest) -> str | None:
    """The server, asked for only by tests marked for it, so that SQLite alone needs none."""
    if request.node.get_closest_marker("postgres") is None:
        return None
    server: str = request.getfixturevalue("postgres_server")
    return server


def fill(store: Store) -> None:
    """Rows in every corner: done, running and planned matches, NULL and filled JSON, secrets."""
    first, second, _third = queued_matches(store, 3)
    blob = store.blobs.write(replay_lines())
    with store.write() as session:
        season = add_season(session)
        owner = accounts.owner_by_handle(session, "ada")
        assert owner is not None
        accounts.add_token(session, owner.id, "laptop – näme", "br_secret", ["submit"])
        accounts.sign_in(session, owner.id)
        audit.record(session, "season.create", "season", season.id, actor=owner)
        inbox.tell(session, owner.id, "hello", "Välkommen")
        attempt = attempts.claim(session, first, "w1")
        assert attempt is not None
        assert attempts.finish(session, attempt.token, outcome(replay=blob)) is Finish.ACCEPTED
        attempt = attempts.claim(session, second, "w1")
        assert attempt is not None
        attempts.void(session, attempt.token, "disk", evidence={"free": 0})


def rows(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    with store.engine.connect() as connection:
        return {
            table.name: [
                tuple(row)
                for row in connection.execute(sa.select(table).order_by(*table.primary_key.columns))
            ]
            for table in METADATA.sorted_tables
            # These say nothing lasting: the triggers of a restored league make them again.
            if table.name not in ("changes", "revisions", "season_counts")
        }


@pytest.mark.heavy(but=("sqlite-sqlite", "postgres-sqlite"))
def test_a_backup_restores_every_row_and_file(
    store: Store, target_url: str, tmp_path: Path
) -> None:
    fill(store)
    path = tmp_path / "league.bullring"
    manifest = backup(store, path)
    assert restore(path, target_url, tmp_path / "restored") == manifest
    copy = Store(target_url, tmp_path / "restored")
    assert rows(copy) == rows(store)
    for sha256, _ in store.blobs.files():
        assert list(copy.blobs.lines(sha256)) == list(store.blobs.lines(sha256))
    with copy.engine.connect() as connection:
        # What was NULL is NULL, and not the JSON text null.
        query = sa.text("SELECT count(*) FROM attempts WHERE evidence IS NULL")
        assert connection.execute(query).scalar() == 1
    with copy.write() as session:
        # New rows get new numbers.
        versions = [row[2] for row in rows(copy)["seats"][:4]]
        (new,) = matches.plan(session, [new_match(versions, 99)])
    assert new == 4
    copy.close()


def test_a_backup_is_private_and_replaces_the_old_one_whole(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "league.bullring"
    path.write_text("old")
    backup(store, path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert tarfile.is_tarfile(path)
    assert [entry.name for entry in tmp_path.iterdir() if entry.name.startswith(".")] == []


def test_restoring_never_overwrites(store: Store, migrated_url: str, tmp_path: Path) -> None:
    fill(store)
    path = tmp_path / "league.bullring"
    backup(store, path)
    before = rows(store)
    with pytest.raises(BackupError, match="never overwrites"):
        restore(path, migrated_url, tmp_path / "restored")
    assert rows(store) == before


@pytest.mark.heavy(but="sqlite")
def test_a_damaged_backup_is_refused_and_leaves_no_row(store: Store, tmp_path: Path) -> None:
    fill(store)
    path, damaged = tmp_path / "league.bullring", tmp_path / "damaged.bullring"
    backup(store, path)
    data = bytearray(path.read_bytes())
    with tarfile.open(path) as tar:
        seats = tar.getmember("tables/seats.jsonl.zst")
    data[seats.offset_data + seats.size // 2] ^= 0xFF
    damaged.write_bytes(data)
    url = f"sqlite:///{tmp_path}/restored.db"
    with pytest.raises(BackupError, match="seats"):
        restore(damaged, url, tmp_path / "restored")
    copy = Store(url, tmp_path / "restored")
    assert not any(rows(copy).values())
    copy.close()
    restore(path, url, tmp_path / "restored")


@pytest.mark.parametrize("share", [0.02, 0.5, 0.95])
def test_a_cut_off_backup_is_refused(store: Store, tmp_path: Path, share: float) -> None:
    fill(store)
    path, cut = tmp_path / "league.bullring", tmp_path / "cut.bullring"
    backup(store, path)
    with tarfile.open(path) as tar:
        end = max(member.offset_data + member.size for member in tar.getmembers())
    cut.write_bytes(path.read_bytes()[: int(end * share)])
    with pytest.raises(BackupError):
        restore(cut, f"sqlite:///{tmp_path}/restored.db", tmp_path / "restored")


def test_a_strange_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "strange.bullring"
    url = f"sqlite:///{tmp_path}/restored.db"
    path.write_text("not a backup")
    with pytest.raises(BackupError, match="not a whole backup"):
        restore(path, url, tmp_path)
    with tarfile.open(path, "w") as tar:
        manifest = tmp_path / "manifest.json"
        manifest.write_text(json.dumps({"format": "other/1"}))
        tar.add(manifest, "manifest.json")
    with pytest.raises(BackupError, match="other/1"):
        restore(path, url, tmp_path)
    with pytest.raises(BackupError, match="cannot restore"):
        restore(tmp_path / "nowhere", url, tmp_path)


def test_a_missing_replay_file_stops_the_backup(store: Store, tmp_path: Path) -> None:
    fill(store)
    for _, file in list(store.blobs.files()):
        file.unlink()
    with pytest.raises(BackupError, match="missing"):
        backup(store, tmp_path / "league.bullring")
    assert not (tmp_path / "league.bullring").exists()
