"""Where hints are computed: one after the other, each question once, and only so many that wait.

Who may ask, and that it is noted before, is the matter of `play_hint`.
"""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from dashboard.http import Refused
from league.people import Asked
from store import JsonDict

Key = tuple[str, int, int]
"""The code of a table, a seat, and the number of an ask: the same question."""
KEPT = 200
"""Answers that are remembered: a window that was opened again asks again."""
MOST_WAITING = 8
"""Each takes up to a few seconds, so the last in a longer line would have no time to play."""
LOOK_SECONDS = 1.0
"""How often it is seen whether somebody still waits."""
AGAIN_SECONDS = 5


@dataclass(slots=True)
class _Work:
    future: "Future[JsonDict]"
    waiting: int = 0

    @property
    def failed(self) -> bool:
        done = self.future
        return done.cancelled() or (done.done() and done.exception() is not None)


class HintDesk:
    """One thread that computes hints; pages of several loops may ask it."""

    def __init__(
        self, make: Callable[[Asked], JsonDict], *, kept: int = KEPT, most: int = MOST_WAITING
    ) -> None:
        self._make = make
        self._kept = kept
        self._most = most
        self._lock = threading.Lock()
        self._works: OrderedDict[Key, _Work] = OrderedDict()
        self._thread = ThreadPoolExecutor(1, "hints")

    def require_room(self, key: Key) -> None:
        """Refuse a question that would have to wait too long; ask this before anything is noted."""
        with self._lock:
            open_now = sum(not work.future.done() for work in self._works.values())
            if key in self._works or open_now <= self._most:
                return
        raise Refused(
            503,
            f"{self._most} others wait for a hint; try again in a few seconds",
            headers={"retry-after": str(AGAIN_SECONDS)},
        )

    async def ask(self, key: Key, asked: Asked, is_gone: Callable[[], Awaitable[bool]]) -> JsonDict:
        """The hint. A question that nobody waits for any more is not computed."""
        work = self._join(key, asked)
        answer = asyncio.wrap_future(work.future)
        try:
            while not (await asyncio.wait({answer}, timeout=LOOK_SECONDS))[0]:
                if await is_gone():
                    raise Refused(503, "nobody waits for this hint any more")
            return answer.result()
        finally:
            self._leave(key, work)

    def _join(self, key: Key, asked: Asked) -> _Work:
        with self._lock:
            work = self._works.get(key)
            if work is None or work.failed:
                work = _Work(self._thread.submit(self._make, asked))
                self._works[key] = work
            work.waiting += 1
            self._works.move_to_end(key)
            self._forget()
            return work

    def _leave(self, key: Key, work: _Work) -> None:
        with self._lock:
            work.waiting -= 1
            # What has begun is finished, and remembered.
            unwanted = not work.waiting and work.future.cancel()
            if (unwanted or work.failed) and self._works.get(key) is work:
                del self._works[key]

    def _forget(self) -> None:
        done = [key for key, work in self._works.items() if work.future.done()]
        for key in done[: max(0, len(self._works) - self._kept)]:
            del self._works[key]
