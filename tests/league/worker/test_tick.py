"""Parts of the clockwork that fail are told, and hold up no other part."""

import inspect
import re
from pathlib import Path

import pytest

from league.worker import WorkerMetrics, tick
from store import Store
from tests.factories import open_store
from tests.league.world import settings


def test_parts_that_fail_are_told_by_their_names_and_hold_up_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = settings(tmp_path)
    database = open_store(chosen)

    def away(*_: object, **__: object) -> None:
        raise RuntimeError("the database is away")

    monkeypatch.setattr(Store, "read", away)
    monkeypatch.setattr(Store, "write", away)
    failed: list[str] = []
    token = tick.on_failure.set(failed.append)
    try:
        tick.tick(database, chosen)
    finally:
        tick.on_failure.reset(token)
    assert {"dates", "lost matches", "queue", "webhooks"} <= set(failed) <= set(tick.PARTS)


def test_every_part_is_shown_before_it_fails() -> None:
    named = re.findall(r'_part\("([^"]+)"\)', inspect.getsource(tick))
    assert set(named) | set(tick.FAILED) == set(tick.PARTS)


def test_failures_of_parts_are_counted_from_0_on() -> None:
    metrics = WorkerMetrics()
    metrics.show_parts(["queue", "dates"])
    metrics.missed_part("queue")
    name = "bullring_tick_failures_total"
    assert metrics.registry.get_sample_value(name, {"part": "queue"}) == 1.0
    assert metrics.registry.get_sample_value(name, {"part": "dates"}) == 0.0
