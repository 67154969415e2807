"""What people do runs on SQLite and on PostgreSQL, as the store's own tests do."""

from tests.store.conftest import migrated_url, postgres_template, store

__all__ = ["migrated_url", "postgres_template", "store"]
