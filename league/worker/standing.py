"""What a worker says of itself: whether it takes work, waits, is in quarantine, or drains.

It examines itself from time to time, and at once after a failure.
"""

import threading
from collections.abc import Callable

import structlog

from league.worker.admission import Verdict
from league.worker.fitness import Fitness
from league.worker.gate import jittered
from league.worker.metrics import WorkerMetrics
from store import WorkerState

LOG = structlog.get_logger("league")
CLOSED_SECONDS = 5.0
"""How often a worker that takes no matches examines itself again."""


class Standing:
    """The state of one worker, and the examinations that change it."""

    def __init__(
        self,
        fitness: Fitness,
        metrics: WorkerMetrics,
        name: str,
        check_seconds: float,
        state: WorkerState = WorkerState.WAITING,
    ) -> None:
        self._fitness = fitness
        self._metrics = metrics
        self._name = name
        self._check_seconds = check_seconds
        self._changing = threading.Lock()
        self._now = threading.Event()
        self.state = state
        self.draining = threading.Event()
        """Set once the worker takes nothing more."""
        self.stopping = threading.Event()
        """Set once what is in hand must end, too."""
        self.on_open: Callable[[], object] = lambda: None
        """Called when the worker begins to take work, or finds that it still may."""
        self.on_closed: Callable[[], object] = lambda: None
        self.on_change: Callable[[], object] = lambda: None

    @property
    def takes(self) -> bool:
        """Whether the worker may take something now."""
        return self.state is WorkerState.UP and not self.draining.is_set()

    def examinations(self) -> None:
        """Examine the worker until it ends; its thread is in here."""
        while not self.stopping.is_set():
            self._examine()
            open_ = self.state is WorkerState.UP
            pause = jittered(self._check_seconds) if open_ else CLOSED_SECONDS
            self._now.wait(min(pause, self._check_seconds * 1.5))
            self._now.clear()
            if self.draining.is_set():
                return

    def examine_soon(self) -> None:
        """Something failed: do not wait for the next examination."""
        self._now.set()

    def is_fit(self) -> bool:
        """Examine this worker after a failure, so that no match pays for what is wrong here."""
        return self._examine() is WorkerState.UP

    def _examine(self) -> WorkerState:
        verdict = self._fitness.examine()
        self._metrics.examined(verdict)
        self.set(verdict.state, verdict)
        return verdict.state

    def set(self, state: WorkerState, verdict: Verdict | None = None) -> None:
        """Take a state and say so; a worker that drains keeps its own."""
        with self._changing:
            if self.draining.is_set():
                return
            before, self.state = self.state, state
            self._metrics.is_in(state)
            if state is WorkerState.UP:
                self.on_open()
            else:
                self.on_closed()
                # The examinations come quickly now, so that it returns soon.
                if state is not before:
                    self._now.set()
        if state is not before:
            self._announce(before, state, verdict or Verdict())
            self.on_change()

    def _announce(self, before: WorkerState, state: WorkerState, verdict: Verdict) -> None:
        if state is WorkerState.QUARANTINED:
            for name in verdict.own:
                self._metrics.quarantines.labels(name).inc()
            LOG.error("worker in quarantine", worker=self._name, reason=verdict.words)
        elif state is WorkerState.WAITING:
            LOG.warning("worker waits", worker=self._name, reason=verdict.words)
        else:
            LOG.info("worker takes matches", worker=self._name, before=before.value)

    def drain(self) -> None:
        """Take nothing more; no examination changes that."""
        with self._changing:
            self.draining.set()
            self.state = WorkerState.DRAINING
            self._metrics.is_in(self.state)
        self._now.set()
