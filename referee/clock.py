"""Time without a clock: banks, the lag of our own loop, and who may think. Seconds in, no I/O."""

from collections.abc import Hashable
from dataclasses import dataclass

MARGIN_MS = 50.0
"""How far below zero a bank may go: more than the noise of a connection, less than a thought."""

BEAT_S = 0.01
LAG_FROM_S = 0.02
"""A late beat of the loop counts as the referee's fault from here on."""


@dataclass(slots=True)
class Bank:
    """The spare time of one bot in one pass."""

    left_ms: float

    def limit_ms(self, free_ms: float) -> float:
        """The longest time a message with this free time may take."""
        return free_ms + self.left_ms + MARGIN_MS

    def spend(self, elapsed_ms: float, free_ms: float) -> None:
        """Pay for a message that was answered in time."""
        self.left_ms -= max(0.0, elapsed_ms - free_ms)

    def empty(self) -> None:
        """A timeout costs what was left; a debt would only make the next timeout sure."""
        self.left_ms = 0.0


class LagMeter:
    """Adds up how late our own loop was, from beats that should come every BEAT_S."""

    def __init__(self, now: float) -> None:
        self._last = now
        self._credit = 0.0

    def beat(self, now: float) -> float:
        """The loop runs; what it was late is credited. Returns that part, in seconds."""
        late = self._late(now)
        self._credit += late
        self._last = now
        return late

    def total(self, now: float) -> float:
        """All credit up to now, with a beat that is overdue at this moment."""
        return self._credit + self._late(now)

    def _late(self, now: float) -> float:
        late = now - self._last - BEAT_S
        return late if late > LAG_FROM_S else 0.0


class Thinkers:
    """Who thinks or starts now, and whether there is room for one more."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._now: set[Hashable] = set()

    def has_room(self) -> bool:
        """Whether one more may begin."""
        return self._limit is None or len(self._now) < self._limit

    def begin(self, who: Hashable) -> None:
        """Somebody begins to think."""
        self._now.add(who)

    def end(self, who: Hashable) -> None:
        """Somebody has answered, is out or gone. Safe to repeat."""
        self._now.discard(who)

    def __len__(self) -> int:
        return len(self._now)
