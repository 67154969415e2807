"""The examination of one worker: its own checks, and what the database says about it and others."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta

import structlog

import store
from league.worker.admission import Admission, Verdict
from store import DATABASE_ERRORS, Store, WorkerState

LOG = structlog.get_logger("league")
ALONE_LIMIT = 3
"""Distinct matches that failed here and were then played elsewhere, until the worker is blamed."""
ALONE_SECONDS = 1800.0
"""How long such failures count."""
OTHERS_SECONDS = 120.0
"""A service that is away for this long while other workers play is away for this worker only."""


class Fitness:
    """Says whether a worker may take matches."""

    def __init__(
        self,
        admission: Admission,
        database: Store,
        name: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._admission = admission
        self._database = database
        self._name = name
        self._clock = clock
        self._blamed_at: datetime | None = None
        self._away_since: dict[str, float] = {}

    def examine(self) -> Verdict:
        """Run the checks and weigh what they found."""
        verdict = self._admission.examine()
        self._note_away(verdict)
        try:
            if verdict.state is WorkerState.UP:
                return self._look_for_blame(verdict)
            if verdict.state is WorkerState.WAITING:
                return self._whose_trouble(verdict)
        except DATABASE_ERRORS:
            # The check of the database has its own words for it.
            pass
        return verdict

    def _note_away(self, verdict: Verdict) -> None:
        now = self._clock()
        self._away_since = {name: self._away_since.get(name, now) for name in verdict.elsewhere}

    def _look_for_blame(self, verdict: Verdict) -> Verdict:
        """Checks cannot see everything: a worker that fails where others succeed rests."""
        with self._database.read() as session:
            now = store.database_time(session)
            since = now - timedelta(seconds=ALONE_SECONDS)
            if self._blamed_at is not None:
                # What it has been blamed for once does not count again.
                since = max(since, self._blamed_at)
            failed = store.workers.failed_alone(session, self._name, since)
        if failed < ALONE_LIMIT:
            return verdict
        reason = f"{failed} matches failed here lately and were then played by other workers"
        pause = self._admission.penalise(reason)
        self._blamed_at = now
        LOG.error("worker is blamed", worker=self._name, reason=reason, seconds=pause)
        return self._admission.examine()

    def _whose_trouble(self, verdict: Verdict) -> Verdict:
        """A shared service that answers all the others is this worker's own trouble."""
        now = self._clock()
        long = [name for name, at in self._away_since.items() if now - at > OTHERS_SECONDS]
        if not long:
            return verdict
        with self._database.read() as session:
            others = [one for one in store.workers.able(session) if one.name != self._name]
        return self._admission.own_up(long) if others else verdict
