"""What pages and exports list: matches by keyset cursor with their seats, attempts, void rates.

Private matches (`MatchKind.is_private`) are in none of it unless their kind is named.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, TypeVar

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from api_models.states import PUBLIC_KINDS, AttemptState, MatchKind, MatchState
from store.tables import Attempt, Bot, Fault, Match, Owner, Seat, Version

Row = TypeVar("Row", Match, Fault)
PAGE = 50
FEW = frozenset({MatchState.QUEUED, MatchState.RUNNING, MatchState.STUCK})
"""States in which there are never many matches at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seated:
    """A seat of a match with the names pages show."""

    match_id: int
    number: int
    bot_id: int
    bot: str
    """`owner/name`."""
    version_id: int
    version: int
    is_anchor: bool
    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class VoidRate:
    """How many attempts with a bot were void, published so that no bot can void its losses."""

    bot_id: int
    attempts: int
    void: int
    lost: int


def matches(
    session: Session,
    *,
    season_id: int | None = None,
    scale_id: int | None = None,
    gate_id: int | None = None,
    bot_id: int | None = None,
    version_id: int | None = None,
    kinds: Sequence[MatchKind] = PUBLIC_KINDS,
    states: Sequence[MatchState] = (),
    before: int | None = None,
    hidden: Collection[int] = (),
    limit: int = PAGE,
) -> list[Match]:
    """Matches, newest first; the cursor `before` is the id of the last one of the page before.

    Matches of the seasons `hidden` are left out.
    """
    query = _without(select(Match), hidden)
    order = col(Match.id)
    if bot_id is not None or version_id is not None:
        # The seat's copy of the id makes the page one walk along the seat's index.
        query = query.join(Seat, col(Seat.match_id) == col(Match.id))
        order = col(Seat.match_id)
    if bot_id is not None:
        query = query.where(Seat.bot_id == bot_id)
    if version_id is not None:
        query = query.where(Seat.version_id == version_id)
    wanted = {"season_id": season_id, "scale_id": scale_id, "gate_id": gate_id}
    for name, value in wanted.items():
        if value is not None:
            query = query.where(getattr(Match, name) == value)
    query = query.where(col(Match.kind).in_(kinds))
    if states:
        query = query.where(col(Match.state).in_(states))
    if before is not None:
        query = query.where(order < before)
    newest = order.desc()
    others = (season_id, scale_id, gate_id, bot_id, version_id)
    if states and FEW.issuperset(states) and not any(others):
        # Found by their state and then sorted; a walk back along the ids would pass all matches
        # that were ever played. There is no index of the sum, so it cannot be walked along.
        newest = (order + 0).desc()
    return list(session.exec(query.order_by(newest).limit(limit)).all())


def _without(query: SelectOfScalar[Row], seasons: Collection[int]) -> SelectOfScalar[Row]:
    if not seasons:
        return query
    own = col(Match.season_id)
    return query.where(sa.or_(own.is_(None), own.not_in(seasons)))


def latest_seconds(session: Session, season_id: int, *, limit: int) -> list[float]:
    """How long the newest matches of a season took that are done."""
    query = (
        sa.select(col(Match.seconds))
        .where(col(Match.season_id) == season_id, col(Match.state) == MatchState.DONE)
        .order_by(col(Match.id).desc())
        .limit(limit)
    )
    return [seconds for seconds in session.execute(query).scalars() if seconds is not None]


@dataclass(frozen=True, slots=True)
class SeatSums:
    """What lists show of a seat."""

    games: int
    points: float
    places: float


@dataclass(frozen=True, slots=True)
class SeatLine:
    """A seat in a list of matches."""

    number: int
    bot: str
    """`owner/name`."""
    seat: SeatSums


def seat_lines(session: Session, match_ids: Iterable[int]) -> dict[int, list[SeatLine]]:
    """As `seated`, in plain rows: for lists that many people look at."""
    query = (
        sa.select(
            *(col(Seat.match_id), col(Seat.number), col(Owner.handle), col(Bot.name)),
            *(col(Seat.games), col(Seat.points), col(Seat.places)),
        )
        .join(Bot, col(Bot.id) == col(Seat.bot_id))
        .join(Owner, col(Owner.id) == col(Bot.owner_id))
        .where(col(Seat.match_id).in_(list(match_ids)))
        .order_by(col(Seat.match_id), col(Seat.number))
    )
    found: dict[int, list[SeatLine]] = {}
    for match_id, number, handle, name, *sums in session.execute(query):
        line = SeatLine(number, f"{handle}/{name}", SeatSums(*sums))
        found.setdefault(match_id, []).append(line)
    return found


class MatchLine(NamedTuple):
    """A `Match` as a plain row, with what lists show of it."""

    id: int
    kind: MatchKind
    state: MatchState
    round_no: int | None
    rules: str
    table_size: int
    boards: int
    rated: bool
    rated_why: str
    commitment: str
    finished_at: datetime | None


def _lines() -> sa.Select[tuple[object, ...]]:
    return sa.select(*(getattr(Match, name) for name in MatchLine._fields))


def _lines_without(seasons: Collection[int]) -> sa.Select[tuple[object, ...]]:
    own, public = col(Match.season_id), _lines().where(col(Match.kind).in_(PUBLIC_KINDS))
    return public.where(sa.or_(own.is_(None), own.not_in(seasons))) if seasons else public


def running(session: Session, *, hidden: Collection[int] = (), limit: int) -> list[MatchLine]:
    """The newest matches that are being played, for the front page; none of `hidden` seasons."""
    query = _lines_without(hidden).where(col(Match.state) == MatchState.RUNNING)
    # By the sum, as in `matches`.
    found = session.execute(query.order_by((col(Match.id) + 0).desc()).limit(limit))
    return [MatchLine(*row) for row in found]


def latest(
    session: Session,
    *,
    hidden: Collection[int] = (),
    limit: int = 10,
    before: datetime | None = None,
) -> list[MatchLine]:
    """The matches that were done last, or last before a moment; none of the seasons `hidden`."""
    query = _lines_without(hidden).where(col(Match.state) == MatchState.DONE)
    if before is not None:
        query = query.where(col(Match.finished_at) < before)
    found = session.execute(query.order_by(col(Match.finished_at).desc()).limit(limit))
    return [MatchLine(*row) for row in found]


def schedule(
    session: Session, season_id: int, *, after: int = 0, limit: int = PAGE
) -> list[MatchLine]:
    """The matches of a season in the order of the plan, a page of them."""
    query = (
        _lines()
        .where(col(Match.season_id) == season_id, col(Match.id) > after)
        .order_by(col(Match.id))
        .limit(limit)
    )
    return [MatchLine(*row) for row in session.execute(query)]


def seated(session: Session, match_ids: Iterable[int]) -> dict[int, list[Seated]]:
    """The seats of several matches with names, in one query."""
    query = (
        sa.select(
            Seat,
            col(Bot.name),
            col(Owner.handle),
            col(Version.number),
            col(Bot.is_anchor),
        )
        .join(Bot, col(Bot.id) == col(Seat.bot_id))
        .join(Owner, col(Owner.id) == col(Bot.owner_id))
        .join(Version, col(Version.id) == col(Seat.version_id))
        .where(col(Seat.match_id).in_(list(match_ids)))
        .order_by(col(Seat.match_id), col(Seat.number))
    )
    found: dict[int, list[Seated]] = {}
    for seat, name, handle, number, is_anchor in session.execute(query):
        found.setdefault(seat.match_id, []).append(
            Seated(
                match_id=seat.match_id,
                number=seat.number,
                bot_id=seat.bot_id,
                bot=f"{handle}/{name}",
                version_id=seat.version_id,
                version=number,
                is_anchor=is_anchor,
                seat=seat,
            )
        )
    return found


def last_meetings(session: Session, season_id: int, bot_id: int) -> dict[int, int]:
    """The last rated match of a bot against each other one in a season, by the other's id.

    Who only sat in for another bot has met nobody.
    """
    own, other = aliased(Seat), aliased(Seat)
    query = (
        sa.select(col(other.bot_id), sa.func.max(col(Match.id)))
        .select_from(Match)
        .join(own, col(own.match_id) == col(Match.id))
        .join(other, col(other.match_id) == col(Match.id))
        .where(
            col(Match.season_id) == season_id,
            col(Match.state) == MatchState.DONE,
            col(Match.rated),
            col(own.bot_id) == bot_id,
            col(other.bot_id) != bot_id,
            ~col(own.substitute),
            ~col(other.substitute),
        )
        .group_by(col(other.bot_id))
    )
    return dict(session.execute(query).all())


def attempts(session: Session, match_id: int) -> list[Attempt]:
    """All attempts at a match in order."""
    query = select(Attempt).where(Attempt.match_id == match_id)
    return list(session.exec(query.order_by(col(Attempt.number))).all())


def faults_of(
    session: Session,
    version_ids: Sequence[int],
    *,
    before: int | None = None,
    hidden: Collection[int] = (),
    limit: int = PAGE,
) -> list[Fault]:
    """The faults of versions, newest first; none from matches of the seasons `hidden`."""
    query = (
        select(Fault)
        .join(Match, col(Match.id) == col(Fault.match_id))
        .where(col(Fault.version_id).in_(list(version_ids)), col(Match.kind).in_(PUBLIC_KINDS))
    )
    query = _without(query, hidden)
    if before is not None:
        query = query.where(col(Fault.id) < before)
    return list(session.exec(query.order_by(col(Fault.id).desc()).limit(limit)).all())


def void_rates(session: Session, *, season_id: int | None = None) -> list[VoidRate]:
    """Attempts, void and lost ones for every bot that has any; rehearsals do not count."""

    def count(state: AttemptState) -> sa.Case[int]:
        # A drained worker and an organiser's "play again" say nothing about the bots.
        charged = sa.and_(col(Attempt.state) == state, col(Attempt.charged))
        return sa.case((charged, 1), else_=0)

    counted = [kind for kind in PUBLIC_KINDS if kind is not MatchKind.REHEARSAL]
    query = (
        sa.select(
            col(Seat.bot_id),
            sa.func.count(),
            sa.func.sum(count(AttemptState.VOID)),
            sa.func.sum(count(AttemptState.LOST)),
        )
        .join(Attempt, col(Attempt.match_id) == col(Seat.match_id))
        .join(Match, col(Match.id) == col(Seat.match_id))
        .where(col(Match.kind).in_(counted), ~col(Seat.substitute))
        .group_by(col(Seat.bot_id))
        .order_by(col(Seat.bot_id))
    )
    if season_id is not None:
        query = query.where(col(Match.season_id) == season_id)
    return [
        VoidRate(bot_id=bot_id, attempts=total, void=int(void), lost=int(lost))
        for bot_id, total, void, lost in session.execute(query)
    ]
