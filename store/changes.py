"""What has changed since a reader last looked, by any process: for those that keep rows in memory.

Triggers write the log (migration 0006 has them), so no writer can forget it. A reader asks in a
session of `Store.read(snapshot=True)` and reads again what is named; it learns of each change once,
and only when it has been committed.
"""

from dataclasses import dataclass, field
from enum import StrEnum

import sqlalchemy as sa
from sqlalchemy.orm import Mapped
from sqlmodel import Session, col

from store import settings
from store.columns import db_time
from store.tables import Change, Setting

KEPT_SECONDS = 600.0
"""A reader that was away for longer has to read everything."""
PRUNED_AT_ONCE = 20_000
PRUNED = "changes.pruned"


class Topic(StrEnum):
    """What kind of change it is; the key says of which row."""

    BOT = "bot"
    """A bot, one of its versions or submissions, or what was decided on it in a ladder."""
    OWNER = "owner"
    """The handle of an owner, or whether it may play."""
    MATCH = "match"
    """A ladder match is on its way, or no longer, or a seat went to another bot."""
    DONE = "done"
    """A ladder match has a result."""
    UNDONE = "undone"
    """What was summed up over results is wrong: a ladder match lost its own, or was removed, or a
    bot became an anchor bot."""
    RATINGS = "ratings"
    """The ratings of a scale."""


@dataclass(frozen=True, slots=True)
class Position:
    """How far a reader has read."""

    horizon: int
    """All changes before this one were seen: a transaction on PostgreSQL, a row on SQLite."""
    seen: frozenset[int] = frozenset()
    """Rows from there on that were seen too: transactions do not end in the order they begin."""


@dataclass(frozen=True, slots=True)
class News:
    """What was committed since a position, by topic."""

    position: Position
    keys: dict[Topic, set[int]] = field(default_factory=dict)

    def of(self, topic: Topic) -> set[int]:
        """The ids of the rows that this happened to."""
        return self.keys.get(topic, set())


def here(session: Session) -> Position:
    """The position of a reader that reads everything in this very snapshot."""
    horizon = _horizon(session)
    query = sa.select(col(Change.id)).where(_order(session) >= horizon)
    return Position(horizon, frozenset(session.execute(query).scalars()))


def since(session: Session, position: Position, scale_id: int) -> News | None:
    """The news of a ladder; None: they are no longer kept, so everything has to be read."""
    if _pruned(session) >= position.horizon:
        return None
    horizon, order = _horizon(session), _order(session)
    query = sa.select(
        col(Change.id), col(Change.topic), col(Change.key), col(Change.scale_id), order
    ).where(order >= position.horizon)
    keys: dict[Topic, set[int]] = {}
    seen = set()
    for number, topic, key, scale, when in session.execute(query):
        if when >= horizon:
            seen.add(number)
        if number not in position.seen and scale in (None, scale_id):
            keys.setdefault(Topic(topic), set()).add(key)
    return News(Position(horizon, frozenset(seen)), keys)


def _order(session: Session) -> Mapped[int]:
    return col(Change.txid) if _is_postgresql(session) else col(Change.id)


def _horizon(session: Session) -> int:
    """From where on there may be changes that this snapshot does not show yet."""
    if _is_postgresql(session):
        oldest = sa.text("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint")
        return int(session.execute(oldest).scalar_one())
    last = session.execute(sa.select(sa.func.max(col(Change.id)))).scalar_one()
    return 1 + max(last or 0, _pruned(session))


def _pruned(session: Session) -> int:
    """The last change that is no longer kept."""
    row = sa.select(col(Setting.value)).where(col(Setting.key) == PRUNED)
    found = session.execute(row).scalar_one_or_none()
    return 0 if found is None else int(str(found["order"]))


def _is_postgresql(session: Session) -> bool:
    return session.get_bind().dialect.name == "postgresql"


def note(session: Session, topic: Topic, key: int, scale_id: int | None = None) -> None:
    """Write a change down that comes in thousands of rows, for which a trigger is too much."""
    txid: sa.ColumnElement[int] = sa.literal(0)
    if _is_postgresql(session):
        txid = sa.literal_column("pg_current_xact_id()::text::bigint", sa.BigInteger())
    row = {"topic": topic.value, "key": key, "scale_id": scale_id, "txid": txid, "at": db_time()}
    session.execute(sa.insert(Change).values(row))


def prune(session: Session, *, kept: float = KEPT_SECONDS) -> int:
    """Remove old changes, not too many at once; returns how many went."""
    first = sa.select(col(Change.id)).order_by(col(Change.id)).limit(PRUNED_AT_ONCE)
    old = sa.and_(col(Change.id).in_(first.scalar_subquery()), col(Change.at) < db_time(-kept))
    last = session.execute(
        sa.select(sa.func.count(), sa.func.max(_order(session))).where(old)
    ).one()
    count, order = int(last[0]), last[1]
    if count:
        settings.ensure(session, PRUNED, {"order": 0})
        before = settings.read(session, PRUNED, to_change=True)
        assert before is not None
        settings.write(session, PRUNED, {"order": max(order, int(str(before["order"])))})
        session.execute(sa.delete(Change).where(old, _order(session) <= order))
    return count
