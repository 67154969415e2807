"""What a league writes to its log, and what it keeps to itself."""

import logging

import pytest


@pytest.mark.usefixtures("plain_logs")
def test_the_clockwork_ticks_without_a_line_for_every_tick() -> None:
    beat = logging.getLogger("celery.beat")
    assert not beat.isEnabledFor(logging.INFO)
    assert beat.isEnabledFor(logging.WARNING), "a beat that fails is heard"
    assert logging.getLogger("league").isEnabledFor(logging.INFO)
