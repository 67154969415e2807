"""The audit log: who did what, when and why; nothing in it changes again."""

from collections.abc import Iterable

import sqlalchemy as sa
from sqlmodel import Session, col, select

from store.columns import JsonDict
from store.engine import database_time
from store.tables import AuditEntry, Entry, Owner, Season

PAGE = 50
ABOUT_AT_ONCE = 500


def record(
    session: Session,
    action: str,
    subject: str,
    subject_id: int | None = None,
    *,
    actor: Owner | str,
    reason: str = "",
    detail: JsonDict | None = None,
) -> AuditEntry:
    """Add to the audit log, in the transaction of the act itself. `actor` may be a part's name."""
    entry = AuditEntry(
        actor_id=actor.id if isinstance(actor, Owner) else None,
        actor=actor.handle if isinstance(actor, Owner) else actor,
        action=str(action),
        subject=subject,
        subject_id=subject_id,
        reason=reason,
        detail=detail or {},
        # Entries are compared with what workers of other machines have written.
        at=database_time(session),
    )
    session.add(entry)
    session.flush()
    return entry


def page(
    session: Session,
    *,
    subject: str | None = None,
    subject_id: int | None = None,
    before: int | None = None,
    limit: int = PAGE,
) -> list[AuditEntry]:
    """Entries, newest first; `before` is the id of the last one of the page before."""
    query = select(AuditEntry).order_by(col(AuditEntry.id).desc()).limit(limit)
    if subject is not None:
        query = query.where(AuditEntry.subject == subject)
    if subject_id is not None:
        query = query.where(AuditEntry.subject_id == subject_id)
    if before is not None:
        query = query.where(col(AuditEntry.id) < before)
    return list(session.exec(query).all())


def about(
    session: Session, action: str, subject: str, subject_ids: Iterable[int]
) -> list[AuditEntry]:
    """Every entry of one act on some subjects, oldest first."""
    wanted = sorted(set(subject_ids))
    found: list[AuditEntry] = []
    for at in range(0, len(wanted), ABOUT_AT_ONCE):
        query = select(AuditEntry).where(
            AuditEntry.action == action,
            AuditEntry.subject == subject,
            col(AuditEntry.subject_id).in_(wanted[at : at + ABOUT_AT_ONCE]),
        )
        found += session.exec(query).all()
    return sorted(found, key=lambda entry: entry.id)


def give_unused_id(session: Session, row: Entry | Season, subject: str) -> None:
    """Give a new row an id that no line of the log refers to.

    SQLite gives the number of a deleted row to the next one, and the lines about the old row
    would be read as lines about the new one. Other databases never reuse a number.
    """
    if session.get_bind().dialect.name == "sqlite":
        logged = select(sa.func.max(AuditEntry.subject_id)).where(AuditEntry.subject == subject)
        there = select(sa.func.max(type(row).id))
        row.id = 1 + max(session.exec(logged).one() or 0, session.exec(there).one() or 0)
