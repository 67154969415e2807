"""Numbers for Prometheus. Labels are route patterns, never what a user typed."""

import shutil
import time
from collections.abc import Sequence
from math import inf
from pathlib import Path

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)

from store import Store, Worker, WorkerState, leases, workers

METRICS_TYPE = CONTENT_TYPE_LATEST
CLOCK = "clock"
"""The lease of the process that is the clock."""
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)


class Metrics:
    """The numbers of one dashboard, in a registry of its own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "bullring_http_requests_total",
            "Requests by route, method and status.",
            ("route", "method", "status"),
            registry=self.registry,
        )
        self.seconds = Histogram(
            "bullring_http_request_seconds",
            "Time until the response began.",
            ("route",),
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self.watchers = Gauge(
            "bullring_live_watchers", "Open live connections.", registry=self.registry
        )
        self.matches = Gauge(
            "bullring_matches",
            "Matches that wait, run or are stuck; not those of seasons past.",
            ("queue", "state"),
            registry=self.registry,
        )
        self.failures = self._gauge(
            "bullring_match_failures", "Failed attempts of matches that wait or run."
        )
        self.oldest = self._gauge(
            "bullring_oldest_queued_seconds", "How long the match waits that waits longest."
        )
        self.workers = self._gauge("bullring_workers", "Workers that gave a sign lately.")
        self.states = Gauge(
            "bullring_workers_in_state",
            "Workers that gave a sign lately, by what they say of themselves.",
            ("state",),
            registry=self.registry,
        )
        self.broker_problems = self._gauge(
            "bullring_broker_problems", "Workers and clocks that Redis does not reach."
        )
        self.clock_age = self._gauge(
            "bullring_clock_age_seconds", "Since the clock last turned; +Inf: it never has."
        )
        self.slots = self._gauge("bullring_worker_slots", "Matches they can play at once.")
        self.busy = self._gauge("bullring_worker_busy", "Matches they play now.")
        self.waiting = self._gauge(
            "bullring_matches_waiting_for_host",
            "Matches and checks that workers do not begin, because their host is busy with others.",
        )
        self.not_measured = self._gauge(
            "bullring_workers_not_measured",
            "Workers that cannot tell what others take from their bots.",
        )
        self.clocks = self._gauge("bullring_clocks", "Processes that run the clock.")
        self.submissions = self._gauge(
            "bullring_submissions_waiting", "Submissions that no worker has finished with."
        )
        self.disk = self._gauge("bullring_disk_free_bytes", "Room for replays and uploads.")
        self.database = self._gauge(
            "bullring_database_seconds", "How long the database took for the numbers above."
        )

    def _gauge(self, name: str, about: str) -> Gauge:
        return Gauge(name, about, registry=self.registry)

    def render(self, store: Store) -> bytes:
        """All numbers as text; those of the queue are read now."""
        begun = time.perf_counter()
        with store.read() as session:
            sizes = workers.queue_sizes(session)
            waiting = workers.waiting(session)
            alive = workers.alive(session)
            clock_age = leases.age(session, CLOCK)
        self.database.set(time.perf_counter() - begun)
        self.matches.clear()
        for (queue, state), count in sizes.items():
            self.matches.labels(queue, state.value).set(count)
        self.oldest.set(waiting.oldest_seconds)
        self.failures.set(waiting.failures)
        self.submissions.set(waiting.submissions)
        self._show_workers(alive)
        self.clock_age.set(inf if clock_age is None else clock_age)
        self.disk.set(shutil.disk_usage(_existing(store.blobs.root)).free)
        return generate_latest(self.registry)

    def _show_workers(self, alive: Sequence[Worker]) -> None:
        playing = [worker for worker in alive if worker.slots]
        self.workers.set(len(playing))
        self.slots.set(sum(worker.slots for worker in playing))
        self.busy.set(sum(worker.busy for worker in playing))
        hosts = [host for worker in playing if (host := workers.host_of(worker)) is not None]
        self.waiting.set(sum(host.waiting for host in hosts))
        self.not_measured.set(sum(host.not_measured is not None for host in hosts))
        self.clocks.set(sum(bool(worker.detail.get("clock")) for worker in alive))
        for state in WorkerState:
            self.states.labels(state.value).set(sum(one.state is state for one in playing))
        self.broker_problems.set(sum(map(_misses_bells, alive)))


def _misses_bells(worker: Worker) -> bool:
    problems = worker.detail.get("problems")
    told = isinstance(problems, dict) and "broker" in problems
    return told or bool(worker.detail.get("broker"))


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it before the first replay is written."""
    return next(one for one in (folder, *folder.absolute().parents) if one.is_dir())
