"""Workers' signs of life, by the database's clock."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from api_models.states import AttemptState, MatchState, SeasonState, SubmissionState, WorkerState
from store.attempts import REFEREE_CRASHED
from store.columns import db_time
from store.engine import database_time
from store.matches import LEAGUE_QUEUES
from store.tables import Attempt, Match, Season, Submission, Worker

SILENT_SECONDS = 60.0
GONE_SECONDS = 3600.0
"""How long a worker that is gone is still listed."""
MISSED_SECONDS = 86400.0
"""The same for one that never signed off."""


def beat(session: Session, worker: Worker) -> None:
    """Note that a worker lives, with what it says of itself; the first beat is its sign-on."""
    known = session.get(Worker, worker.name)
    now = database_time(session)
    worker.started_at = worker.started_at if known is None else known.started_at
    worker.heartbeat_at = now
    session.merge(worker)
    session.flush()


def sign_off(session: Session, name: str) -> None:
    """The worker has ended, by itself or found dead; its last sign of life stays what it was."""
    session.exec(
        sa.update(Worker).where(col(Worker.name) == name).values(state=WorkerState.GONE, busy=0)
    )


def alive(session: Session, *, silent: float = SILENT_SECONDS) -> list[Worker]:
    """The workers that gave a sign lately and have not signed off."""
    query = select(Worker).where(
        Worker.state != WorkerState.GONE, col(Worker.heartbeat_at) >= db_time(-silent)
    )
    return list(session.exec(query.order_by(col(Worker.name))).all())


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """How many workers there are, and how many matches they can play at once."""

    workers: int
    slots: int


def fleet(session: Session, *, able: bool = False) -> Fleet:
    """The workers of `alive` in numbers; `able`: of those that take matches now."""
    query = sa.select(sa.func.count(), sa.func.sum(col(Worker.slots))).where(
        col(Worker.state) != WorkerState.GONE,
        col(Worker.heartbeat_at) >= db_time(-SILENT_SECONDS),
    )
    if able:
        query = query.where(col(Worker.state) == WorkerState.UP)
    workers, slots = session.execute(query).one()
    return Fleet(workers=int(workers), slots=int(slots or 0))


def able(session: Session) -> list[Worker]:
    """Those of them that take matches now: not quarantined, not waiting, not draining."""
    return [worker for worker in alive(session) if worker.state is WorkerState.UP and worker.slots]


def failed_alone(session: Session, name: str, since: datetime) -> int:
    """How many distinct matches failed on a worker and were then played by another.

    Crashes of the referee are left out: they have an examination of their own.
    """
    other = aliased(Attempt)
    query = (
        sa.select(sa.func.count(sa.distinct(col(Attempt.match_id))))
        .join(other, col(other.match_id) == col(Attempt.match_id))
        .where(
            col(Attempt.worker) == name,
            col(Attempt.state) == AttemptState.VOID,
            col(Attempt.charged).is_(True),
            col(Attempt.reason) != REFEREE_CRASHED,
            col(Attempt.finished_at) > since,
            col(other.state) == AttemptState.DONE,
            col(other.worker) != name,
            col(other.number) > col(Attempt.number),
        )
    )
    return int(session.execute(query).scalar_one())


def recent(session: Session) -> list[Worker]:
    """The workers worth showing, the latest sign of life first; those long gone are left out."""
    kept = sa.or_(
        col(Worker.heartbeat_at) >= db_time(-GONE_SECONDS),
        sa.and_(
            col(Worker.state) != WorkerState.GONE,
            col(Worker.heartbeat_at) >= db_time(-MISSED_SECONDS),
        ),
    )
    query = select(Worker).where(kept).order_by(col(Worker.heartbeat_at).desc())
    return list(session.exec(query).all())


def queue_sizes(session: Session) -> dict[tuple[str, MatchState], int]:
    """How many matches wait, run or are stuck, by queue and state; not those of seasons past."""
    waiting = (MatchState.QUEUED, MatchState.RUNNING, MatchState.STUCK)
    past = [state for state in SeasonState if state.is_final]
    query = (
        select(col(Match.queue), col(Match.state), sa.func.count())
        .outerjoin(Season, col(Season.id) == col(Match.season_id))
        .where(
            col(Match.state).in_(waiting),
            sa.or_(col(Season.id).is_(None), col(Season.state).not_in(past)),
        )
        .group_by(col(Match.queue), col(Match.state))
    )
    return {(queue, state): int(count) for queue, state, count in session.exec(query)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What waits for the workers now, and for how long."""

    oldest_seconds: float
    """Since when the league's queued match waits that was rung for first; 0 when none waits."""
    failures: int
    """Attempts that came to nothing, of matches that wait or run."""
    submissions: int


def waiting(session: Session) -> Waiting:
    """What waits, and for how long."""
    oldest = sa.select(sa.func.min(col(Match.published_at))).where(
        col(Match.state) == MatchState.QUEUED, col(Match.queue).in_(LEAGUE_QUEUES)
    )
    first = session.execute(oldest).scalar_one()
    failures = sa.select(sa.func.sum(col(Match.failures))).where(
        col(Match.state).in_((MatchState.QUEUED, MatchState.RUNNING))
    )
    open_states = [state for state in SubmissionState if not state.is_final]
    submissions = sa.select(sa.func.count()).where(col(Submission.state).in_(open_states))
    age = 0.0 if first is None else (database_time(session) - first).total_seconds()
    return Waiting(
        oldest_seconds=max(0.0, age),
        failures=int(session.execute(failures).scalar_one() or 0),
        submissions=int(session.execute(submissions).scalar_one()),
    )


def unfinished(session: Session, name: str) -> list[Attempt]:
    """The attempts a worker holds."""
    query = select(Attempt).where(Attempt.worker == name, Attempt.state == AttemptState.RUNNING)
    return list(session.exec(query).all())


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerHost:
    """What a worker says of its machine."""

    waits: str | None
    """Why matches or checks wait for a fit host; None when none does."""
    waiting: int
    not_measured: str | None
    """Why it cannot tell what others take from its bots; None where it can."""


def host_of(worker: Worker) -> WorkerHost | None:
    """What this worker said last of its machine; None for one that plays nothing."""
    said = worker.detail.get("host")
    if not isinstance(said, dict):
        return None
    waits, unknown, waiting = said.get("waits"), said.get("not_measured"), said.get("waiting")
    return WorkerHost(
        waits=None if waits is None else str(waits),
        waiting=waiting if isinstance(waiting, int) else 0,
        not_measured=None if unknown is None else str(unknown),
    )
