"""The Celery app: tasks that take one id and ring a bell. The database is the truth.

A lost bell is rung again by the clock, a doubled one finds nothing to claim, and workers look by
themselves as well.
"""

from collections.abc import Callable, Mapping
from typing import Any

import structlog
from celery import Celery
from kombu import Queue

from league.settings import LeagueSettings
from store import Doorbell, MatchKind
from store.matches import LEAGUE_QUEUES, QUEUES

LOG = structlog.get_logger("league")
CHECKS = "checks"
REVIEWS = "reviews"
FRIENDLIES = QUEUES[MatchKind.PRACTICE]
TABLES = QUEUES[MatchKind.PEOPLE]
ALL_QUEUES = (*LEAGUE_QUEUES, FRIENDLIES, TABLES, CHECKS, REVIEWS)
PLAY, CHECK, REVIEW = "bullring.play", "bullring.check", "bullring.review"
FRIENDLY, SIT = "bullring.friendly", "bullring.sit"
OWN_TASKS = {FRIENDLIES: FRIENDLY, TABLES: SIT}
"""What rings for matches whose queue has slots of its own."""
MARK = "bullring:clock"
"""The key in Redis by which a worker knows that the league's clock rings there."""


def task_of(bell: Doorbell) -> str:
    """What rings for a match."""
    return OWN_TASKS.get(bell.queue, PLAY)


def make_celery(settings: LeagueSettings) -> Celery:
    """The Celery app as whoever publishes or consumes needs it."""
    app = Celery("bullring", broker=settings.broker, set_as_current=False)
    polling = {"polling_interval": 0.02} if settings.embedded else {}
    redis = {
        # Longer than a worker keeps a bell for a slot that gets free.
        "visibility_timeout": max(60.0, 4 * settings.stale_seconds),
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
        task_default_queue=LEAGUE_QUEUES[0],
        task_queues=[Queue(name) for name in ALL_QUEUES],
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_connection_retry_on_startup=True,
        broker_transport_options=polling if settings.embedded else redis,
    )
    # Without this, what a worker's thread publishes goes to an app that does not exist.
    app.set_default()
    return app


def register(app: Celery, bells: Mapping[str, Callable[[int], object]]) -> None:
    """Give the tasks what they do; each takes one id and is safe to run twice."""

    def task(name: str, run: Callable[..., object]) -> None:
        def body(*arguments: Any) -> None:
            try:
                run(*arguments)
            except Exception:
                # The clockwork tries again what the database still says is to be done.
                LOG.exception("task failed", task=name, arguments=arguments)

        app.task(name=name, ignore_result=True, shared=False)(body)

    for name, hear in bells.items():
        task(name, hear)
