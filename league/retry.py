"""Waiting for a database that is restarting: a server that starts meanwhile must not exit."""

import time
from collections.abc import Callable
from typing import TypeVar

import structlog

from store import DATABASE_ERRORS, NotReady

LOG = structlog.get_logger("league")
T = TypeVar("T")
PATIENCE_SECONDS = 120.0
PAUSE_SECONDS = 1.0
AWAY: tuple[type[Exception], ...] = (*DATABASE_ERRORS, NotReady)


def patiently(
    act: Callable[[], T],
    *,
    seconds: float = PATIENCE_SECONDS,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> T:
    """Do it, retrying while the database is away or behind; raises its error in the end."""
    deadline = clock() + seconds
    while True:
        try:
            return act()
        except AWAY as error:
            if clock() >= deadline:
                raise
            LOG.warning(
                "waiting for the database", error=(str(error).splitlines() or [""])[0][:200]
            )
            sleep(PAUSE_SECONDS)
