"""Numbers for Prometheus. Labels are route patterns, never what somebody typed."""

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)

from store import Store, workers

CONTENT_TYPE = CONTENT_TYPE_LATEST
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
            "Matches that wait, run or are stuck.",
            ("queue", "state"),
            registry=self.registry,
        )
        self.workers = Gauge(
            "bullring_workers", "Workers that gave a sign lately.", registry=self.registry
        )

    def render(self, store: Store) -> bytes:
        """All numbers as text; those of the queue are read now."""
        with store.read() as session:
            sizes = workers.queue_sizes(session)
            alive = len(workers.alive(session))
        self.matches.clear()
        for (queue, state), count in sizes.items():
            self.matches.labels(queue, state.value).set(count)
        self.workers.set(alive)
        return generate_latest(self.registry)
