"""Numbers of a worker or clock for Prometheus, on a port of their own; never on the public one."""

import contextlib
import threading
import time
from collections.abc import Iterable, Iterator
from wsgiref.simple_server import WSGIServer

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

from league.matches import Cause
from league.worker.admission import Verdict
from store import WorkerState

LOG = structlog.get_logger("league")
_MATCH_BUCKETS = (1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600)
_LATE_BUCKETS = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5)
CANARY_SECONDS = 0.1


class WorkerMetrics:
    """What one process counts. Counters only grow, so that nothing between two looks is missed."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.attempts = Counter(
            "bullring_attempts",
            "Attempts at the league's own matches (no friendlies, no tables with people) by how"
            " they ended: `done`, `refused`, or `void` with its cause.",
            ("outcome", "cause"),
            registry=self.registry,
        )
        self.match_seconds = Histogram(
            "bullring_match_seconds",
            "How long those attempts took.",
            buckets=_MATCH_BUCKETS,
            registry=self.registry,
        )
        self.lease_losses = self._counter(
            "bullring_lease_losses", "Matches that were taken away while they were played."
        )
        self.quarantines = Counter(
            "bullring_quarantines",
            "How often this worker was put into quarantine, by the check that failed.",
            ("check",),
            registry=self.registry,
        )
        self.state = Gauge(
            "bullring_worker_state",
            "1 for the state that this process is in.",
            ("state",),
            registry=self.registry,
        )
        self.check_seconds = Gauge(
            "bullring_check_seconds",
            "How long a check took the last time.",
            ("check",),
            registry=self.registry,
        )
        self.check_failed = Gauge(
            "bullring_check_failed",
            "1 while a check of this worker fails.",
            ("check",),
            registry=self.registry,
        )
        self.broker_failures = self._counter(
            "bullring_broker_failures", "Times that the broker took no bells."
        )
        self.ticks = self._counter("bullring_ticks", "Turns of the clock in this process.")
        self.tick_failures = Counter(
            "bullring_tick_failures",
            "Turns in which a part of the clockwork failed, by its name.",
            ("part",),
            registry=self.registry,
        )
        self.last_tick = self._gauge(
            "bullring_last_tick_timestamp_seconds", "When this process last turned the clock."
        )
        self.tick_seconds = self._gauge("bullring_tick_seconds", "How long the last turn took.")
        self.leader = self._gauge("bullring_clock_leader", "1 while this process is the clock.")
        self.canary = Histogram(
            "bullring_canary_late_seconds",
            "How late a thread that sleeps a tenth of a second wakes up.",
            buckets=_LATE_BUCKETS,
            registry=self.registry,
        )

        # From 0 on: of a counter that appears with its first event, Prometheus misses that event.
        for how in ("done", "refused"):
            self.attempts.labels(how, "")
        for cause in Cause:
            self.attempts.labels("void", cause.value)

    def _counter(self, name: str, about: str) -> Counter:
        return Counter(name, about, registry=self.registry)

    def _gauge(self, name: str, about: str) -> Gauge:
        return Gauge(name, about, registry=self.registry)

    def ended(self, how: str) -> None:
        """Count the end of an attempt, as `Player` tells it."""
        if how == "lease lost":
            self.lease_losses.inc()
        elif how in ("done", "refused"):
            self.attempts.labels(how, "").inc()
        else:
            self.attempts.labels("void", how).inc()

    def examined(self, verdict: Verdict) -> None:
        """Show what the checks found."""
        for name, seconds in verdict.seconds.items():
            self.check_seconds.labels(name).set(seconds)
            self.check_failed.labels(name).set(name in verdict.reasons)
        self.check_failed.labels("failures").set("failures" in verdict.own)

    def show_parts(self, names: Iterable[str]) -> None:
        """Show the failures of these parts of the clockwork from 0 on."""
        for name in names:
            self.tick_failures.labels(name)

    def missed_part(self, name: str) -> None:
        """Count a turn in which a part of the clockwork failed."""
        self.tick_failures.labels(name).inc()

    def is_in(self, state: WorkerState) -> None:
        """Show the state."""
        for one in WorkerState:
            self.state.labels(one.value).set(one is state)

    def watch_lateness(self, over: threading.Event) -> None:
        """Sleep and see how late it gets, until told to stop."""
        while True:
            begun = time.monotonic()
            if over.wait(CANARY_SECONDS):
                return
            self.canary.observe(max(0.0, time.monotonic() - begun - CANARY_SECONDS))


def shown(
    registry: CollectorRegistry, host: str, port: int | None
) -> contextlib.AbstractContextManager[None]:
    """The numbers on a port, until the block ends. Raises OSError where the port is taken."""
    if port is None:
        return contextlib.nullcontext()
    server, thread = start_http_server(port, host, registry)
    LOG.info("metrics", host=host, port=server.server_port)
    return _serving(server, thread)


@contextlib.contextmanager
def _serving(server: WSGIServer, thread: threading.Thread) -> Iterator[None]:
    try:
        yield
    finally:
        server.shutdown()
        thread.join(timeout=5)
        server.server_close()
