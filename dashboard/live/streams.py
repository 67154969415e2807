"""Open live streams; caps streams per address."""

from collections import Counter
from collections.abc import AsyncGenerator, Hashable, Iterator
from contextlib import contextmanager

from fastapi.sse import EventSourceResponse

from dashboard.http import TooMany, TooManyTopics

KEEP_ALIVE_SECONDS = 15.0
RETRY_MS = 3000
MAX_STREAMS = 2000
MAX_STREAMS_OF_ONE = 200
"""Streams that one address has open: a whole class behind one address watches the same thing."""
AGAIN_SECONDS = 5
"""When a client that was refused may try again."""


UNBUFFERED = {"cache-control": "no-cache", "x-accel-buffering": "no"}
"""No cache may keep a stream, and a proxy has to pass events on as they come (nginx knows the
second)."""


class EventStream(EventSourceResponse):
    """Server-sent events as a response."""

    def __init__(self, events: AsyncGenerator[bytes, None]) -> None:
        super().__init__(events, headers=UNBUFFERED)


class Streams:
    """The open streams of one kind; all methods run on the event loop."""

    def __init__(self, things: str, most_of_one: int) -> None:
        self._things = things
        self._most_of_one = most_of_one
        """Different things that one address may follow at once."""
        self._open: Counter[tuple[str, Hashable]] = Counter()

    @property
    def total(self) -> int:
        """Open connections."""
        return self._open.total()

    def refuse_excess(self, address: str, thing: Hashable) -> None:
        """Raise where one stream more, or one from this address, would be too many."""
        if self.total >= MAX_STREAMS:
            raise TooManyTopics
        own = {what: count for (whose, what), count in self._open.items() if whose == address}
        if sum(own.values()) >= MAX_STREAMS_OF_ONE or len({*own, thing}) > self._most_of_one:
            limit = f"{self._most_of_one} {self._things} and {MAX_STREAMS_OF_ONE} streams at once"
            raise TooMany("live streams from your address", limit, AGAIN_SECONDS)

    @contextmanager
    def opened(self, address: str, thing: Hashable) -> Iterator[None]:
        """Count a stream for as long as it is open."""
        key = (address, thing)
        self._open[key] += 1
        try:
            yield
        finally:
            self._open -= Counter([key])
