"""A table as one of its people follows it: that seat's frames, in order, from any frame on.

Everything comes from the store: a reload, or another process with the pages, just reads it again.
"""

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import structlog
from fastapi.sse import format_sse_event
from starlette.concurrency import run_in_threadpool

from dashboard.http import TooMany
from dashboard.live.streams import AGAIN_SECONDS, KEEP_ALIVE_SECONDS, RETRY_MS, Streams
from dashboard.viewer import SeatFrames
from league.people import BELL, FRAMES, LOOK_SECONDS
from store import DATABASE_ERRORS, JsonDict, SittingState

LOG = structlog.get_logger("dashboard")
MAX_STREAMS_OF_SEAT = 8
"""A person with a few windows, who keeps nobody else out of the table; every stream looks at it
four times a second."""
MAX_TABLES_OF_ONE = 20
"""Different tables that one address follows at once."""
STATE_SECONDS = 1.0
"""How often the state of a table is looked at when nothing else happens."""
LAST = ("over", "closed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What the store has for a seat."""

    frames: list[tuple[int, JsonDict]]
    state: JsonDict
    """As the page gets it."""
    is_over: bool
    """Whether no frame will follow those that are there."""


Looking = Callable[[int], Look]
"""Reads what came after a frame."""


class TableStreams:
    """The tables that are followed through this process; all methods run on its event loop."""

    def __init__(self) -> None:
        self._streams = Streams("tables", MAX_TABLES_OF_ONE)
        self._of_seats: Counter[tuple[int, int]] = Counter()
        """Open connections by match and seat."""

    @property
    def watchers(self) -> int:
        """Open connections."""
        return self._streams.total

    def watch(
        self, match_id: int, seat: int, look: Looking, last: int, *, address: str = ""
    ) -> AsyncGenerator[bytes, None]:
        """Server-sent events: `frame` with its number as id, `state`, and `end` as the last."""
        self._streams.refuse_excess(address, match_id)
        if self._of_seats[match_id, seat] >= MAX_STREAMS_OF_SEAT:
            raise TooMany("streams of one seat", f"{MAX_STREAMS_OF_SEAT} at once", AGAIN_SECONDS)
        return self._watch(match_id, seat, look, last, address)

    async def _watch(
        self, match_id: int, seat: int, look: Looking, last: int, address: str
    ) -> AsyncGenerator[bytes, None]:
        with self._streams.opened(address, match_id), self._opened(match_id, seat):
            async with _woken(match_id) as wait:
                yield format_sse_event(retry=RETRY_MS, comment="hello")
                async for event in _follow(look, last, wait):
                    yield event

    @contextmanager
    def _opened(self, match_id: int, seat: int) -> Iterator[None]:
        key = (match_id, seat)
        self._of_seats[key] += 1
        try:
            yield
        finally:
            self._of_seats -= Counter([key])


@asynccontextmanager
async def _woken(match_id: int) -> AsyncIterator[Callable[[], Any]]:
    """Waits for news of a table, at most until the next look."""
    changed, loop = asyncio.Event(), asyncio.get_running_loop()

    async def wait() -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(changed.wait(), LOOK_SECONDS)
        changed.clear()

    with BELL.heard_by((FRAMES, match_id), lambda: loop.call_soon_threadsafe(changed.set)):
        yield wait


async def _follow(look: Looking, last: int, wait: Callable[[], Any]) -> AsyncGenerator[bytes, None]:
    dresser, seen, state = SeatFrames(), 0, ""
    spoke = time.monotonic()
    while True:
        try:
            found = await run_in_threadpool(look, seen)
        except DATABASE_ERRORS as error:
            LOG.warning("no news of a table", error=str(error)[:200])
            await asyncio.sleep(STATE_SECONDS)
            continue
        for number, frame in found.frames:
            seen = number
            dressed = dresser.dress(frame)
            if number > last:
                spoke = time.monotonic()
                data = json.dumps(dressed, separators=(",", ":"))
                yield format_sse_event(event="frame", data_str=data, id=str(number))
        now = json.dumps(found.state, separators=(",", ":"))
        if now != state:
            state, spoke = now, time.monotonic()
            yield format_sse_event(event="state", data_str=state)
        if found.is_over:
            yield format_sse_event(event="end", data_str="{}")
            return
        if time.monotonic() - spoke > KEEP_ALIVE_SECONDS:
            spoke = time.monotonic()
            yield format_sse_event(comment="still here")
        await wait()


def is_last(frames: list[tuple[int, JsonDict]], state: SittingState) -> bool:
    """Whether nothing will follow: the table has ended, and so have its frames."""
    return not state.is_open and (not frames or frames[-1][1]["type"] in LAST)


def read_number(text: str | None) -> int:
    """The number behind a Last-Event-ID; anything else is as good as none.

    >>> read_number("17"), read_number("x"), read_number(None)
    (17, 0, 0)
    """
    return int(text) if text and text.isdecimal() and len(text) < 10 else 0
