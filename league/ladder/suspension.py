"""Bots that keep failing are suspended and their authors told; a new version lifts it."""

import structlog
from sqlmodel import Session

import store
from league import notices
from league.audit import LEAGUE, Action, Actor
from league.errors import LeagueRefusal, Malformed
from league.ladder.draw import keeps_failing
from store import Bot, Store

LOG = structlog.get_logger("league")
LOOKED_AT = 200
"""How many of the latest ladder matches are searched for bots that were out."""
HISTORY = 10
WHY = "it was out in three ladder matches in a row, or in half of its last ten"


def watch_failures(database: Store) -> list[int]:
    """Suspend bots that keep failing, lift what a new version has fixed; returns both."""
    with database.read() as session:
        suspects = store.suspensions.suspects(session, latest=LOOKED_AT)
        failing = [bot.id for bot in suspects if _keeps_failing(session, bot)]
        untold = store.suspensions.unannounced(session, told_by=Action.BOT_SUSPEND)
        fixed = store.suspensions.fixed(session)
    touched = []
    for bot_id in failing:
        with database.write() as session:
            bot = store.locked(session, Bot, bot_id)
            # Another clock may have been here first.
            if bot.suspended_at is None and _keeps_failing(session, bot):
                suspend(session, bot, LEAGUE, WHY)
                touched.append(bot_id)
    for bot_id in untold:
        with database.write() as session:
            bot = store.locked(session, Bot, bot_id)
            if bot_id in store.suspensions.unannounced(session, told_by=Action.BOT_SUSPEND):
                _announce(session, bot, LEAGUE, bot.suspended_why or WHY)
    for bot_id in fixed:
        with database.write() as session:
            bot = store.locked(session, Bot, bot_id)
            if bot.suspended_at is not None:
                lift(session, bot, LEAGUE, "a new version has been accepted")
                touched.append(bot_id)
    return touched


def _keeps_failing(session: Session, bot: Bot) -> bool:
    return keeps_failing(
        store.suspensions.outs(session, bot, latest=HISTORY, lifted_by=Action.BOT_LIFT)
    )


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
    """Lift the suspension of the bot of this name, as an organiser."""
    bot = store.bots.find_bot(session, full_name)
    if bot is None or bot.suspended_at is None:
        raise LeagueRefusal(f"{full_name} is not suspended")
    if not why.strip():
        raise Malformed("lifting a suspension needs a reason; the author reads it")
    lift(session, bot, actor, why)


def lift(session: Session, bot: Bot, actor: Actor, why: str) -> None:
    """Put a bot back and tell its author; its failures so far are forgiven."""
    store.bots.suspend(session, bot.id, None)
    name = store.bots.full_names(session, [bot.id])[bot.id]
    store.audit.record(session, Action.BOT_LIFT, "bot", bot.id, actor=actor, reason=why)
    notices.tell_owner(session, bot, "bot.lifted", f"{name} plays again", f"Because {why}.")
