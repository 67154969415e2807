"""What suspensions depend on: who was out lately, who was notified, who has a new version."""

import sqlalchemy as sa
from sqlmodel import Session, col, select

from api_models.states import MatchKind, MatchState
from store.tables import AuditEntry, Bot, Match, Seat, Version


def suspects(session: Session, *, latest: int) -> list[Bot]:
    """Bots that play and were out in one of the latest ladder matches."""
    recent = (
        select(Match.id)
        .where(Match.kind == MatchKind.LADDER, Match.state == MatchState.DONE)
        .order_by(col(Match.id).desc())
        .limit(latest)
    )
    failed = select(Seat.bot_id).where(col(Seat.match_id).in_(recent), col(Seat.out_games) > 0)
    query = select(Bot).where(col(Bot.id).in_(failed), col(Bot.suspended_at).is_(None))
    return list(session.exec(query.order_by(col(Bot.id))).all())


def outs(session: Session, bot: Bot, *, latest: int, lifted_by: str) -> list[bool]:
    """In which of its latest ladder matches the current version was out, oldest first.

    What was before the last lifted suspension is forgiven.
    """
    query = (
        sa.select(col(Seat.out_games))
        .join(Match, col(Match.id) == col(Seat.match_id))
        .join(Version, col(Version.id) == col(Seat.version_id))
        .where(
            col(Match.kind) == MatchKind.LADDER,
            col(Match.state) == MatchState.DONE,
            col(Version.bot_id) == bot.id,
            col(Version.number) == bot.current_version,
        )
        .order_by(col(Match.id).desc())
        .limit(latest)
    )
    forgiven = session.execute(
        sa.select(sa.func.max(col(AuditEntry.at))).where(
            col(AuditEntry.subject) == "bot",
            col(AuditEntry.subject_id) == bot.id,
            col(AuditEntry.action) == lifted_by,
        )
    ).scalar_one()
    if forgiven is not None:
        query = query.where(col(Match.finished_at) > forgiven)
    return [out > 0 for (out,) in reversed(session.execute(query).all())]


def unannounced(session: Session, *, told_by: str) -> list[int]:
    """Bots that a worker has suspended: it may neither write to the audit log nor see accounts.

    `told_by` is the act in the audit log that announces a suspension.
    """
    announced = (
        sa.select(col(AuditEntry.id))
        .where(
            col(AuditEntry.subject) == "bot",
            col(AuditEntry.subject_id) == col(Bot.id),
            col(AuditEntry.action) == told_by,
            col(AuditEntry.at) >= col(Bot.suspended_at),
        )
        .exists()
    )
    query = select(Bot.id).where(col(Bot.suspended_at).is_not(None), ~announced)
    return list(session.exec(query.order_by(col(Bot.id))).all())


def fixed(session: Session) -> list[int]:
    """Suspended bots whose current version was accepted after the suspension."""
    query = (
        select(Bot.id)
        .join(
            Version,
            sa.and_(
                col(Version.bot_id) == col(Bot.id), col(Version.number) == col(Bot.current_version)
            ),
        )
        .where(col(Bot.suspended_at).is_not(None), col(Version.accepted_at) > col(Bot.suspended_at))
        .order_by(col(Bot.id))
    )
    return list(session.exec(query).all())
