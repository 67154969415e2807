"""Migrations, engines and sessions."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlmodel import col, select

from store import DATABASE_ERRORS, METADATA, Owner, Setting, Store, StoreError, accounts, locked
from store import settings as store_settings
from store.columns import db_time
from store.engine import make_engine, normal_url
from store.migrate import current_revision, migrate, migration_config, newest_revision


def test_the_migrated_schema_is_the_one_of_the_tables(store: Store) -> None:
    with store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []
        assert current_revision(connection) == newest_revision()


def test_migrating_twice_changes_nothing(store: Store) -> None:
    with store.write() as session:
        accounts.add_owner(session, "ada")
    store.migrate()
    with store.read() as session:
        assert accounts.owner_by_handle(session, "ada") is not None


def test_the_first_migrations_can_be_undone(database_url: str) -> None:
    migrate(database_url, "0002")
    engine = make_engine(normal_url(database_url), foreign_keys=False)
    with engine.begin() as connection:
        downgrade(connection, "base")
    assert set(sa.inspect(engine).get_table_names()) == {"alembic_version"}
    engine.dispose()


def test_the_way_back_from_facts_in_columns_is_the_backup(database_url: str) -> None:
    migrate(database_url, "0003")
    engine = make_engine(normal_url(database_url), foreign_keys=False)
    with pytest.raises(StoreError, match="restore the backup"), engine.begin() as connection:
        downgrade(connection, "0002")
    with engine.connect() as connection:
        assert current_revision(connection) == "0003"
    engine.dispose()


def downgrade(connection: sa.Connection, revision: str) -> None:
    config = migration_config()
    config.attributes["connection"] = connection
    command.downgrade(config, revision)


@pytest.mark.heavy(but="sqlite")
@pytest.mark.timeout(600)
def test_processes_that_migrate_at_once_do_not_collide(database_url: str) -> None:
    code = f"import store; store.migrate({database_url!r})"
    root = Path(__file__).resolve().parents[2]
    started = [subprocess.Popen([sys.executable, "-c", code], cwd=root) for _ in range(3)]
    assert [process.wait() for process in started] == [0, 0, 0]


def test_a_read_session_cannot_write(store: Store) -> None:
    with store.read() as session, pytest.raises(sa.exc.DBAPIError):
        accounts.add_owner(session, "ada")
    with store.write() as session:
        accounts.add_owner(session, "ada")


def test_a_write_session_is_rolled_back_on_an_exception(store: Store) -> None:
    def fail() -> None:
        with store.write() as session:
            accounts.add_owner(session, "ada")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with store.read() as session:
        assert accounts.owner_by_handle(session, "ada") is None


def test_a_reader_is_not_held_up_by_a_writer(store: Store) -> None:
    with store.write() as writer:
        accounts.add_owner(writer, "ada")
        with store.read() as reader:
            assert accounts.owner_by_handle(reader, "ada") is None


def test_threads_share_a_store(store: Store) -> None:
    with store.write() as session:
        store_settings.write(session, "counter", {"count": 0})

    def count(_number: int) -> None:
        with store.write() as session:
            row = locked(session, Setting, "counter")
            row.value = {"count": cast(int, row.value["count"]) + 1}
        with store.read() as session:
            assert store_settings.read(session, "counter") is not None

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(count, range(40)))
    with store.read() as session:
        assert store_settings.read(session, "counter") == {"count": 40}


@pytest.mark.postgres
def test_a_locked_row_can_be_referred_to_meanwhile(postgres_url: str, tmp_path: Path) -> None:
    store = Store(postgres_url, tmp_path)
    store.migrate()
    with store.write() as session:
        owner = accounts.add_owner(session, "ada")
    with store.write() as first:
        locked(first, Owner, owner.id)
        with store.write() as second:
            second.execute(sa.text("SET LOCAL lock_timeout = '5s'"))
            accounts.add_token(second, owner.id, "laptop", "br_secret")
    store.close()


def test_a_database_that_is_away_is_the_platforms_fault(tmp_path: Path) -> None:
    store = Store("postgresql://nobody@127.0.0.1:1/nowhere", tmp_path)
    with pytest.raises(DATABASE_ERRORS):
        store.now()
    store.close()


def test_foreign_keys_hold(store: Store) -> None:
    with pytest.raises(sa.exc.IntegrityError), store.write() as session:
        accounts.add_token(session, 12345, "laptop", "br_secret")


def test_times_come_back_aware_and_equal(store: Store) -> None:
    moment = datetime(2026, 11, 16, 5, 4, 3, 210987, tzinfo=UTC)
    other_zone = moment.astimezone(tz=None)
    with store.write() as session:
        owner = accounts.add_owner(session, "ada")
        owner.disabled_at = other_zone
    with store.read() as session:
        found = session.get(Owner, owner.id)
        assert found is not None
        assert found.disabled_at == moment
        assert found.disabled_at.tzinfo is UTC


def test_a_time_without_zone_is_refused(store: Store) -> None:
    with pytest.raises(sa.exc.StatementError, match="naive"), store.write() as session:
        accounts.add_owner(session, "ada").disabled_at = datetime(2026, 1, 1)  # noqa: DTZ001 - that is what is tested


def test_the_databases_clock_moves_by_the_offset_and_compares_with_stored_times(
    store: Store,
) -> None:
    with store.read() as session:
        earlier, now, later = session.execute(
            sa.select(db_time(-90.5), db_time(), db_time(3600))
        ).one()
        assert timedelta(seconds=90) < now - earlier < timedelta(seconds=95)
        assert timedelta(seconds=3595) < later - now < timedelta(seconds=3605)
    with store.write() as session:
        accounts.add_owner(session, "ada").disabled_at = now
    with store.read() as session:
        column = col(Owner.disabled_at)
        past = select(Owner).where(column < db_time(1))
        future = select(Owner).where(column < db_time(-60))
        assert len(session.exec(past).all()) == 1
        assert session.exec(future).all() == []


def test_other_accounts_of_the_machine_cannot_read_the_database(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    store = Store(f"sqlite:///{shared}/league.db", tmp_path / "blobs")
    store.migrate()
    with store.write() as session:
        accounts.add_owner(session, "ada", password_hash="secret")
        files = {file.name: file.stat().st_mode & 0o777 for file in shared.iterdir()}
    store.close()
    assert files == {"league.db": 0o600, "league.db-wal": 0o600, "league.db-shm": 0o600}


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:"])
def test_a_database_in_memory_is_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="expected a file"):
        Store(url, tmp_path)


def test_an_unknown_address_is_refused_without_repeating_its_password(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="mysql") as error:
        Store("mysql://ada:secret@host/db", tmp_path)
    assert "secret" not in str(error.value)


def test_ladders_of_before_have_no_title(database_url: str) -> None:
    migrate(database_url, "0004")
    engine = make_engine(normal_url(database_url), foreign_keys=False)
    now = datetime.now(UTC).isoformat()
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(sa.text("SET session_replication_role = replica"))
        connection.execute(
            sa.text(
                "INSERT INTO ladders (id, state, rules, options, table_size, boards, passes, time,"
                " cap, created_at)"
                f" VALUES (7, 'open', 'x-nimmt', '{{}}', 4, 8, 1, '{{}}', 2, '{now}')"
            )
        )
    migrate(database_url, "0005")
    with engine.begin() as connection:
        assert connection.execute(sa.text("SELECT title FROM ladders")).scalars().all() == [""]
        downgrade(connection, "0004")
        assert connection.execute(sa.text("SELECT rules FROM ladders")).scalars().all() == [
            "x-nimmt"
        ]
    assert "title" not in {column["name"] for column in sa.inspect(engine).get_columns("ladders")}
    engine.dispose()


def test_seats_and_accounts_of_before_have_no_substitutes_and_no_addresses(
    database_url: str,
) -> None:
    migrate(database_url, "0003")
    engine = make_engine(normal_url(database_url), foreign_keys=False)
    now = datetime.now(UTC).isoformat()
    with engine.begin() as connection:
        connection.execute(
            sa.text(
                "INSERT INTO owners (id, handle, name, role, is_house, created_at)"
                f" VALUES (1, 'ada', '', 'author', false, '{now}')"
            )
        )
        if connection.dialect.name == "postgresql":
            connection.execute(sa.text("SET session_replication_role = replica"))
        connection.execute(
            sa.text(
                "INSERT INTO seats (match_id, number, version_id, bot_id, games, rounds, points,"
                " places, wins, faults, out_games, decisions, think_ms, stats)"
                " VALUES (1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, '{}')"
            )
        )
    migrate(database_url, "0004")
    with engine.begin() as connection:
        seats = connection.execute(sa.text("SELECT substitute FROM seats")).scalars().all()
        seen = connection.execute(sa.text("SELECT count(*) FROM seen_addresses")).scalar_one()
    assert ([bool(one) for one in seats], seen) == ([False], 0)
    with engine.begin() as connection:
        downgrade(connection, "0003")
        assert connection.execute(sa.text("SELECT handle FROM owners")).scalars().all() == ["ada"]
    tables = sa.inspect(engine)
    assert "seen_addresses" not in tables.get_table_names()
    assert "substitute" not in {column["name"] for column in tables.get_columns("seats")}
    engine.dispose()
