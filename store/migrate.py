"""Brings a database to the newest schema, or to a given revision, with Alembic."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store import revisions
from store.errors import NotReady, StoreError
from store.timeouts import PATIENT, DatabaseTimeouts

# Alembic takes longer to import than the rest of the store, and most processes never migrate.
if TYPE_CHECKING:
    from alembic.config import Config

MIGRATION_LOCK = 7_266_642
"""PostgreSQL advisory lock that keeps two migrations apart; the number only has to be ours."""


Running = Literal["refuse", "keep", "end"]
"""What becomes of attempts that are running when tables they write to have to change: the upgrade
is refused; they are kept, because no worker can be at this database; or they end as lost."""


def migrate(
    url: str,
    revision: str = "head",
    *,
    running: Running = "refuse",
    timeouts: DatabaseTimeouts | None = None,
) -> None:
    """Run the migrations; a second process waits and then finds nothing to do.

    Raises StillPlaying, and changes nothing, where an upgrade must not meet a running attempt.
    """
    from alembic import command

    from store.engine import make_engine, normal_url

    # Rebuilding a table on SQLite drops the old one, which must not cascade.
    limits = timeouts or DatabaseTimeouts()
    engine = make_engine(normal_url(url), pool_size=1, foreign_keys=False, timeouts=limits)
    try:
        patient = engine.execution_options(**{PATIENT: True})
        with patient.begin() as connection:
            if connection.dialect.name == "postgresql":
                _one_at_a_time(connection, limits)
            config = migration_config()
            config.attributes["connection"] = connection
            config.attributes["running attempts"] = running
            wanted = newest_revision() if revision == "head" else revision
            if current_revision(connection) == wanted:
                return
            # No database changes a column that a trigger looks at, and SQLite loses the
            # triggers of a table that is rebuilt.
            revisions.remove(connection)
            command.upgrade(config, revision)
            if sa.inspect(connection).has_table("revisions"):
                revisions.install(connection)
    finally:
        engine.dispose()


def _one_at_a_time(connection: Connection, limits: DatabaseTimeouts) -> None:
    """Wait for another migration as long as it may take; for tables no longer than others do."""
    lock_timeout = "SET LOCAL lock_timeout = {:.0f}"
    connection.exec_driver_sql(lock_timeout.format(limits.patient * 1000))
    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATION_LOCK)))
    connection.exec_driver_sql(lock_timeout.format(limits.lock * 1000))


def copy_sqlite(file: Path, folder: Path) -> Path:
    """Copy a SQLite database before it is upgraded; says where the copy is. Raises StoreError."""
    engine = sa.create_engine(f"sqlite:///{file}")
    try:
        with engine.connect() as connection:
            revision = current_revision(connection) or "empty"
    finally:
        engine.dispose()
    copy = folder / f"{file.name}.before-{newest_revision()}-from-{revision}"
    try:
        with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(copy)) as target:
            copy.chmod(0o600)
            source.backup(target)
    except (OSError, sqlite3.Error) as error:
        copy.unlink(missing_ok=True)
        raise StoreError(
            f"the database must be upgraded and cannot be copied before that ({error}); nothing"
            " was changed: free some space and start again"
        ) from error
    return copy


def migration_config() -> "Config":
    """Where the migrations are; there is no ini file."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config


def check_schema(connection: Connection) -> None:
    """Check that a database is as the code expects, without touching it.

    Raises NotReady when it has to be upgraded, StoreError when it is newer than this code.
    """
    from alembic.script import ScriptDirectory

    found, wanted = current_revision(connection), newest_revision()
    if found == wanted:
        return
    known = {
        one.revision for one in ScriptDirectory.from_config(migration_config()).walk_revisions()
    }
    if found is None or found in known:
        raise NotReady(
            f"got a database at revision {found}, expected {wanted}; `bullring db upgrade` brings"
            " it there"
        )
    raise StoreError(
        f"got a database at revision {found}, which this program does not know (it has {wanted});"
        " install the release that the rest of the league runs"
    )


def newest_revision() -> str:
    """The revision that the code expects."""
    from alembic.script import ScriptDirectory

    head = ScriptDirectory.from_config(migration_config()).get_current_head()
    assert head is not None
    return head


def current_revision(connection: Connection) -> str | None:
    """The revision that a database has; None: it is empty."""
    from alembic.runtime.migration import MigrationContext

    return MigrationContext.configure(connection).get_current_revision()
