"""Ringing for work that waits, in a thread of its own: who rings never waits for Redis.

A bell is a hint. One that is not rung, or lost, costs a few seconds, because workers also look by
themselves.
"""

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import redis
import structlog
from celery import Celery

from league.settings import LeagueSettings
from league.worker.broker import CHECK, CHECKS, MARK, REVIEW, REVIEWS, make_celery, task_of
from league.worker.tick import Due

LOG = structlog.get_logger("league")
MAX_WAITING = 1000
"""Bells that wait for the thread; what is above is found by the poll."""
MAX_QUEUED = 200
"""Bells that a queue of the broker may hold: more than that, and nobody is listening."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 15.0
MARK_SECONDS = 60
Bell = tuple[str, int]
"""A task and the id that it takes."""


class Bells:
    """Publishes bells, each match at most once per `stale_seconds`."""

    def __init__(self, settings: LeagueSettings) -> None:
        self._settings = settings
        self._app: Celery = make_celery(settings)
        self._waiting: dict[Bell, str] = {}
        self._rung: dict[Bell, float] = {}
        self._changed = threading.Condition()
        self._closing = False
        self._marking = False
        self._marked = 0.0
        self.problem: str | None = None
        """Why the broker cannot be reached, as far as it was tried; None: it can."""
        self.on_problem: Callable[[str | None], object] = lambda _: None
        self._thread = threading.Thread(target=self._run, name="bells", daemon=True)
        self._thread.start()

    def ring(self, due: Due, *, again: bool = False) -> None:
        """Ring for what is due; returns at once. `again`: even for what was rung just now."""
        now = time.monotonic()
        with self._changed:
            self._forget(now)
            for key, queue in bells_of(due).items():
                fresh = now - self._rung.get(key, float("-inf")) < self._settings.stale_seconds
                if (again or not fresh) and len(self._waiting) < MAX_WAITING:
                    self._waiting[key] = queue
                    self._rung[key] = now
            self._changed.notify_all()

    def mark(self, on: bool) -> None:
        """Whether this process keeps the clock's mark in Redis, by which workers know that they
        listen at the right place."""
        with self._changed:
            self._marking = on
            self._changed.notify_all()

    def _forget(self, now: float) -> None:
        old = now - self._settings.stale_seconds
        if len(self._rung) > 2 * MAX_WAITING:
            self._rung = {key: at for key, at in self._rung.items() if at > old}

    def _run(self) -> None:
        pause = FIRST_PAUSE
        while True:
            with self._changed:
                if not self._waiting and not self._closing:
                    self._changed.wait(MARK_SECONDS / 4)
                if self._closing:
                    return
                bells, self._waiting = self._waiting, {}
            try:
                publish(
                    self._app,
                    bells,
                    seconds=self._settings.redis_seconds,
                    expires=max(10.0, 2 * self._settings.stale_seconds),
                    most=MAX_QUEUED,
                )
                self._renew_mark()
                pause = FIRST_PAUSE
                self._tell(None)
            except Exception as error:
                # The broker's library raises what it likes. Nothing is lost: workers look by
                # themselves, and what nobody claims is rung for again.
                self._tell(f"{type(error).__name__}: {error}"[:200])
                with self._changed:
                    self._changed.wait_for(lambda: self._closing, pause)
                pause = min(2 * pause, LONGEST_PAUSE)

    def _tell(self, problem: str | None) -> None:
        if (problem is None) != (self.problem is None):
            if problem is None:
                LOG.info("broker answers again")
            else:
                LOG.warning("broker unreachable, workers look by themselves", error=problem)
        self.problem = problem
        self.on_problem(problem)

    def _renew_mark(self) -> None:
        if self._settings.redis_url is None or not self._marking:
            return
        if time.monotonic() - self._marked < MARK_SECONDS / 4:
            return
        with redis.Redis.from_url(
            self._settings.redis_url,
            socket_timeout=self._settings.redis_seconds,
            socket_connect_timeout=self._settings.redis_seconds,
        ) as client:
            client.set(MARK, "1", ex=MARK_SECONDS)
        self._marked = time.monotonic()

    def close(self) -> None:
        """Stop; what was not rung is found by the others."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join(timeout=self._settings.redis_seconds + 1)
        with suppress(Exception):
            self._app.close()


def bells_of(due: Due) -> dict[Bell, str]:
    """What is to be rung, with its queue."""
    wanted = {(task_of(bell), bell.match_id): bell.queue for bell in due.matches}
    wanted |= {(CHECK, number): CHECKS for number in due.submissions}
    return wanted | {(REVIEW, number): REVIEWS for number in due.reviews}


def publish(
    app: Celery,
    bells: Mapping[Bell, str],
    *,
    seconds: float,
    expires: float | None = None,
    most: int | None = None,
) -> None:
    """Hand bells to the broker, waiting `seconds` for it; no queue gets longer than `most`."""
    room: dict[str, int] = {}
    with app.connection_for_write() as connection:
        # Without a limit the library tries for ever.
        connection.ensure_connection(max_retries=1, interval_start=0, timeout=round(seconds) or 1)
        channel: Any = connection.default_channel
        for (task, number), queue in bells.items():
            if most is not None:
                if queue not in room:
                    waiting = channel.queue_declare(queue, durable=True).message_count
                    room[queue] = most - int(waiting)
                if room[queue] <= 0:
                    continue
                room[queue] -= 1
            # A bell that nobody heard for so long has been rung again.
            app.send_task(
                task,
                args=[number],
                queue=queue,
                connection=connection,
                retry=False,
                expires=expires,
            )


def ring(app: Celery, due: Due, seconds: float = 5.0) -> None:
    """Ring for what is due, here and now; for programs that have nothing else to do."""
    publish(app, bells_of(due), seconds=seconds)
