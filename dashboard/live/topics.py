"""Live updates: one read of the store serves all who watch the same thing."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field

import structlog
from fastapi.sse import format_sse_event
from starlette.concurrency import run_in_threadpool

from dashboard.http import TooManyTopics
from dashboard.live.streams import KEEP_ALIVE_SECONDS, RETRY_MS, Streams
from store import DATABASE_ERRORS, NotFound

LOG = structlog.get_logger("dashboard")
MAX_TOPICS = 500
MAX_TOPICS_OF_ONE = 100
"""Seasons and submissions that one address follows at once: a whole class may submit together."""
MAX_PAUSE_SECONDS = 30.0
"""The longest pause before the next look while the database is away."""

Look = Callable[[], dict[str, object]]
"""Reads the present state; the key `final` ends the stream."""


@dataclass(slots=True)
class Topic:
    """One watched thing: its latest state, and the task that looks at it."""

    text: str = ""
    serial: int = 0
    final: bool = False
    watchers: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    def set(self, text: str, final: bool) -> None:
        """Take in a new state and wake the watchers."""
        self.text, self.final = text, final
        self.serial += 1
        self.wake()

    def wake(self) -> None:
        """Let the watchers look whether something is new, or over."""
        self.changed.set()
        # A watcher that is slow finds the newest state later; nothing queues up for it.
        self.changed = asyncio.Event()


class Live:
    """The watched things of this process; all methods run on its event loop."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._topics: dict[str, Topic] = {}
        self._streams = Streams("seasons and submissions", MAX_TOPICS_OF_ONE)

    @property
    def watchers(self) -> int:
        """Open connections."""
        return self._streams.total

    def watch(self, key: str, look: Look, address: str = "") -> AsyncGenerator[bytes, None]:
        """Server-sent events: the state now, then every change. Ends with a final state."""
        if key not in self._topics and len(self._topics) >= MAX_TOPICS:
            raise TooManyTopics
        self._streams.refuse_excess(address, key)
        return self._watch(key, look, address)

    async def _watch(self, key: str, look: Look, address: str) -> AsyncGenerator[bytes, None]:
        topic = self._topics.get(key)
        if topic is None:
            topic = self._topics[key] = Topic()
            topic.task = asyncio.create_task(self._poll(key, topic, look))
        topic.watchers += 1
        try:
            with self._streams.opened(address, key):
                yield format_sse_event(retry=RETRY_MS, comment="hello")
                async for event in _follow(topic):
                    yield event
        finally:
            topic.watchers -= 1
            if topic.watchers == 0:
                if topic.task is not None:
                    topic.task.cancel()
                self._drop(key, topic)

    def _drop(self, key: str, topic: Topic) -> None:
        if self._topics.get(key) is topic:
            del self._topics[key]

    async def _poll(self, key: str, topic: Topic, look: Look) -> None:
        """Look until the end; should that fail, the watchers have to reconnect."""
        try:
            await self._look_on(key, topic, look)
        except NotFound:
            LOG.info("what was watched is gone", topic=key)
        except Exception:
            # A bug in one look must not go unseen in a task that is never awaited.
            LOG.exception("this cannot be watched", topic=key)
        finally:
            if not topic.final:
                self._drop(key, topic)
                topic.wake()

    async def _look_on(self, key: str, topic: Topic, look: Look) -> None:
        """Look again and again; while the database is away, less and less often."""
        pause = self.seconds
        while not topic.final:
            try:
                state = await run_in_threadpool(look)
            except DATABASE_ERRORS as error:
                pause = min(pause * 2, MAX_PAUSE_SECONDS)
                LOG.warning("no look", topic=key, error=str(error)[:200], again_s=pause)
            else:
                pause = self.seconds
                text = json.dumps(state)
                if text != topic.text:
                    topic.set(text, bool(state.get("final")))
            await asyncio.sleep(pause)

    async def close(self) -> None:
        """Stop looking."""
        tasks = [topic.task for topic in self._topics.values() if topic.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _follow(topic: Topic) -> AsyncGenerator[bytes, None]:
    seen = 0
    while True:
        if topic.serial > seen:
            # Both of the same moment: a state that comes while this watcher does not read is next.
            seen, final = topic.serial, topic.final
            yield format_sse_event(data_str=topic.text, id=str(seen))
            if final:
                return
            continue
        if topic.task is not None and topic.task.done():
            # Looking failed; the browser tries again by itself.
            return
        try:
            await asyncio.wait_for(topic.changed.wait(), KEEP_ALIVE_SECONDS)
        except TimeoutError:
            yield format_sse_event(comment="still here")
