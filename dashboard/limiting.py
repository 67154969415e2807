"""Rate limits: how often one account or address may do something."""

import math
import time
from functools import cache

from limits import RateLimitItem, parse
from limits.storage import storage_from_string
from limits.strategies import MovingWindowRateLimiter


class TooMany(Exception):
    """Somebody did something too often; `retry_after` is in seconds."""

    def __init__(self, what: str, limit: str, retry_after: int) -> None:
        super().__init__(
            f"too many {what}: the limit is {limit}; try again in {retry_after} seconds"
        )
        self.retry_after = retry_after


class Limiter:
    """Counts in memory, or in Redis when several web processes share the limits."""

    def __init__(self, redis_url: str | None = None) -> None:
        self._strategy = MovingWindowRateLimiter(storage_from_string(redis_url or "memory://"))

    def hit(self, what: str, limit: str, *who: str) -> None:
        """Count one more; raises TooMany when that is over the limit."""
        item = _item(limit)
        if not self._strategy.hit(item, what, *who):
            reset = self._strategy.get_window_stats(item, what, *who).reset_time
            raise TooMany(what, limit, max(1, math.ceil(reset - time.time())))

    def clear(self, what: str, limit: str, *who: str) -> None:
        """Forget what was counted: a right password ends the suspicion."""
        self._strategy.clear(_item(limit), what, *who)


@cache
def _item(limit: str) -> RateLimitItem:
    return parse(limit)
