"""Named leases by the database's clock: of several processes, one holds a name at a time."""

from datetime import datetime, timedelta

from sqlmodel import Session

from store import settings
from store.engine import database_time

_PREFIX = "lease:"
FREE = ""
"""Held by no process."""


def take(session: Session, name: str, holder: str, seconds: float) -> bool:
    """Take or renew a lease; False: somebody else holds it."""
    now = database_time(session)
    # The row is made before it is locked: of many that are first at once, one gets the lock.
    settings.ensure(session, _PREFIX + name, {"holder": FREE, "at": "", "until": now.isoformat()})
    held = settings.read(session, _PREFIX + name, to_change=True)
    if held is not None and held["holder"] != holder and _until(held) > now:
        return False
    until = now + timedelta(seconds=seconds)
    settings.write(
        session,
        _PREFIX + name,
        {"holder": holder, "at": now.isoformat(), "until": until.isoformat()},
    )
    return True


def release(session: Session, name: str, holder: str) -> None:
    """Let go of a lease, so that the next process need not wait for its end."""
    held = settings.read(session, _PREFIX + name, to_change=True)
    if held is not None and held["holder"] == holder:
        # The row stays, as what the next ones lock.
        settings.write(session, _PREFIX + name, {**held, "holder": FREE, "until": held["at"]})


def holder(session: Session, name: str) -> str | None:
    """Who holds a lease now; None: it is free."""
    held = settings.read(session, _PREFIX + name)
    if held is None or held["holder"] == FREE or _until(held) <= database_time(session):
        return None
    return str(held["holder"])


def age(session: Session, name: str) -> float | None:
    """Seconds since a lease was last taken or renewed; None: nobody has it."""
    held = settings.read(session, _PREFIX + name)
    if held is None or held["holder"] == FREE:
        return None
    at = datetime.fromisoformat(str(held["at"]))
    return max(0.0, (database_time(session) - at).total_seconds())


def _until(held: dict[str, object]) -> datetime:
    return datetime.fromisoformat(str(held["until"]))
