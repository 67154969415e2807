"""Version gates as rows: who is at one, which versions wait for one, which have had a place.

Whether a version has to pass one, and what its games say, is the league's.
"""

import sqlalchemy as sa
from sqlmodel import Session, col, select

from api_models.states import GateState, MatchKind, MatchState, VersionState
from store.tables import Bot, Gate, Match, Seat, Version


def add(session: Session, gate: Gate) -> None:
    """Keep a gate that begins; from here on it has its number."""
    session.add(gate)
    session.flush()


def playing(session: Session, version_id: int) -> Gate | None:
    """The gate that a version is at."""
    query = select(Gate).where(Gate.new_version_id == version_id, Gate.state == GateState.PLAYING)
    return session.exec(query).first()


def all_playing(session: Session) -> list[int]:
    """The ids of all gates that are being played, the oldest first."""
    query = select(Gate.id).where(Gate.state == GateState.PLAYING).order_by(col(Gate.id))
    return list(session.exec(query).all())


def states_of_owner(session: Session, owner_id: int) -> list[GateState]:
    """The states of all gates of an owner, cancelled ones too: they share one error budget."""
    return list(session.exec(select(col(Gate.state)).where(Gate.owner_id == owner_id)).all())


def matches_of(session: Session, gate_id: int) -> list[Match]:
    """The matches of a gate in order of creation."""
    query = select(Match).where(Match.gate_id == gate_id).order_by(col(Match.id))
    return list(session.exec(query).all())


def has_matches(session: Session, *states: MatchState) -> bool:
    """Whether any gate has a match in one of these states."""
    query = select(Match.id).where(Match.kind == MatchKind.GATE, col(Match.state).in_(states))
    return session.exec(query.limit(1)).first() is not None


def due(session: Session) -> list[Version]:
    """The accepted versions, newer than the one that plays, whose gate is still to be opened."""
    query = (
        select(Version)
        .join(Bot, col(Bot.id) == col(Version.bot_id))
        .where(
            col(Version.gate_due),
            Version.state == VersionState.ACCEPTED,
            col(Version.number) > sa.func.coalesce(col(Bot.current_version), 0),
        )
        .order_by(col(Version.id))
    )
    return list(session.exec(query).all())


def settle(session: Session, version: Version) -> None:
    """A version no longer waits for its gate: it is open, or no longer required."""
    version.gate_due, version.gate_wait = False, ""
    session.flush()


def wait(session: Session, version: Version, reason: str) -> bool:
    """Keep why the gate of a version cannot begin; False: that was already known."""
    if version.gate_wait == reason:
        return False
    version.gate_wait = reason
    session.flush()
    return True


def passed(session: Session, bot_id: int) -> list[tuple[Gate, int]]:
    """The gates that versions of a bot have passed, with the numbers of these versions."""
    query = (
        select(Gate, Version.number)
        .join(Version, col(Version.id) == col(Gate.new_version_id))
        .where(
            Version.bot_id == bot_id,
            Version.state == VersionState.ACCEPTED,
            Gate.state == GateState.PASSED,
        )
    )
    return [(gate, number) for gate, number in session.exec(query)]


def placed(session: Session, bot: Bot) -> set[int]:
    """The versions that had a place without a gate: the first, the current, those that played."""
    accepted = sa.and_(col(Version.bot_id) == bot.id, col(Version.state) == VersionState.ACCEPTED)
    first = sa.select(sa.func.min(col(Version.number))).where(accepted).scalar_subquery()
    played = (
        sa.select(col(Seat.match_id))
        .join(Match, col(Match.id) == col(Seat.match_id))
        .where(col(Seat.version_id) == col(Version.id), col(Match.rated))
        .exists()
    )
    plays = col(Version.number) == bot.current_version
    query = select(Version.number).where(
        accepted, sa.or_(col(Version.number) == first, plays, played)
    )
    return set(session.exec(query).all())
