"""Time without a clock: banks, the lag of our own loop, and who may think. Seconds in, no I/O."""

from collections import Counter, defaultdict
from collections.abc import Hashable
from dataclasses import dataclass

MARGIN_MS = 50.0
"""How far below zero a bank may go: more than the noise of a connection, less than a thought."""

BEAT_S = 0.01
LAG_FROM_S = 0.02
"""A late beat of the loop counts as the referee's fault from here on."""

CREDIT_MESSAGE_S = 0.5
CREDIT_PASS_S = 2.0
"""The most lag that is credited to a bot for one message, and in one pass. No trick that makes us
late can gain more than this; a host that stays slow for longer is dealt with from outside."""

BYTE_S = 2e-8
"""What one byte costs the gRPC library, which our own measurement does not see."""


@dataclass(slots=True)
class Bank:
    """The time bank of one bot in one pass."""

    left_ms: float

    def limit_ms(self, free_ms: float) -> float:
        """The longest time a message with this free time may take."""
        return free_ms + self.left_ms + MARGIN_MS

    def spend(self, elapsed_ms: float, free_ms: float) -> None:
        """Pay for a message that was answered in time."""
        self.left_ms -= max(0.0, elapsed_ms - free_ms)

    def empty(self) -> None:
        """A timeout costs what was left; a debt would only guarantee the next timeout."""
        self.left_ms = 0.0


class LagMeter:
    """Adds up how late our own loop was, from beats that should come every BEAT_S.

    What a bot's own bytes have cost us between two beats is not credited to that bot.
    """

    def __init__(self, now: float) -> None:
        self._last = now
        self._credit = 0.0
        self._caused: defaultdict[Hashable, float] = defaultdict(float)
        """Seconds of the credit that each bot caused itself."""
        self._since: defaultdict[Hashable, float] = defaultdict(float)
        """Seconds that each bot's bytes have cost since the last beat."""
        self.received: Counter[Hashable] = Counter()
        """Bytes of each bot's messages."""

    def handled(self, who: Hashable, size: int, seconds: float) -> None:
        """A bot sent this many bytes, and handling them took our loop this long."""
        self.received[who] += size
        self._since[who] += seconds + size * BYTE_S

    def beat(self, now: float) -> float:
        """The loop runs; what it was late is credited. Returns that part, in seconds."""
        late = self._late(now)
        if late:
            self._credit += late
            for who, cost in self._since.items():
                self._caused[who] += min(late, cost)
        self._since.clear()
        self._last = now
        return late

    def total(self, now: float, who: Hashable) -> float:
        """All credit of a bot up to now, with a beat that is overdue at this moment."""
        total = self._credit - self._caused[who]
        late = self._late(now)
        return total + max(0.0, late - self._since[who]) if late else total

    def _late(self, now: float) -> float:
        late = now - self._last - BEAT_S
        return late if late > LAG_FROM_S else 0.0


@dataclass(slots=True)
class Credit:
    """How much of our lag one bot may still be credited in one pass."""

    left_s: float = CREDIT_PASS_S

    def of(self, lag_s: float) -> float:
        """The part of a message's lag that is credited."""
        return min(lag_s, CREDIT_MESSAGE_S, self.left_s)

    def use(self, seconds: float) -> None:
        """A message is over that needed this much."""
        self.left_s = max(0.0, self.left_s - seconds)


class Thinkers:
    """Who thinks or starts now, and whether there is room for one more."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._now: set[Hashable] = set()

    def has_room(self) -> bool:
        """Whether one more may begin."""
        return self._limit is None or len(self._now) < self._limit

    def begin(self, who: Hashable) -> None:
        """A bot begins to think."""
        self._now.add(who)

    def end(self, who: Hashable) -> None:
        """A bot has answered, is out or gone. Safe to repeat."""
        self._now.discard(who)

    def __len__(self) -> int:
        return len(self._now)
