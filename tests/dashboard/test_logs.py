"""What a league writes to its log, and what it keeps to itself."""

import logging

import pytest
from structlog.testing import capture_logs

from tests.dashboard.conftest import Browser


@pytest.mark.usefixtures("plain_logs")
def test_the_clockwork_ticks_without_a_line_for_every_tick() -> None:
    beat = logging.getLogger("celery.beat")
    assert not beat.isEnabledFor(logging.INFO)
    assert beat.isEnabledFor(logging.WARNING), "a beat that fails is heard"
    assert logging.getLogger("league").isEnabledFor(logging.INFO)


def test_probes_that_are_well_leave_no_line(spectator: Browser) -> None:
    with capture_logs() as lines:
        spectator.get("/healthz")
        spectator.get("/")
        spectator.get("/readyz/not")
    told = [line["path"] for line in lines if line["event"] == "request"]
    assert told == ["/", "/readyz/not"]
