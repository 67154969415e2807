"""Rate limits: how often one account or address may do something."""

import math
import time
from collections.abc import Callable
from functools import cache
from typing import TypeVar

import structlog
from limits import RateLimitItem, parse
from limits.errors import StorageError
from limits.storage import MemoryStorage, storage_from_string
from limits.strategies import MovingWindowRateLimiter

LOG = structlog.get_logger("dashboard")
REDIS_SECONDS = 2.0
"""How long a count may wait for Redis."""
FORGET_SECONDS = 5.0
"""How often counts that are over are cleared away."""
AWAY_SECONDS = 10.0
"""How long a Redis that did not answer is left alone."""


T = TypeVar("T")


class TooMany(Exception):
    """Something was done too often; `retry_after` is in seconds."""

    def __init__(self, what: str, limit: str, retry_after: int) -> None:
        super().__init__(
            f"too many {what}: the limit is {limit}; try again in {retry_after} seconds"
        )
        self.retry_after = retry_after


class TooManyTopics(Exception):
    """More is being watched than this process will look at."""


class _Memory(MemoryStorage):
    """The library's storage, which starts a thread every few milliseconds to forget old counts,
    while a request waits for it; here one every few seconds. No count depends on it."""

    def __init__(self) -> None:
        self._next = float("-inf")
        super().__init__()

    def _MemoryStorage__schedule_expiry(self) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + FORGET_SECONDS
            super()._MemoryStorage__schedule_expiry()  # type: ignore[misc]


class Limiter:
    """Counts in memory, or in Redis when several web processes share the limits.

    While Redis is away each process counts by itself: pages go on, and guesses stay limited.
    """

    def __init__(self, redis_url: str | None = None) -> None:
        self._own = MovingWindowRateLimiter(_Memory())
        self._shared = None if redis_url is None else _in_redis(redis_url)
        self._away_until = float("-inf")

    @property
    def waits(self) -> bool:
        """Whether counting asks another process, so that it is not for the event loop."""
        return self._shared is not None

    def hit(self, what: str, limit: str, *who: str) -> None:
        """Count one more; raises TooMany when that is over the limit."""
        if not self.within(what, limit, *who):
            raise self._too_many(what, limit, *who)

    def within(self, what: str, limit: str, *who: str) -> bool:
        """Count one more; False when that is over the limit."""
        item = _item(limit)
        return self._ask(lambda strategy: strategy.hit(item, what, *who))

    def clear(self, what: str, limit: str, *who: str) -> None:
        """Forget what was counted, after a correct password."""

        def forget(strategy: MovingWindowRateLimiter) -> None:
            strategy.clear(_item(limit), what, *who)

        self._ask(forget)

    def _too_many(self, what: str, limit: str, *who: str) -> TooMany:
        item = _item(limit)
        reset = self._ask(lambda strategy: strategy.get_window_stats(item, what, *who).reset_time)
        return TooMany(what, limit, max(1, math.ceil(reset - time.time())))

    def _ask(self, question: Callable[[MovingWindowRateLimiter], T]) -> T:
        """Ask Redis, or this process where there is none that answers."""
        if self._shared is not None and time.monotonic() >= self._away_until:
            try:
                return question(self._shared)
            except StorageError as error:
                self._away_until = time.monotonic() + AWAY_SECONDS
                LOG.warning("this process counts its limits alone", error=str(error)[:200])
        return question(self._own)


def _in_redis(url: str) -> MovingWindowRateLimiter:
    storage = storage_from_string(
        url,
        wrap_exceptions=True,
        socket_timeout=REDIS_SECONDS,
        socket_connect_timeout=REDIS_SECONDS,
    )
    return MovingWindowRateLimiter(storage)


@cache
def _item(limit: str) -> RateLimitItem:
    return parse(limit)
