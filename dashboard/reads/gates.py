"""Version gates with the names of what they compare."""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, col

from api_models.words import gate_words
from store import Bot, Gate, Owner, Version

MOST = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLine:
    """A gate in a list."""

    gate: Gate
    bot: str
    """`owner/name`."""
    new: int
    old: int

    @property
    def words(self) -> str:
        """What it says."""
        return gate_words(self.gate.report)


def all_gates(
    session: Session,
    *,
    owner_id: int | None = None,
    bot_id: int | None = None,
    only: int | None = None,
    before: int | None = None,
    limit: int = MOST,
) -> list[GateLine]:
    """The last gates, newest first."""
    new, old = sa.orm.aliased(Version), sa.orm.aliased(Version)
    query = (
        sa.select(Gate, col(Owner.handle), col(Bot.name), col(new.number), col(old.number))
        .join(new, col(new.id) == col(Gate.new_version_id))
        .join(old, col(old.id) == col(Gate.old_version_id))
        .join(Bot, col(Bot.id) == col(new.bot_id))
        .join(Owner, col(Owner.id) == col(Bot.owner_id))
        .order_by(col(Gate.id).desc())
        .limit(limit)
    )
    if owner_id is not None:
        query = query.where(col(Gate.owner_id) == owner_id)
    if bot_id is not None:
        query = query.where(col(Bot.id) == bot_id)
    if before is not None:
        query = query.where(col(Gate.id) < before)
    if only is not None:
        query = query.where(col(Gate.id) == only)
    return [
        GateLine(gate=gate, bot=f"{handle}/{name}", new=first, old=second)
        for gate, handle, name, first, second in session.execute(query)
    ]


def gates_of(
    session: Session, bot_id: int, *, before: int | None = None, limit: int = MOST
) -> list[GateLine]:
    """The gates of one bot, newest first."""
    return all_gates(session, bot_id=bot_id, before=before, limit=limit)
