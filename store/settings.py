"""Lasting settings: one document by its key."""

from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session

from store.columns import JsonDict, utc_now
from store.tables import Setting


def read(session: Session, key: str, *, to_change: bool = False) -> JsonDict | None:
    """A lasting setting; None: never set. `to_change` locks it."""
    lock = {"key_share": True} if to_change else None
    row = session.get(Setting, key, with_for_update=lock, populate_existing=to_change)
    return None if row is None else row.value


def write(session: Session, key: str, value: JsonDict) -> None:
    """Change a lasting setting."""
    session.merge(Setting(key=key, value=value, changed_at=utc_now()))
    session.flush()


def ensure(session: Session, key: str, value: JsonDict) -> None:
    """Make a setting unless it is there; two that do so at once make one."""
    dialect = session.get_bind().dialect.name
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    row = insert(Setting).values(key=key, value=value, changed_at=utc_now())
    session.execute(row.on_conflict_do_nothing())
