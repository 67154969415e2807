"""A Celery consumer in a thread of its own, which is started again when it ends by itself."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import structlog
from celery import Celery, bootsteps
from celery.concurrency.thread import TaskPool
from kombu.asynchronous import set_event_loop

LOG = structlog.get_logger("league")
AGAIN_SECONDS = 1.0
PULSE_SECONDS = 0.2
_MAKING = threading.Lock()


class OwnPool(TaskPool):
    """Threads that look tasks up in the app of their consumer.

    Otherwise they ask for the app that the process made last, which may know no tasks at all.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.executor = ThreadPoolExecutor(self.limit, initializer=self.app.set_current)


class Pulse(bootsteps.StartStopStep):
    """Keeps the loop of a consumer turning.

    A thread that has worked on a message acknowledges it without waking the loop, which then
    fetches the next one only when something else happens, up to ten seconds later.
    """

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def start(self, parent: Any) -> None:
        """At every connection, because the timers of the last one are gone."""
        if parent.hub is not None:
            parent.timer.call_repeatedly(PULSE_SECONDS, _nothing)


def _nothing() -> None:
    """The loop turned; that is all."""


@dataclass(slots=True)
class Consumer:
    """Takes the messages of some queues until it is closed."""

    name: str
    make_app: Callable[[], Celery]
    """One app a consumer: Celery keeps the choice of queues on the app."""
    queues: Sequence[str]
    slots: int
    """Messages that are worked on at the same time."""
    controller: Any = None
    _over: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to listen; returns at once."""
        self.controller = self._make()
        self._thread = threading.Thread(target=self._run, name=f"celery {self.name}", daemon=True)
        self._thread.start()

    def _make(self) -> Any:
        with _MAKING:
            # Celery takes the event loop that the process has. Several consumers in one loop read
            # each other's answers and close it for all, and then nobody listens any more.
            set_event_loop(None)
            app = self.make_app()
            app.steps["consumer"].add(Pulse)
            return app.WorkController(
                hostname=self.name,
                pool_cls=OwnPool,
                concurrency=self.slots,
                queues=list(self.queues),
                without_gossip=True,
                without_mingle=True,
                without_heartbeat=True,
                loglevel="WARNING",
                quiet=True,
            )

    def _run(self) -> None:
        while True:
            try:
                self.controller.start()
            except Exception:
                # Celery gives up on some errors of the broker; we do not.
                LOG.exception("consumer failed", consumer=self.name)
            if self._over.wait(AGAIN_SECONDS):
                return
            # A worker that lives and hears nothing would be the worst of all.
            LOG.error("consumer ended by itself, started again", consumer=self.name)
            self.controller = self._make()
            if self._over.is_set():
                return

    def close(self) -> None:
        """Stop listening, so that messages go to others; what is being worked on goes on."""
        self._over.set()
        if self.controller is not None:
            self.controller.signal_consumer_close()

    def stop(self) -> None:
        """End; waits for the tasks that are running."""
        self._over.set()
        if self.controller is not None:
            self.controller.stop()

    def join(self, seconds: float) -> None:
        """Wait for the end of its thread."""
        if self._thread is not None:
            self._thread.join(timeout=seconds)
