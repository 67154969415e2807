"""Consumers: each in a loop of its own, and never deaf while its process lives."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from celery import Celery

from league.settings import LeagueSettings
from league.worker.broker import CHECK, CHECKS, PLAY, make_celery, register
from league.worker.consumer import Consumer
from tests.league.world import settings, wait_for


class Desk:
    """Consumers, and what they were told."""

    def __init__(self, chosen: LeagueSettings) -> None:
        self.chosen = chosen
        self.heard: list[int] = []
        self.consumers: list[Consumer] = []
        self.publisher = make_celery(chosen)

    def _app(self) -> Celery:
        app = make_celery(self.chosen)
        hear = self.heard.append
        register(app, {PLAY: hear, CHECK: hear})
        return app

    def listen(self, queue: str) -> Consumer:
        made = Consumer(f"{queue}@here", self._app, [queue], 1)
        made.start()
        self.consumers.append(made)
        return made

    def tell(self, task: str, queue: str, number: int) -> None:
        self.publisher.send_task(task, args=[number], queue=queue)
        wait_for(lambda: number in self.heard)

    def stop(self) -> None:
        for consumer in self.consumers:
            consumer.stop()
        for consumer in self.consumers:
            consumer.join(30)
        self.publisher.close()


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(settings(tmp_path))
    yield made
    made.stop()


@pytest.fixture
def scaled(tmp_path: Path, redis_url: str) -> Iterator[Desk]:
    made = Desk(settings(tmp_path, redis_url=redis_url))
    yield made
    made.stop()


def test_a_consumer_that_ends_by_itself_is_started_again(embedded: Desk) -> None:
    consumer = embedded.listen("season")
    embedded.tell(PLAY, "season", 1)
    first = consumer.controller
    first.stop()
    wait_for(lambda: consumer.controller is not first)
    embedded.tell(PLAY, "season", 2)


def test_the_end_of_one_consumer_leaves_the_others_listening(scaled: Desk) -> None:
    matches, checks = scaled.listen("season"), scaled.listen(CHECKS)
    scaled.tell(PLAY, "season", 1)
    scaled.tell(CHECK, CHECKS, 2)
    assert matches.controller.hub is not checks.controller.hub
    checks.stop()
    checks.join(30)
    scaled.tell(PLAY, "season", 3)
