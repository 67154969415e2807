"""The queue of matches: plan, enqueue, claim, heartbeat, finish, void, reap, cancel, play again.

Every change of state is one conditional UPDATE of the match's row, always before any other row
of the match is touched, so that two workers can neither both win nor block each other.
"""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.sql.dml import ReturningUpdate
from sqlmodel import Session, col, select

from nimmt.keys import KEY_BYTES, commitment
from store.columns import JsonDict, db_time
from store.engine import database_time, locked
from store.errors import Conflict, NotFound
from store.outcome import MatchOutcome, NewMatch
from store.results import drop_results, save_results
from store.states import AttemptState, Finish, MatchKind, MatchState
from store.tables import Attempt, Match, Seat, Version

MAX_FAILURES = 3
"""After so many attempts that came to nothing a match is stuck."""
LEASE_SECONDS = 60.0
"""Must be several heartbeats long."""
STALE_SECONDS = 300.0
"""A queued match that nobody has claimed for so long is published again."""
QUEUES = {
    MatchKind.SEASON: "season",
    MatchKind.LADDER: "ladder",
    MatchKind.GATE: "gate",
    MatchKind.SHOWCASE: "season",
    MatchKind.PRACTICE: "ladder",
    MatchKind.REHEARSAL: "season",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Doorbell:
    """What the broker is told: wake a worker of this queue for this match."""

    match_id: int
    queue: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaped:
    """What a round of the reaper found."""

    lost: tuple[int, ...]
    """Matches whose worker went silent; those that may be tried again are in `publish` too."""
    stuck: tuple[int, ...]
    publish: tuple[Doorbell, ...]
    """What the caller has to publish now."""


def public_key(match: Match) -> str | None:
    """The key in hexadecimal, once the match is done; None before."""
    return match.key.hex() if match.state is MatchState.DONE else None


def plan(session: Session, matches: Sequence[NewMatch]) -> list[int]:
    """Add planned matches with their seats; returns the ids in the given order."""
    versions = {version for new in matches for version in new.versions}
    bots = _bots_of(session, versions)
    rows = [_planned(new) for new in matches]
    session.add_all(rows)
    session.flush()
    seats = [
        {"match_id": row.id, "number": number, "version_id": version, "bot_id": bots[version]}
        for row, new in zip(rows, matches, strict=True)
        for number, version in enumerate(new.versions)
    ]
    if seats:
        session.exec(sa.insert(Seat), params=seats)
    return [row.id for row in rows]


def _planned(new: NewMatch) -> Match:
    if len(new.key) != KEY_BYTES:
        raise Conflict(f"got a key of {len(new.key)} bytes, expected {KEY_BYTES} random ones")
    return Match(
        kind=new.kind,
        season_id=new.season_id,
        ladder_id=new.ladder_id,
        gate_id=new.gate_id,
        round_no=new.round_no,
        rules=new.rules,
        options=new.options,
        table_size=len(new.versions),
        boards=new.boards,
        passes=new.passes,
        time=new.time,
        in_flight=new.in_flight,
        max_faults=new.max_faults,
        rated=new.rated,
        key=new.key,
        commitment=commitment(new.key),
        queue=new.queue or QUEUES[new.kind],
        priority=new.priority,
        due_at=new.due_at,
    )


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
    """Put up to `limit` planned matches that are due into the queue, by priority, then order."""
    due = sa.or_(col(Match.due_at).is_(None), col(Match.due_at) <= db_time())
    query = select(Match.id).where(Match.state == MatchState.PLANNED, due)
    if season_id is not None:
        query = query.where(Match.season_id == season_id)
    if kind is not None:
        query = query.where(Match.kind == kind)
    # Two beats at once get different matches, and neither waits for the other.
    query = query.order_by(col(Match.priority), col(Match.id)).limit(limit)
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


def claim(
    session: Session, match_id: int, worker: str, lease: float = LEASE_SECONDS
) -> Attempt | None:
    """Take a queued match for `lease` seconds; None: somebody else has it, or it is not queued."""
    token = secrets.token_hex(16)
    change = (
        sa.update(Match)
        .where(col(Match.id) == match_id, col(Match.state) == MatchState.QUEUED)
        .values(
            state=MatchState.RUNNING,
            token=token,
            worker=worker,
            lease_until=db_time(lease),
            attempts=col(Match.attempts) + 1,
            started_at=db_time(),
        )
        .returning(col(Match.attempts), col(Match.started_at))
    )
    row = session.exec(change).one_or_none()
    if row is None:
        return None
    number, started = row
    attempt = Attempt(
        match_id=match_id,
        number=number,
        token=token,
        worker=worker,
        started_at=started,
        heartbeat_at=started,
    )
    session.add(attempt)
    session.flush()
    return attempt


def heartbeat(session: Session, token: str, lease: float = LEASE_SECONDS) -> bool:
    """Extend the lease; False: the attempt no longer holds the match and must stop."""
    change = _held(token).values(lease_until=db_time(lease)).returning(col(Match.id))
    if session.exec(change).one_or_none() is None:
        return False
    beat = sa.update(Attempt).where(col(Attempt.token) == token).values(heartbeat_at=db_time())
    session.exec(beat)
    return True


def _held(token: str) -> sa.Update:
    """An UPDATE of the match that this token holds: the fence."""
    return sa.update(Match).where(col(Match.token) == token, col(Match.state) == MatchState.RUNNING)


def finish(session: Session, token: str, outcome: MatchOutcome) -> Finish:
    """Store the outcome and end the match, if the token still holds it; safe to call twice."""
    change = (
        _held(token)
        .values(
            state=MatchState.DONE,
            token=None,
            worker=None,
            lease_until=None,
            failures=0,
            finished_at=db_time(),
            seconds=outcome.seconds,
            runner=outcome.runner,
        )
        .returning(col(Match.id), col(Match.attempts))
    )
    row = session.exec(change).one_or_none()
    if row is None:
        query = select(Attempt.state).where(Attempt.token == token)
        done = session.exec(query).one_or_none() is AttemptState.DONE
        return Finish.REPEATED if done else Finish.REFUSED
    match_id, number = row
    _end_attempt(session, match_id, number, AttemptState.DONE)
    save_results(session, match_id, number, outcome)
    return Finish.ACCEPTED


def void(
    session: Session,
    token: str,
    reason: str,
    *,
    evidence: JsonDict | None = None,
    charged: bool = True,
) -> MatchState | None:
    """Give up an attempt without a result; the match is queued again, or stuck.

    `charged=False` (a worker drains) does not bring it nearer to stuck. None: the token does not
    hold the match any more, and nothing changed.
    """
    change = _given_up(_held(token), 1 if charged else 0)
    row = session.exec(change).one_or_none()
    if row is None:
        return None
    match_id, number, state = row
    _end_attempt(
        session, match_id, number, AttemptState.VOID, reason, evidence=evidence, charged=charged
    )
    return MatchState(state)


def _given_up(change: sa.Update, charge: int) -> ReturningUpdate[int, int, MatchState]:
    """Complete an UPDATE of a running match whose attempt has failed."""
    failures = col(Match.failures) + charge
    state = sa.case((failures >= MAX_FAILURES, MatchState.STUCK.value), else_="queued")
    return change.values(
        state=state,
        failures=failures,
        token=None,
        worker=None,
        lease_until=None,
        published_at=db_time(),
    ).returning(col(Match.id), col(Match.attempts), col(Match.state))


def _end_attempt(
    session: Session,
    match_id: int,
    number: int,
    state: AttemptState,
    reason: str = "",
    *,
    evidence: JsonDict | None = None,
    charged: bool = True,
) -> None:
    change = (
        sa.update(Attempt)
        .where(col(Attempt.match_id) == match_id, col(Attempt.number) == number)
        .values(
            state=state,
            reason=reason,
            evidence=evidence,
            charged=charged,
            finished_at=db_time(),
        )
    )
    session.exec(change)


def reap(
    session: Session, *, stale: float = STALE_SECONDS, dead_worker: str | None = None
) -> Reaped:
    """End attempts whose lease ran out, and find queued matches that nobody claims.

    `dead_worker` names a worker known to be gone (this very process before a restart): its
    leases count as expired. Safe to run at any time, twice, and by two beats at once.
    """
    expired = col(Match.lease_until) < db_time()
    if dead_worker is not None:
        expired = sa.or_(expired, col(Match.worker) == dead_worker)
    silent = _free_rows(session, col(Match.state) == MatchState.RUNNING, expired)
    change = _given_up(sa.update(Match).where(col(Match.id).in_(silent)), 1)
    lost = sorted(session.exec(change).all()) if silent else []
    for match_id, number, _ in lost:
        _end_attempt(session, match_id, number, AttemptState.LOST, "the worker went silent")
    waiting = sa.or_(col(Match.published_at) < db_time(-stale), col(Match.id).in_(silent))
    unclaimed = _free_rows(session, col(Match.state) == MatchState.QUEUED, waiting)
    again = (
        sa.update(Match)
        .where(col(Match.id).in_(unclaimed))
        .values(published_at=db_time())
        .returning(col(Match.id), col(Match.queue))
    )
    bells = sorted(session.exec(again).all()) if unclaimed else []
    return Reaped(
        lost=tuple(match_id for match_id, _, _ in lost),
        stuck=tuple(match_id for match_id, _, state in lost if state is MatchState.STUCK),
        publish=tuple(Doorbell(match_id=match_id, queue=queue) for match_id, queue in bells),
    )


def _free_rows(session: Session, *conditions: sa.ColumnElement[bool]) -> Sequence[int]:
    """Lock the matches that nobody else is changing now; two reapers never wait in a circle."""
    query = select(Match.id).where(*conditions).order_by(col(Match.id))
    return session.exec(query.with_for_update(skip_locked=True)).all()


def cancel(session: Session, match_id: int, reason: str) -> bool:
    """Make sure that a match is not played; False: it is over already. A running attempt ends."""
    match = locked(session, Match, match_id)
    if match.state.is_final:
        return False
    if match.state is MatchState.RUNNING:
        _end_attempt(session, match_id, match.attempts, AttemptState.VOID, reason, charged=False)
    _set_idle(match, MatchState.CANCELLED)
    match.finished_at = database_time(session)
    session.flush()
    return True


def play_again(session: Session, match_id: int, reason: str) -> Doorbell:
    """Queue a done, cancelled or stuck match once more, with the same boards and seats.

    A result it had is taken back: its attempt becomes void, its replay file stays.
    """
    match = locked(session, Match, match_id)
    if MatchState.QUEUED not in match.state.next_states or match.state.holds_up_season:
        raise Conflict(
            f"got match {match_id}, which is {match.state}, expected one that is done, cancelled"
            " or stuck"
        )
    if match.state is MatchState.DONE:
        _end_attempt(session, match_id, match.attempts, AttemptState.VOID, reason, charged=False)
        drop_results(session, match_id)
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


def holder(session: Session, match_id: int) -> tuple[str, datetime] | None:
    """Worker and end of the lease of a running match, for pages."""
    query = select(Match.worker, Match.lease_until).where(Match.id == match_id)
    row = session.exec(query).one_or_none()
    return (row[0], row[1]) if row and row[0] is not None and row[1] is not None else None
