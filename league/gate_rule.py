"""Whether a new version has to pass a gate before it plays: for the whole league or one bot."""

import structlog
from sqlmodel import Session

import store
from league import gates
from league.seasons import LEAGUE, Actor, SeasonError
from store import Bot, Gate, Ladder, Version

LOG = structlog.get_logger("league")
KEY = "gates"
"""The lasting setting: {"league": bool, "bots": {bot id: bool}}."""


def set_rule(session: Session, required: bool | None, actor: Actor, bot: Bot | None = None) -> None:
    """Ask for a gate, or do not; for one bot None goes back to what the league asks for."""
    kept = store.journal.setting(session, KEY) or {}
    named = kept.get("bots")
    bots = dict(named) if isinstance(named, dict) else {}
    league = bool(kept.get("league", False))
    if bot is None:
        league = bool(required)
    elif required is None:
        bots.pop(str(bot.id), None)
    else:
        bots[str(bot.id)] = required
    store.journal.set_setting(session, KEY, {"league": league, "bots": bots})
    subject, subject_id = ("league", None) if bot is None else ("bot", bot.id)
    store.journal.record(
        session, "gate.rule", subject, subject_id, actor=actor, detail={"required": required}
    )


def required(session: Session, bot: Bot) -> bool:
    """Whether the next version of this bot has to pass a gate; the first one never has to."""
    if bot.current_version is None or bot.is_anchor:
        return False
    kept = store.journal.setting(session, KEY) or {}
    named = kept.get("bots")
    own = named.get(str(bot.id)) if isinstance(named, dict) else None
    return bool(kept.get("league", False)) if own is None else bool(own)


def accept(
    session: Session, version_id: int, *, report: store.JsonDict | None = None, log: str = ""
) -> Gate | None:
    """A version has passed its check: it plays at once, or begins its gate.

    Where no gate can be played (no open ladder, too few opponents), it plays at once.
    """
    version = store.present(session, Version, version_id)
    bot = store.locked(session, Bot, version.bot_id)
    ladder = _ladder(session, bot) if required(session, bot) else None
    waits = ladder is not None
    store.bots.accept_version(session, version_id, report=report, log=log, make_current=not waits)
    if ladder is None:
        return None
    name = store.bots.full_names(session, [bot.id])[bot.id]
    try:
        return gates.open_gate(session, ladder.id, name, version.number, LEAGUE)
    except SeasonError as error:
        LOG.warning("no gate", bot=name, version=version.number, reason=str(error))
        store.bots.set_current(session, bot.id, version.number)
        return None


def _ladder(session: Session, bot: Bot) -> Ladder | None:
    found = store.seasons.ladders(session, only_open=True)
    return next((one for one in found if one.rules in bot.rules), None)
