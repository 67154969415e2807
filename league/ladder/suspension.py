"""Bots that keep failing are suspended and their authors told; a new version lifts it."""

import sqlalchemy as sa
import structlog
from sqlmodel import Session, col, select

import store
from league import notices
from league.audit import LEAGUE, Action, Actor
from league.errors import LeagueRefusal
from league.ladder.draw import keeps_failing
from store import AuditEntry, Bot, Match, MatchKind, MatchState, Seat, Store, Version

LOG = structlog.get_logger("league")
LOOKED_AT = 200
"""How many of the latest ladder matches are searched for bots that were out."""
HISTORY = 10
WHY = "it was out in three ladder matches in a row, or in half of its last ten"


def watch_failures(database: Store) -> list[int]:
    """Suspend who keeps failing and lift what a new version has mended; says which bots."""
    with database.read() as session:
        suspects = _suspects(session)
        failing = [bot.id for bot in suspects if keeps_failing(_outs(session, bot))]
        untold = _untold(session)
        mended = _mended(session)
    touched = []
    for bot_id in failing:
        with database.write() as session:
            bot = store.locked(session, Bot, bot_id)
            # Another clock may have been here first.
            if bot.suspended_at is None and keeps_failing(_outs(session, bot)):
                suspend(session, bot, LEAGUE, WHY)
                touched.append(bot_id)
    for bot_id in untold:
        with database.write() as session:
            bot = store.locked(session, Bot, bot_id)
            if bot_id in _untold(session):
                _announce(session, bot, LEAGUE, bot.suspended_why or WHY)
    for bot_id in mended:
        with database.write() as session:
            bot = store.locked(session, Bot, bot_id)
            if bot.suspended_at is not None:
                lift(session, bot, LEAGUE, "a new version has been accepted")
                touched.append(bot_id)
    return touched


def suspend(session: Session, bot: Bot, actor: Actor, why: str) -> None:
    """Take a bot off all ladders and tell its author."""
    store.bots.suspend(session, bot.id, why)
    _announce(session, bot, actor, why)


def _announce(session: Session, bot: Bot, actor: Actor, why: str) -> None:
    name = store.bots.full_names(session, [bot.id])[bot.id]
    store.audit.record(session, Action.BOT_SUSPEND, "bot", bot.id, actor=actor, reason=why)
    notices.tell_owner(
        session,
        bot,
        "bot.suspended",
        f"{name} is suspended",
        f"{name} is suspended: {why}. Its last matches show the faults. Submit a new version;"
        " when it passes the check, the suspension ends by itself.",
    )
    LOG.warning("bot suspended", bot=name, why=why)


def forgive(session: Session, full_name: str, actor: Actor, why: str) -> None:
    """Lift the suspension of the bot called so, as an organiser does."""
    bot = store.bots.find_bot(session, full_name)
    if bot is None or bot.suspended_at is None:
        raise LeagueRefusal(f"{full_name} is not suspended")
    if not why.strip():
        raise LeagueRefusal("to forgive takes a reason; the author reads it")
    lift(session, bot, actor, why)


def lift(session: Session, bot: Bot, actor: Actor, why: str) -> None:
    """Put a bot back and tell its author; its failures so far are forgiven."""
    store.bots.suspend(session, bot.id, None)
    name = store.bots.full_names(session, [bot.id])[bot.id]
    store.audit.record(session, Action.BOT_LIFT, "bot", bot.id, actor=actor, reason=why)
    notices.tell_owner(session, bot, "bot.lifted", f"{name} plays again", f"Because {why}.")


def _suspects(session: Session) -> list[Bot]:
    """Bots that play and were out in one of the latest ladder matches."""
    latest = (
        select(Match.id)
        .where(Match.kind == MatchKind.LADDER, Match.state == MatchState.DONE)
        .order_by(col(Match.id).desc())
        .limit(LOOKED_AT)
    )
    query = (
        select(Bot)
        .join(Seat, col(Seat.bot_id) == col(Bot.id))
        .where(
            col(Seat.match_id).in_(latest),
            col(Seat.out_games) > 0,
            col(Bot.suspended_at).is_(None),
        )
        .distinct()
    )
    return list(session.exec(query).all())


def _outs(session: Session, bot: Bot) -> list[bool]:
    """In which of its latest ladder matches the current version was out, oldest first."""
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
        .limit(HISTORY)
    )
    forgiven = session.execute(
        sa.select(sa.func.max(col(AuditEntry.at))).where(
            col(AuditEntry.subject) == "bot",
            col(AuditEntry.subject_id) == bot.id,
            col(AuditEntry.action) == Action.BOT_LIFT,
        )
    ).scalar_one()
    if forgiven is not None:
        query = query.where(col(Match.finished_at) > forgiven)
    return [out > 0 for (out,) in reversed(session.execute(query).all())]


def _untold(session: Session) -> list[int]:
    """Bots that a worker has suspended: it may neither write to the audit log nor see accounts."""
    told = (
        sa.select(col(AuditEntry.id))
        .where(
            col(AuditEntry.subject) == "bot",
            col(AuditEntry.subject_id) == col(Bot.id),
            col(AuditEntry.action) == Action.BOT_SUSPEND,
            col(AuditEntry.at) >= col(Bot.suspended_at),
        )
        .exists()
    )
    return list(session.exec(select(Bot.id).where(col(Bot.suspended_at).is_not(None), ~told)).all())


def _mended(session: Session) -> list[int]:
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
    )
    return list(session.exec(query).all())
