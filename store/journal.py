"""What is told and kept: the audit log, owners' inboxes, and lasting settings."""

import sqlalchemy as sa
from sqlmodel import Session, col, select

from store.columns import JsonDict, utc_now
from store.engine import database_time
from store.tables import AuditEntry, Entry, InboxMessage, Owner, Season, Setting

PAGE = 50


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
        action=action,
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


def audit_page(
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


def give_unused_id(session: Session, row: Entry | Season, subject: str) -> None:
    """Give a new row an id that no line of the log speaks of.

    SQLite gives the number of a deleted row to the next one, and the lines about the old row
    would be read as lines about the new one. Other databases see to it themselves.
    """
    if session.get_bind().dialect.name == "sqlite":
        told = select(sa.func.max(AuditEntry.subject_id)).where(AuditEntry.subject == subject)
        there = select(sa.func.max(type(row).id))
        row.id = 1 + max(session.exec(told).one() or 0, session.exec(there).one() or 0)


def tell(
    session: Session, owner_id: int, kind: str, title: str, body: str = "", link: str | None = None
) -> InboxMessage:
    """Put a message into an owner's inbox."""
    message = InboxMessage(owner_id=owner_id, kind=kind, title=title[:200], body=body, link=link)
    session.add(message)
    session.flush()
    return message


def inbox(
    session: Session, owner_id: int, *, before: int | None = None, limit: int = PAGE
) -> list[InboxMessage]:
    """An owner's messages, newest first."""
    query = select(InboxMessage).where(InboxMessage.owner_id == owner_id)
    if before is not None:
        query = query.where(col(InboxMessage.id) < before)
    return list(session.exec(query.order_by(col(InboxMessage.id).desc()).limit(limit)).all())


def unread(session: Session, owner_id: int) -> int:
    """How many messages wait."""
    query = select(sa.func.count()).where(
        InboxMessage.owner_id == owner_id, col(InboxMessage.read_at).is_(None)
    )
    return int(session.exec(query).one())


def mark_read(session: Session, owner_id: int, up_to: int) -> None:
    """Mark messages up to an id as read."""
    session.exec(
        sa.update(InboxMessage)
        .where(
            col(InboxMessage.owner_id) == owner_id,
            col(InboxMessage.id) <= up_to,
            col(InboxMessage.read_at).is_(None),
        )
        .values(read_at=utc_now())
    )


def setting(session: Session, key: str, *, to_change: bool = False) -> JsonDict | None:
    """A lasting setting; None: never set. `to_change`: nobody else changes it meanwhile."""
    lock = {"key_share": True} if to_change else None
    row = session.get(Setting, key, with_for_update=lock, populate_existing=to_change)
    return None if row is None else row.value


def set_setting(session: Session, key: str, value: JsonDict) -> None:
    """Change a lasting setting."""
    session.merge(Setting(key=key, value=value, changed_at=utc_now()))
    session.flush()


def drop_setting(session: Session, key: str) -> None:
    """Forget a setting; nothing to do where it was never set."""
    session.exec(sa.delete(Setting).where(col(Setting.key) == key))
