"""Whether a new version has to pass a gate before it plays: for the whole league or one bot."""

import sqlalchemy as sa
import structlog
from sqlmodel import Session, col, select

import store
from league import gates
from league.seasons import LEAGUE, Actor, SeasonError
from store import Bot, Gate, GateState, Ladder, Match, Seat, Store, Version, VersionState

LOG = structlog.get_logger("league")
KEY = "gates"
"""The lasting setting: {"league": bool, "bots": {bot id: bool}}."""
DUE = "gate_due"
"""In the report of an accepted version: its gate is still to be opened."""


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
    # A bot that rests has had its first version all the same.
    if bot.is_anchor or not proven(session, bot):
        return False
    kept = store.journal.setting(session, KEY) or {}
    named = kept.get("bots")
    own = named.get(str(bot.id)) if isinstance(named, dict) else None
    return bool(kept.get("league", False)) if own is None else bool(own)


def proven(session: Session, bot: Bot) -> list[int]:
    """The versions that need no gate any more: the first, those that ranked, those that passed."""
    accepted = sa.and_(col(Version.bot_id) == bot.id, col(Version.state) == VersionState.ACCEPTED)
    first = sa.select(sa.func.min(col(Version.number))).where(accepted).scalar_subquery()
    ranked = (
        sa.select(col(Seat.match_id))
        .join(Match, col(Match.id) == col(Seat.match_id))
        .where(col(Seat.version_id) == col(Version.id), col(Match.rated))
        .exists()
    )
    passed = (
        sa.select(col(Gate.id))
        .where(col(Gate.new_version_id) == col(Version.id), col(Gate.state) == GateState.PASSED)
        .exists()
    )
    plays = col(Version.number) == bot.current_version
    query = select(Version.number).where(
        accepted, sa.or_(col(Version.number) == first, plays, ranked, passed)
    )
    return list(session.exec(query.order_by(col(Version.number))).all())


def choose(session: Session, bot: Bot, number: int | None, *, freely: bool) -> None:
    """Let a version play, or the bot rest (None); only `freely` one that still needs its gate."""
    known = proven(session, bot)
    store.bots.set_current(session, bot.id, number)
    if number is None or freely or number in known or not required(session, bot):
        return
    raise SeasonError(
        f"version {number} of {bot.name} has not passed the gate that this league asks for; open"
        f" one for it, or choose one of the versions {', '.join(map(str, known))}"
    )


def accept(
    session: Session, version_id: int, *, report: store.JsonDict | None = None, log: str = ""
) -> bool:
    """A version has passed its check: it plays at once, or waits (True) for its gate.

    The clockwork opens the gate (`open_due`): a worker has no right to the audit log.
    """
    version = store.present(session, Version, version_id)
    bot = store.locked(session, Bot, version.bot_id)
    waits = required(session, bot) and _ladder(session, bot) is not None
    kept = {**(report or {}), DUE: True} if waits else report
    store.bots.accept_version(session, version_id, report=kept, log=log, make_current=not waits)
    return waits


def open_due(database: Store) -> list[Gate]:
    """Open the gates that accepted versions wait for.

    Where none can be played (no open ladder, too few opponents), the version plays at once.
    """
    with database.read() as session:
        due = [one.id for one in _held_back(session) if (one.report or {}).get(DUE)]
    opened = []
    for version_id in due:
        with database.write() as session:
            version = store.locked(session, Version, version_id)
            # Another clock may have been here first.
            if (version.report or {}).get(DUE):
                gate = _open(session, version)
                opened += [gate] if gate is not None else []
    return opened


def _held_back(session: Session) -> list[Version]:
    """Accepted versions newer than the one that plays."""
    query = (
        select(Version)
        .join(Bot, col(Bot.id) == col(Version.bot_id))
        .where(
            Version.state == VersionState.ACCEPTED,
            col(Version.number) > sa.func.coalesce(col(Bot.current_version), 0),
        )
        .order_by(col(Version.id))
    )
    return list(session.exec(query).all())


def _open(session: Session, version: Version) -> Gate | None:
    version.report = {key: value for key, value in (version.report or {}).items() if key != DUE}
    bot = store.locked(session, Bot, version.bot_id)
    name = store.bots.full_names(session, [bot.id])[bot.id]
    try:
        ladder = _ladder(session, bot)
        if ladder is None:
            raise SeasonError("no ladder of its rules is open any more")
        # While the bot rests, the gate is against the latest version that had a place.
        old = bot.current_version or proven(session, bot)[-1]
        return gates.open_gate(session, ladder.id, name, version.number, LEAGUE, old=old)
    except SeasonError as error:
        LOG.warning("no gate", bot=name, version=version.number, reason=str(error))
        store.bots.set_current(session, bot.id, version.number)
        return None


def _ladder(session: Session, bot: Bot) -> Ladder | None:
    found = store.seasons.ladders(session, only_open=True)
    return next((one for one in found if one.rules in bot.rules), None)
