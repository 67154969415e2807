"""A database that does not answer costs seconds, never minutes: locks, statements, black holes."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from league.settings import LeagueSettings
from store import DatabaseTimeouts, Owner, Store, accounts, locked
from store.migrate import MIGRATION_LOCK
from store.timeouts import ANSWER_MARGIN
from tests.black_hole import BlackHole, behind_black_hole
from tests.league.world import wait_for

pytestmark = pytest.mark.postgres
SHORT = DatabaseTimeouts(connect=2.0, lock=0.3, statement=0.5)


@pytest.fixture
def store(postgres_url: str, tmp_path: Path) -> Iterator[Store]:
    opened = Store(postgres_url, tmp_path / "blobs", timeouts=SHORT)
    opened.migrate()
    yield opened
    opened.close()


def test_a_statement_that_takes_too_long_is_ended_by_the_server(store: Store) -> None:
    with pytest.raises(sa.exc.OperationalError, match="statement timeout"), store.read() as session:
        session.execute(sa.text("SELECT pg_sleep(30)"))


def test_a_backup_or_export_may_take_its_time(store: Store) -> None:
    with store.read(patient=True) as session:
        session.execute(sa.text("SELECT pg_sleep(0.8)"))
    # The next transaction on the same connection has the usual limit again.
    with pytest.raises(sa.exc.OperationalError, match="statement timeout"), store.read() as session:
        session.execute(sa.text("SELECT pg_sleep(30)"))


def test_whoever_waits_for_a_row_too_long_is_told(store: Store) -> None:
    with store.write() as session:
        owner_id = accounts.add_owner(session, "ada").id
    with store.write() as holding:
        locked(holding, Owner, owner_id)
        with (
            pytest.raises(sa.exc.OperationalError, match="lock timeout"),
            store.write() as waiting,
        ):
            locked(waiting, Owner, owner_id)


def test_a_connection_that_swallows_everything_is_given_up_and_the_next_one_works(
    store: Store, tmp_path: Path
) -> None:
    with behind_black_hole(store.url) as (url, hole):
        through = Store(url, tmp_path / "blobs", timeouts=SHORT)
        try:
            with through.read() as session:
                assert session.scalar(sa.text("SELECT 1")) == 1
            hole.swallows.set()
            begun = time.monotonic()
            with pytest.raises(sa.exc.OperationalError), through.read() as session:
                session.scalar(sa.text("SELECT 1"))
            # Not a measure of speed: without a limit of ours this waits for ever.
            assert time.monotonic() - begun < 10 * ANSWER_MARGIN
            hole.swallows.clear()
            with through.read() as session:
                assert session.scalar(sa.text("SELECT 1")) == 1
        finally:
            through.close()


@pytest.mark.heavy
def test_what_a_swallowed_transaction_had_locked_is_free_again(
    store: Store, tmp_path: Path
) -> None:
    with store.write() as session:
        owner_id = accounts.add_owner(session, "ada").id
    with behind_black_hole(store.url) as (url, hole):
        through = Store(url, tmp_path / "blobs", timeouts=SHORT)
        try:
            with pytest.raises(sa.exc.OperationalError):
                _lock_and_ask(through, owner_id, hole)
            # The server never hears that its client is gone, and ends the transaction itself.
            with store.write() as session:
                assert locked(session, Owner, owner_id).handle == "ada"
        finally:
            through.close()


def _lock_and_ask(through: Store, owner_id: int, hole: BlackHole) -> None:
    with through.write() as session:
        locked(session, Owner, owner_id)
        hole.swallows.set()
        session.scalar(sa.text("SELECT 1"))


@contextmanager
def another_upgrade(store: Store) -> Iterator[Callable[[], bool]]:
    """Somebody else is upgrading; gives whether anybody has waited for the end of it for long."""
    waits = sa.text(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory'"
        " AND clock_timestamp() - query_start > interval '0.2 s'"
    )
    with store.engine.connect() as holding, store.engine.connect() as looking:
        free = looking.execution_options(isolation_level="AUTOCOMMIT")
        holding.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATION_LOCK)))
        yield lambda: bool(free.scalar(waits))


def test_an_upgrade_waits_for_another_one_longer_than_for_any_row(
    store: Store, postgres_url: str, tmp_path: Path
) -> None:
    hasty = DatabaseTimeouts(lock=0.01, statement=0.01)
    second = Store(postgres_url, tmp_path / "blobs", timeouts=hasty)
    with ThreadPoolExecutor() as pool:
        with another_upgrade(store) as somebody_waits:
            upgrade = pool.submit(second.migrate)
            wait_for(somebody_waits)
        upgrade.result()
    second.close()


def test_an_upgrade_has_the_patience_of_its_settings(
    store: Store, postgres_url: str, tmp_path: Path
) -> None:
    chosen = LeagueSettings(database_url=postgres_url, database_patient_seconds=0.2)
    second = Store(chosen.database, tmp_path / "blobs", timeouts=chosen.database_timeouts)
    with (
        another_upgrade(store),
        pytest.raises(sa.exc.OperationalError, match="canceling statement due to"),
    ):
        second.migrate()
    second.close()


def test_nothing_is_prepared_on_a_server_that_a_pooler_may_change(store: Store) -> None:
    with store.engine.connect() as connection:
        assert connection.connection.dbapi_connection.prepare_threshold is None  # type: ignore[union-attr]
