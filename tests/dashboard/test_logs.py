"""What a league writes to its log, and what it keeps to itself."""

import contextlib
import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog
from structlog.testing import capture_logs

from dashboard.logs import configure_logs
from tests.dashboard.conftest import Browser


def test_the_clockwork_ticks_without_a_line_for_every_tick() -> None:
    configure_logs()
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


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """What goes into the log of a league that has just begun."""
    with contextlib.redirect_stderr(io.StringIO()) as lines:
        configure_logs()
        yield lines
    configure_logs()


@pytest.mark.parametrize("log", [structlog.get_logger("ours"), logging.getLogger("a.library")])
def test_the_log_of_a_bug_says_where_it_was_and_gives_no_secret_away(
    written: io.StringIO, log: logging.Logger
) -> None:
    def sign_in(password: str) -> None:
        raise RuntimeError("a bug of ours")

    try:
        sign_in("-".join(("open", "sesame")))
    except RuntimeError:
        log.exception("bug")
    [line] = written.getvalue().splitlines()
    [bug] = json.loads(line)["exception"]
    assert bug["exc_value"] == "a bug of ours"
    assert bug["frames"][-1]["name"] == "sign_in"
    assert "open-sesame" not in line


def test_a_logger_outlives_the_stderr_that_it_was_first_used_with(
    capfd: pytest.CaptureFixture[str],
) -> None:
    log = structlog.get_logger("first used elsewhere")
    elsewhere = io.StringIO()
    with contextlib.redirect_stderr(elsewhere):
        configure_logs()
    log.warning("then")
    logging.getLogger("a library").warning("then, too")
    assert len(elsewhere.getvalue().splitlines()) == 2
    elsewhere.close()
    log.warning("now")
    logging.getLogger("a library").warning("now, too")
    configure_logs()
    told = [json.loads(line)["event"] for line in capfd.readouterr().err.splitlines()]
    assert told == ["now", "now, too"]
