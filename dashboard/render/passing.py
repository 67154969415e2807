"""When words about time will change, so that a page can be kept until then and no longer."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from math import inf

_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86400.0
_NEXT: ContextVar[list[float] | None] = ContextVar("next change", default=None)


@contextmanager
def noted_changes() -> Iterator[list[float]]:
    """While a page is made: the moments (seconds since 1970) at which its words change."""
    found: list[float] = []
    token = _NEXT.set(found)
    try:
        yield found
    finally:
        _NEXT.reset(token)


def note_change(now: datetime, gap: float) -> None:
    """Note that a page says how long `gap` seconds are, since or (below zero) until."""
    found = _NEXT.get()
    if found is not None:
        found.append(now.timestamp() + seconds_to_change(gap))


def note_moment(at: datetime) -> None:
    """Note that a page shows something else from then on."""
    found = _NEXT.get()
    if found is not None:
        found.append(at.timestamp())


def seconds_to_change(gap: float) -> float:
    """How long the words for this length stay the same, as `ago` says them.

    >>> seconds_to_change(10), seconds_to_change(90), seconds_to_change(7199)
    (50.0, 30.0, 1.0)
    >>> seconds_to_change(-150), seconds_to_change(-30)
    (30.0, 0.0)
    """
    if gap < 0:
        left = -gap
        # The last minute is counted in seconds and less; that is not worth keeping.
        return 0.0 if left < _MINUTE else left % (_MINUTE if left < 48 * _HOUR else _HOUR)
    if gap < _HOUR:
        return _MINUTE - gap % _MINUTE
    if gap < 48 * _HOUR:
        return _HOUR - gap % _HOUR
    return _DAY - gap % _DAY if gap < 14 * _DAY else inf
