"""Evidence that the engine failed: when it did not answer.

Gathered outside every bot's cgroup. Whose time it was on the cores is in `host_time.py`; whether a
machine has room for a match is examined before one begins.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox.api import PlatformFault

if TYPE_CHECKING:
    from sandbox.engine import Engine
    from sandbox.limits import HostLimits

ASK_SECONDS = 2.0

Span = tuple[float, float]
"""From and to, on the machine's monotonic clock."""


def overlaps(one: Span, other: Span) -> bool:
    """Whether two spans have any time in common."""
    return max(one[0], other[0]) < min(one[1], other[1])


def free_memory() -> int:
    """Available memory of the host in bytes; plenty where the system does not say."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return 1 << 40


class HostWatch:
    """Watches the engine from a task of its own; ask `silences()` at any time."""

    def __init__(self, engine: Engine | None, limits: HostLimits) -> None:
        self._engine = engine
        self._longest = limits.engine_silence
        self._answered = time.monotonic()
        self._silences: list[Span] = []

    async def ask(self) -> None:
        """Ask the engine again and again whether it is there; runs as a task."""
        while self._engine is not None:
            with contextlib.suppress(PlatformFault):
                await self._engine.info()
                self.answered(time.monotonic())
            await asyncio.sleep(ASK_SECONDS)

    def answered(self, now: float) -> None:
        """The engine answered: a silence that was too long is over, and kept."""
        if self._too_long(now):
            self._silences.append((self._answered, now))
        self._answered = now

    def silences(self, now: float | None = None) -> list[Span]:
        """When the engine was silent for too long so far, the silence of this moment included."""
        now = time.monotonic() if now is None else now
        if self._engine is None or not self._too_long(now):
            return list(self._silences)
        return [*self._silences, (self._answered, now)]

    def _too_long(self, now: float) -> bool:
        # Silence between two questions is our own.
        return now - self._answered - ASK_SECONDS > self._longest


@asynccontextmanager
async def watch_host(engine: Engine | None, limits: HostLimits) -> AsyncIterator[HostWatch]:
    """Watch the engine for the length of a block."""
    watch = HostWatch(engine, limits)
    task = asyncio.get_running_loop().create_task(watch.ask())
    try:
        yield watch
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
