"""Live updates: one look at the store serves all who watch the same thing; nobody waits."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from fastapi.sse import format_sse_event
from starlette.concurrency import run_in_threadpool

KEEP_ALIVE_SECONDS = 15.0
RETRY_MS = 3000
MAX_TOPICS = 500

Look = Callable[[], dict[str, object]]
"""Reads the present state; the key `final` ends the stream."""


class TooManyTopics(Exception):
    """More different things are being watched than this process will look at."""


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
        self.changed.set()
        # A watcher that is slow finds the newest state later; nothing queues up for it.
        self.changed = asyncio.Event()


class Live:
    """The watched things of this process; all methods run on its event loop."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._topics: dict[str, Topic] = {}

    @property
    def watchers(self) -> int:
        """Open connections."""
        return sum(topic.watchers for topic in self._topics.values())

    async def watch(self, key: str, look: Look) -> AsyncIterator[bytes]:
        """Server-sent events: the state now, then every change. Ends with a final state."""
        topic = self._topics.get(key)
        if topic is None:
            if len(self._topics) >= MAX_TOPICS:
                raise TooManyTopics
            topic = self._topics[key] = Topic()
        topic.watchers += 1
        if topic.task is None:
            topic.task = asyncio.create_task(self._poll(topic, look))
        try:
            yield format_sse_event(retry=RETRY_MS, comment="hello")
            async for event in _follow(topic):
                yield event
        finally:
            topic.watchers -= 1
            if topic.watchers == 0:
                if topic.task is not None:
                    topic.task.cancel()
                if self._topics.get(key) is topic:
                    del self._topics[key]

    async def _poll(self, topic: Topic, look: Look) -> None:
        while not topic.final:
            state = await run_in_threadpool(look)
            text = json.dumps(state)
            if text != topic.text:
                topic.set(text, bool(state.get("final")))
            await asyncio.sleep(self.seconds)

    async def close(self) -> None:
        """Stop looking."""
        tasks = [topic.task for topic in self._topics.values() if topic.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _follow(topic: Topic) -> AsyncIterator[bytes]:
    seen = 0
    while True:
        if topic.serial > seen:
            seen = topic.serial
            yield format_sse_event(data_str=topic.text, id=str(seen))
            if topic.final:
                return
            continue
        if topic.task is not None and topic.task.done():
            # Looking failed; the browser tries again by itself.
            return
        try:
            await asyncio.wait_for(topic.changed.wait(), KEEP_ALIVE_SECONDS)
        except TimeoutError:
            yield format_sse_event(comment="still here")
