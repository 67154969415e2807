"""What a league writes to its log, and what it keeps to itself."""

import logging

import pytest
from celery.beat import logger as beat


@pytest.mark.usefixtures("plain_logs")
def test_the_clockwork_ticks_without_a_line_for_every_tick() -> None:
    assert not beat.isEnabledFor(logging.INFO)
    assert beat.isEnabledFor(logging.WARNING), "a beat that fails is heard"
    assert logging.getLogger("league").isEnabledFor(logging.INFO)
