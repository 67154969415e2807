"""Lasting settings: one document by its key."""

import sqlalchemy as sa
from sqlmodel import Session, col

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


def drop(session: Session, key: str) -> None:
    """Forget a setting; nothing to do where it was never set."""
    session.exec(sa.delete(Setting).where(col(Setting.key) == key))
