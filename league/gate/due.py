"""The gates that accepted versions wait for: opened as soon as they can be played."""

import structlog
from sqlmodel import Session

import store
from league import notices
from league.audit import LEAGUE
from league.errors import LeagueRefusal
from league.gate import life, requirement
from store import Bot, Gate, Store, Version

LOG = structlog.get_logger("league")


def open_due(database: Store) -> list[Gate]:
    """Open the gates that accepted versions wait for.

    Where none can be played (no open ladder, too few opponents), the version goes on waiting.
    """
    with database.read() as session:
        due = [one.id for one in waiting_gates(session)]
    opened = []
    for version_id in due:
        with database.write() as session:
            version = store.locked(session, Version, version_id)
            # Another clock may have been here first.
            if version.gate_due:
                gate = _open(session, version)
                opened += [gate] if gate is not None else []
    return opened


def waiting_gates(session: Session) -> list[Version]:
    """The accepted versions, newer than the one that plays, whose gate is still to be opened."""
    return store.gates.due(session)


def _open(session: Session, version: Version) -> Gate | None:
    bot = store.locked(session, Bot, version.bot_id)
    if not requirement.required(session, bot):
        # An organiser has lifted the rule meanwhile.
        store.gates.settle(session, version)
        store.bots.set_current(session, bot.id, version.number)
        return None
    begun = store.gates.playing(session, version.id)
    if begun is not None:
        # Its author was faster. A gate that does not count is left to end, not stopped.
        if not requirement.not_counted_because(session, bot, begun):
            store.gates.settle(session, version)
        return None
    name = store.bots.full_names(session, [bot.id])[bot.id]
    try:
        ladder = requirement.ladder(session, bot)
        if ladder is None:
            raise LeagueRefusal(f"no ladder of {', '.join(bot.rules)} is open")
        gate = life.open_gate(session, ladder.id, name, version.number, LEAGUE)
    except LeagueRefusal as error:
        _wait(session, bot, version, str(error))
        return None
    store.gates.settle(session, version)
    return gate


def _wait(session: Session, bot: Bot, version: Version, reason: str) -> None:
    """Tell the author once why the gate cannot begin."""
    if not store.gates.wait(session, version, reason):
        return
    LOG.warning("a gate cannot begin", bot=bot.id, version=version.number, reason=reason)
    notices.tell_owner(
        session,
        bot,
        "gate.waits",
        f"{bot.name} {version.number} waits for its gate",
        f"The league asks for a gate before a new version plays, and it cannot begin: {reason}."
        f" It begins by itself as soon as it can; until then version"
        f" {requirement.ranked(session, bot)} keeps the place. An organiser can let"
        f" version {version.number} play without it.",
    )
