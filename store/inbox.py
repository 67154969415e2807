"""Owners' inboxes: what the league has told them, and what they have read."""

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from store.columns import utc_now
from store.tables import InboxMessage, Owner

PAGE = 50


def tell(
    session: Session, owner_id: int, kind: str, title: str, body: str = "", link: str | None = None
) -> InboxMessage:
    """Put a message into an owner's inbox."""
    message = InboxMessage(owner_id=owner_id, kind=kind, title=title[:200], body=body, link=link)
    session.add(message)
    session.flush()
    return message


def messages(
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


def messages_after(
    session: Session, message_id: int, *, since: datetime, limit: int
) -> list[tuple[InboxMessage, Owner]]:
    """The messages after that one, each with its owner, oldest first; none from before `since`."""
    query = (
        select(InboxMessage, Owner)
        .join(Owner, col(Owner.id) == col(InboxMessage.owner_id))
        .where(col(InboxMessage.id) > message_id, col(InboxMessage.created_at) > since)
        .order_by(col(InboxMessage.id))
        .limit(limit)
    )
    return [(message, owner) for message, owner in session.exec(query)]
