"""How far a match or a tournament has come: games, decisions a second, time left.

A terminal shows it in a line that moves; a log gets plain lines, the first at once, later fewer.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import chain, count
from math import ceil

LOOK_S = 0.25
"""How often a view is asked whether it has something to show."""


class Pace:
    """Counts games and decisions of this run; the clock begins when it is made.

    `before` are games of earlier runs: they are shown, and say nothing of the time.
    """

    def __init__(
        self, total: int, clock: Callable[[], float] = time.monotonic, *, before: int = 0
    ) -> None:
        self.total = total
        self.before = before
        self.games = 0
        self.decisions = 0
        self._clock = clock
        self._began = clock()

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return self._clock() - self._began

    @property
    def rate(self) -> str:
        """Decisions a second, or what is going on before there are any."""
        if not self.decisions:
            return "starting the bots"
        return f"{self.decisions / max(self.seconds, 1e-3):,.0f} decisions/s"

    @property
    def left(self) -> str:
        """The time left, as far as it is known."""
        if not self.games:
            return "time left: known after the first game"
        return f"{span(self.seconds / self.games * (self.total - self.games))} left"

    @property
    def words(self) -> str:
        """All of it in one line.

        >>> resumed = Pace(100, lambda: 0.0, before=20)
        >>> resumed.words
        '20 of 120 games, starting the bots, time left: known after the first game'
        """
        over, total = self.before + self.games, self.before + self.total
        return f"{over} of {total} games, {self.rate}, {self.left}"


def span(seconds: float) -> str:
    """A stretch of time for people.

    >>> span(12.2), span(200), span(9000)
    ('13 s', '4 minutes', '2.5 hours')
    """
    if seconds <= 90:
        return f"{ceil(seconds)} s"
    return f"{ceil(seconds / 60)} minutes" if seconds < 3600 else f"{seconds / 3600:.1f} hours"


class LogLines:
    """When a log gets its next line: at once, soon after, and from then on every half minute."""

    def __init__(self) -> None:
        self._moments: Iterator[int] = chain((0, 1, 2, 5, 10, 20), count(30, 30))
        self._next = next(self._moments)

    def is_due(self, seconds: float) -> bool:
        """Whether a line is due now; each moment is due once.

        >>> lines = LogLines()
        >>> [lines.is_due(at) for at in (0, 0.5, 1, 7, 8, 10)]
        [True, False, True, True, False, True]
        """
        if seconds < self._next:
            return False
        while self._next <= seconds:
            self._next = next(self._moments)
        return True


@contextlib.asynccontextmanager
async def looking(tick: Callable[[], None]) -> AsyncIterator[None]:
    """Call `tick` a few times a second while the block runs, the first time at once."""

    async def look() -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            tick()

    tick()
    task = asyncio.get_running_loop().create_task(look())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
