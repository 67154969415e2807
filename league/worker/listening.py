"""Hearing the bells of a worker's kinds of work, while it takes any."""

import socket
import threading
from collections.abc import Sequence

from celery import Celery

from league.settings import LeagueSettings
from league.worker.broker import make_celery, register
from league.worker.consumer import Consumer
from league.worker.standing import Standing
from league.worker.work import WorkSlots


class Listening:
    """One consumer for each kind of work; a worker that takes nothing leaves bells to others."""

    def __init__(
        self,
        settings: LeagueSettings,
        name: str,
        standing: Standing,
        kinds: Sequence[WorkSlots],
    ) -> None:
        self._settings = settings
        self._name = name
        self._standing = standing
        self._kinds = kinds
        self._lock = threading.Lock()
        self.consumers: list[Consumer] = []

    def start(self) -> None:
        """Hear bells from now on, and let every slot look at once."""
        with self._lock:
            if not self.consumers and not self._standing.draining.is_set():
                for kind in self._kinds:
                    role = f"{kind.work.name}@{self._name}"
                    consumer = Consumer(role, self._make_app, kind.work.queues, 1)
                    consumer.start()
                    self.consumers.append(consumer)
        for kind in self._kinds:
            kind.gate.wake_all()

    def stop(self) -> None:
        """Leave the bells to the others."""
        with self._lock:
            gone, self.consumers = self.consumers, []
        usual = socket.getdefaulttimeout()
        threads = [
            threading.Thread(target=one.stop, name=f"stop {one.name}", daemon=True) for one in gone
        ]
        # Each takes a second or two to leave its loop, so they leave together.
        for thread in threads:
            thread.start()
        for thread, consumer in zip(threads, gone, strict=True):
            thread.join(timeout=10)
            consumer.join(10)
        # Celery sets this for the whole process while it stops; several at once leave it set.
        socket.setdefaulttimeout(usual)

    def _make_app(self) -> Celery:
        app = make_celery(self._settings)
        register(app, {kind.work.task: kind.hear for kind in self._kinds})
        return app
