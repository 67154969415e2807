"""The attempts to play a match: claim, heartbeat, finish, void, and reaping those gone silent.

Every change of state is one conditional UPDATE of the match's row, always before any other row
of the match is touched, so that two workers can neither both win nor block each other.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.sql.dml import ReturningUpdate
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from api_models.states import AttemptState, Finish, MatchKind, MatchState
from store.columns import JsonDict, db_time
from store.records import Doorbell, MatchOutcome
from store.results import save_results
from store.tables import Attempt, Match

MAX_FAILURES = 3
"""After so many attempts that came to nothing a match is stuck."""
LEASE_SECONDS = 60.0
"""Must be several heartbeats long."""
STALE_SECONDS = 300.0
"""A queued match that no worker has claimed for this long is rung for again."""
ELSEWHERE_SECONDS = 120.0
"""How long a match that failed on a worker is left to the others."""
REFEREE_CRASHED = "the referee crashed"
"""The reason of an attempt whose end is examined, bot by bot; the worker is not to blame."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaped:
    """What a round of the reaper found."""

    lost: tuple[int, ...]
    """Matches whose worker went silent; those that may be tried again are in `publish` too."""
    stuck: tuple[int, ...]
    publish: tuple[Doorbell, ...]
    """What the caller has to publish now."""


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


def next_queued(
    session: Session, worker: str, *, queues: Sequence[str], others: bool
) -> int | None:
    """The match that waits longest and that no transaction is changing now; None: none waits.

    `others`: there are other workers, so one that just failed here is left to them for a while.
    """
    query = _waiting(worker, queues, others=others)
    return session.exec(query.with_for_update(skip_locked=True, of=Match)).first()


def peek_queued(
    session: Session, worker: str, *, queues: Sequence[str], others: bool
) -> int | None:
    """The match that this worker would be given now; takes no lock, so another may get it."""
    return session.exec(_waiting(worker, queues, others=others)).first()


def _waiting(worker: str, queues: Sequence[str], *, others: bool) -> SelectOfScalar[int]:
    """The match that waits longest for this worker in these queues."""
    query = select(Match.id).where(
        col(Match.state) == MatchState.QUEUED, col(Match.queue).in_(queues)
    )
    if others:
        failed_here = (
            sa.select(col(Attempt.match_id))
            .where(
                col(Attempt.match_id) == col(Match.id),
                col(Attempt.number) == col(Match.attempts),
                col(Attempt.worker) == worker,
                col(Attempt.finished_at) >= db_time(-ELSEWHERE_SECONDS),
            )
            .exists()
        )
        query = query.where(~failed_here)
    return query.order_by(col(Match.published_at), col(Match.id)).limit(1)


def any_queued(session: Session, queues: Sequence[str]) -> bool:
    """Whether a match waits in these queues; asked often, and takes no lock."""
    waits = (col(Match.state) == MatchState.QUEUED, col(Match.queue).in_(queues))
    return session.exec(select(Match.id).where(*waits).limit(1)).first() is not None


def heartbeat(session: Session, token: str, lease: float = LEASE_SECONDS) -> bool:
    """Extend the lease; False: the attempt no longer holds the match and must stop."""
    change = _held(token).values(lease_until=db_time(lease)).returning(col(Match.id))
    if session.exec(change).one_or_none() is None:
        return False
    beat = sa.update(Attempt).where(col(Attempt.token) == token).values(heartbeat_at=db_time())
    session.exec(beat)
    return True


def match_of(session: Session, token: str) -> int | None:
    """The match that this attempt holds; None: it holds none any more."""
    query = select(Match.id).where(Match.token == token, Match.state == MatchState.RUNNING)
    return session.exec(query).one_or_none()


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
    end_attempt(session, match_id, number, AttemptState.DONE, evidence=outcome.evidence)
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
    end_attempt(
        session, match_id, number, AttemptState.VOID, reason, evidence=evidence, charged=charged
    )
    return MatchState(state)


def _given_up(change: sa.Update, charge: int) -> ReturningUpdate[int, int, MatchState]:
    """Complete an UPDATE of a running match whose attempt has failed."""
    # A table with people goes on elsewhere as often as it has to.
    charged = sa.case((col(Match.kind) == MatchKind.PEOPLE, 0), else_=charge)
    failures = col(Match.failures) + charged
    state = sa.case((failures >= MAX_FAILURES, MatchState.STUCK.value), else_="queued")
    return change.values(
        state=state,
        failures=failures,
        token=None,
        worker=None,
        lease_until=None,
        published_at=db_time(),
    ).returning(col(Match.id), col(Match.attempts), col(Match.state))


def end_attempt(
    session: Session,
    match_id: int,
    number: int,
    state: AttemptState,
    reason: str = "",
    *,
    evidence: JsonDict | None = None,
    charged: bool = True,
) -> None:
    """Write down how an attempt ended; its match has been changed before."""
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
        end_attempt(session, match_id, number, AttemptState.LOST, "the worker went silent")
    # The time stays: it says since when the match waits. Who rings remembers for what it rang.
    waiting = sa.or_(col(Match.published_at) < db_time(-stale), col(Match.id).in_(silent))
    unclaimed = select(Match.id, Match.queue).where(col(Match.state) == MatchState.QUEUED, waiting)
    bells = session.exec(unclaimed.order_by(col(Match.id))).all()
    return Reaped(
        lost=tuple(match_id for match_id, _, _ in lost),
        stuck=tuple(match_id for match_id, _, state in lost if state is MatchState.STUCK),
        publish=tuple(Doorbell(match_id=match_id, queue=queue) for match_id, queue in bells),
    )


def _free_rows(session: Session, *conditions: sa.ColumnElement[bool]) -> Sequence[int]:
    """Lock the matches that nobody else is changing now; two reapers never wait in a circle."""
    query = select(Match.id).where(*conditions).order_by(col(Match.id))
    return session.exec(query.with_for_update(skip_locked=True)).all()
