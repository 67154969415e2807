"""The queue of matches: plan, enqueue, hold, cancel, play again, count or do not count.

How a worker holds a match while it plays is in `attempts.py`; the rule written there, on the
order of changes, holds here too.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from api_models.states import AttemptState, MatchKind, MatchState
from nimmt.keys import KEY_BYTES, commitment
from store.attempts import end_attempt
from store.columns import db_time, utc_now
from store.engine import database_time, locked
from store.errors import Conflict, NotFound
from store.records import Doorbell, NewMatch
from store.results import drop_results
from store.tables import Match, Seat, Version

_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
QUEUES = {
    MatchKind.SEASON: "season",
    MatchKind.LADDER: "ladder",
    MatchKind.GATE: "gate",
    MatchKind.SHOWCASE: "season",
    MatchKind.PRACTICE: "friendly",
    MatchKind.REHEARSAL: "season",
    MatchKind.PEOPLE: "people",
}
LEAGUE_QUEUES = ("season", "ladder", "gate")
"""The queues of the league's own play; the others have slots of their own and never delay it."""


def public_key(match: Match) -> str | None:
    """The key in hexadecimal, once the match is done; None before."""
    return match.key.hex() if match.state is MatchState.DONE else None


def plan(session: Session, matches: Sequence[NewMatch]) -> list[int]:
    """Add planned matches with their seats; returns the ids in the given order."""
    return _add(session, matches, {"state": MatchState.PLANNED})


def queue(session: Session, matches: Sequence[NewMatch]) -> list[Doorbell]:
    """Add matches that any worker may claim at once; says which have to be published."""
    now = database_time(session)
    ids = _add(session, matches, {"state": MatchState.QUEUED, "published_at": now})
    return [
        Doorbell(match_id=match_id, queue=new.queue or QUEUES[new.kind])
        for match_id, new in zip(ids, matches, strict=True)
    ]


def _add(
    session: Session, matches: Sequence[NewMatch], state: dict[str, MatchState | datetime]
) -> list[int]:
    """Rows in batches: a clock adds hundreds of matches in one go."""
    if not matches:
        return []
    bots = _bots_of(session, {version for new in matches for version in new.versions})
    now = utc_now()
    rows = [_row(new) | {"created_at": now} | state for new in matches]
    insert = sa.insert(Match).returning(col(Match.id), sort_by_parameter_order=True)
    ids = list(session.execute(insert, rows).scalars())
    seats = [
        {"match_id": match_id, "number": number, "version_id": version, "bot_id": bots[version]}
        for match_id, new in zip(ids, matches, strict=True)
        for number, version in enumerate(new.versions)
    ]
    session.exec(sa.insert(Seat), params=seats)
    return ids


def _row(new: NewMatch) -> dict[str, object]:
    if len(new.key) != KEY_BYTES:
        raise Conflict(f"got a key of {len(new.key)} bytes, expected {KEY_BYTES} random ones")
    return {
        "kind": new.kind,
        "season_id": new.season_id,
        "scale_id": new.scale_id,
        "gate_id": new.gate_id,
        "round_no": new.round_no,
        "rules": new.rules,
        "options": new.options,
        "table_size": len(new.versions),
        "boards": new.boards,
        "passes": new.passes,
        "time": new.time,
        "in_flight": new.in_flight,
        "max_faults": new.max_faults,
        "rated": new.rated,
        "key": new.key,
        "commitment": commitment(new.key),
        "queue": new.queue or QUEUES[new.kind],
    }


def _bots_of(session: Session, versions: Iterable[int]) -> dict[int, int]:
    wanted = list(versions)
    query = select(Version.id, Version.bot_id).where(col(Version.id).in_(wanted))
    found = dict(session.exec(query).all())
    unknown = sorted(set(wanted) - set(found))
    if unknown:
        raise NotFound(f"got versions {unknown}, expected ids of versions that exist")
    return found


def enqueue(
    session: Session, *, limit: int, season_id: int | None = None, kind: MatchKind | None = None
) -> list[Doorbell]:
    """Put up to `limit` planned matches into the queue, in the order of the plan."""
    query = select(Match.id).where(Match.state == MatchState.PLANNED)
    if season_id is not None:
        query = query.where(Match.season_id == season_id)
    if kind is not None:
        query = query.where(Match.kind == kind)
    # Two beats at once get different matches, and neither waits for the other.
    query = query.order_by(col(Match.id)).limit(limit)
    query = query.with_for_update(skip_locked=True)
    return publish(session, session.exec(query).all())


def publish(session: Session, match_ids: Sequence[int]) -> list[Doorbell]:
    """Queue these matches if they are planned; says which have to be published."""
    if not match_ids:
        return []
    change = (
        sa.update(Match)
        .where(col(Match.id).in_(match_ids), col(Match.state) == MatchState.PLANNED)
        .values(state=MatchState.QUEUED, published_at=db_time())
        .returning(col(Match.id), col(Match.queue))
    )
    rows = sorted(session.exec(change).all())
    return [Doorbell(match_id=match_id, queue=queue) for match_id, queue in rows]


def hold(session: Session, season_id: int) -> int:
    """Take the queued matches of a season back to planned (it is paused); running ones end."""
    change = (
        sa.update(Match)
        .where(col(Match.season_id) == season_id, col(Match.state) == MatchState.QUEUED)
        .values(state=MatchState.PLANNED, published_at=None)
    )
    return int(session.exec(change).rowcount)


def cancel(session: Session, match_id: int, reason: str) -> bool:
    """Make sure that a match is not played; False: it is over already. A running attempt ends."""
    match = locked(session, Match, match_id)
    if match.state.is_final:
        return False
    if match.state is MatchState.RUNNING:
        end_attempt(session, match_id, match.attempts, AttemptState.VOID, reason, charged=False)
    _set_idle(match, MatchState.CANCELLED)
    match.finished_at = database_time(session)
    session.flush()
    return True


def stuck(session: Session, season_id: int) -> list[int]:
    """The matches of a season that came to nothing too often, in order of creation."""
    query = select(Match.id).where(Match.season_id == season_id, Match.state == MatchState.STUCK)
    return list(session.exec(query.order_by(col(Match.id))).all())


def cancel_open(session: Session, season_id: int, reason: str) -> int:
    """Cancel every match that a season still waits for; returns how many there were."""
    waiting = [state for state in MatchState if state.holds_up_season]
    query = select(Match.id).where(Match.season_id == season_id, col(Match.state).in_(waiting))
    return sum(
        cancel(session, match_id, reason)
        for match_id in session.exec(query.order_by(col(Match.id))).all()
    )


def substitute(session: Session, match_id: int, number: int, version_id: int, reason: str) -> bool:
    """Give a seat of a match without a result to another version, for which nothing counts there.

    The key, the boards and the other seats stay. A running attempt ends, uncharged, and the match
    is queued again; the next tick rings for it. False: it has a result already, or is cancelled.
    """
    match = locked(session, Match, match_id)
    if match.state.is_final:
        return False
    if match.state is MatchState.RUNNING:
        end_attempt(session, match_id, match.attempts, AttemptState.VOID, reason, charged=False)
        _set_idle(match, MatchState.QUEUED)
        match.published_at = _LONG_AGO
    bots = _bots_of(session, [version_id])
    session.exec(
        sa.update(Seat)
        .where(col(Seat.match_id) == match_id, col(Seat.number) == number)
        .values(version_id=version_id, bot_id=bots[version_id], substitute=True)
    )
    session.flush()
    return True


def ring_later(session: Session, match_id: int) -> None:
    """Let the next tick ring for a queued match: whoever queued it may have no broker."""
    locked(session, Match, match_id).published_at = _LONG_AGO
    session.flush()


def play_again(session: Session, match_id: int, reason: str, *, key: bytes) -> Doorbell:
    """Queue a done, cancelled or stuck match once more, with the same seats.

    A result it had is taken back: its attempt becomes void, its replay file stays. Whoever read
    that result may know the boards, so it gets `key` for others; a match whose key never left
    keeps its own.
    """
    match = locked(session, Match, match_id)
    if MatchState.QUEUED not in match.state.next_states or match.state.holds_up_season:
        raise Conflict(
            f"got match {match_id}, which is {match.state}, expected one that is done, cancelled"
            " or stuck"
        )
    if match.state is MatchState.DONE:
        end_attempt(session, match_id, match.attempts, AttemptState.VOID, reason, charged=False)
        drop_results(session, match_id)
        match.key, match.commitment = key, commitment(key)
    _set_idle(match, MatchState.QUEUED)
    match.failures = 0
    match.finished_at = None
    match.seconds = None
    match.published_at = database_time(session)
    session.flush()
    return Doorbell(match_id=match_id, queue=match.queue)


def set_rated(session: Session, match_ids: Sequence[int], rated: bool, reason: str) -> int:
    """Let results count or not count (withdrawal, disqualification); the results stay."""
    if not match_ids:
        return 0
    change = (
        sa.update(Match).where(col(Match.id).in_(match_ids)).values(rated=rated, rated_why=reason)
    )
    return int(session.exec(change).rowcount)


def _set_idle(match: Match, state: MatchState) -> None:
    match.state = state
    match.token = None
    match.worker = None
    match.lease_until = None
