"""The Celery app: tasks that take one id and ring a bell. The database is the truth.

A lost message is published again by the clockwork, a doubled one finds nothing to claim.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import structlog
from celery import Celery
from kombu import Queue

from league.settings import LeagueSettings
from league.worker.tick import Due
from store import Doorbell

LOG = structlog.get_logger("league")
MATCH_QUEUES = ("season", "ladder", "gate")
CHECKS = "checks"
MAINTENANCE = "maintenance"
ALL_QUEUES = (*MATCH_QUEUES, CHECKS, MAINTENANCE)
PLAY, CHECK, TICK, RATE = "bullring.play", "bullring.check", "bullring.tick", "bullring.rate"
SWEEP = "bullring.sweep"
SWEEP_EVERY = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Jobs:
    """What the tasks do; each takes one id, or nothing, and is safe to run twice."""

    play: Callable[[int], object]
    check: Callable[[int], object]
    tick: Callable[[], object]
    rate: Callable[[], object]
    sweep: Callable[[], object]


def make_celery(settings: LeagueSettings) -> Celery:
    """The Celery app as everybody who publishes or consumes needs it."""
    app = Celery("bullring", broker=settings.broker, set_as_current=False)
    polling = {"polling_interval": 0.02} if settings.embedded else {}
    redis = {
        # Longer than any match: a task must never be handed out again while it runs.
        "visibility_timeout": 2 * settings.match_seconds,
        "unacked_restore_interval": 10,
        "unacked_restore_throttle": 1,
        "socket_connect_timeout": settings.redis_seconds,
        # Consumers wait for a message inside one call; this must be longer than that wait.
        "socket_timeout": 10 + settings.redis_seconds,
        "global_keyprefix": "bullring:",
    }
    app.conf.update(
        accept_content=["json"],
        task_serializer="json",
        task_ignore_result=True,
        task_acks_late=True,
        task_default_queue=MAINTENANCE,
        task_queues=[Queue(name) for name in ALL_QUEUES],
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_connection_retry_on_startup=True,
        broker_transport_options=polling if settings.embedded else redis,
        beat_schedule={
            "tick": {
                "task": TICK,
                "schedule": settings.tick_seconds,
                # A tick that waited longer than the next one is worth nothing.
                "options": {"expires": max(2.0, settings.tick_seconds)},
            },
            "rate": {
                "task": RATE,
                "schedule": 2 * settings.tick_seconds,
                "options": {"expires": max(2.0, 2 * settings.tick_seconds)},
            },
            "sweep": {"task": SWEEP, "schedule": SWEEP_EVERY, "options": {"expires": SWEEP_EVERY}},
        },
    )
    # Without this, what a worker's thread publishes goes to an app that does not exist.
    app.set_default()
    return app


def register(app: Celery, jobs: Jobs) -> None:
    """Give the tasks their work."""

    def task(name: str, run: Callable[..., object]) -> None:
        def body(*arguments: Any) -> None:
            try:
                run(*arguments)
            except Exception:
                # The clockwork tries again what the database still says is to be done.
                LOG.exception("task failed", task=name, arguments=arguments)

        app.task(name=name, ignore_result=True, shared=False)(body)

    task(PLAY, jobs.play)
    task(CHECK, jobs.check)
    task(TICK, jobs.tick)
    task(RATE, jobs.rate)
    task(SWEEP, jobs.sweep)


def ring(app: Celery, due: Due) -> None:
    """Wake workers. An unreachable broker loses nothing: what nobody claims is rung for again."""
    for bell in due.matches:
        _send(app, PLAY, bell)
    for submission_id in due.submissions:
        app.send_task(CHECK, args=[submission_id], queue=CHECKS)


def _send(app: Celery, name: str, bell: Doorbell) -> None:
    app.send_task(name, args=[bell.match_id], queue=bell.queue)
