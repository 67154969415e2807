"""Brings a database to the newest schema, or to a given revision, with Alembic."""

from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.engine import Connection

# Alembic takes longer to import than the rest of the store, and most processes never migrate.
if TYPE_CHECKING:
    from alembic.config import Config

MIGRATION_LOCK = 7_266_642
"""PostgreSQL advisory lock that keeps two migrations apart; the number only has to be ours."""


def migrate(url: str, revision: str = "head") -> None:
    """Run the migrations; a second process waits and then finds nothing to do."""
    from alembic import command

    from store.engine import make_engine, normal_url

    # Rebuilding a table on SQLite drops the old one, which must not cascade.
    engine = make_engine(normal_url(url), pool_size=1, foreign_keys=False)
    try:
        with engine.begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATION_LOCK)))
            config = migration_config()
            config.attributes["connection"] = connection
            command.upgrade(config, revision)
    finally:
        engine.dispose()


def migration_config() -> "Config":
    """Where the migrations are; there is no ini file."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config


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
