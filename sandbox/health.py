"""Evidence that the engine or its machine failed: whether the engine answers, and free space.

Gathered outside every bot's cgroup. Whose time it was on the cores is in `host_time.py`.
"""

import asyncio
import contextlib
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sandbox.api import PlatformFault
from sandbox.engine import Engine
from sandbox.limits import HostLimits

ASK_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What was seen of the host while a match was played."""

    seconds: float
    engine_silence: float
    free_disk: int
    free_memory: int


def reasons(evidence: Evidence, limits: HostLimits) -> list[str]:
    """Why an attempt on such a machine is void; empty when the machine was fit."""
    found = []
    if evidence.engine_silence > limits.engine_silence:
        found.append(
            f"the engine was silent for {evidence.engine_silence:.1f} s "
            f"(limit {limits.engine_silence:g} s)"
        )
    if evidence.free_disk < limits.min_free_disk:
        found.append(f"only {evidence.free_disk >> 20} MiB of disk were free")
    if evidence.free_memory < limits.min_memory:
        found.append(f"only {evidence.free_memory >> 20} MiB of memory were available")
    return found


def free_memory() -> int:
    """Available memory of the host in bytes; plenty where the system does not say."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return 1 << 40


class HostWatch:
    """Watches the engine from a task of its own; ask `evidence()` at any time."""

    def __init__(self, engine: Engine | None) -> None:
        self._engine = engine
        self._began = time.monotonic()
        self._answered = self._began
        self._silence = 0.0
        self._disk = Path("/")

    async def ask(self) -> None:
        """Ask the engine again and again whether it is there; runs as a task."""
        while self._engine is not None:
            with contextlib.suppress(PlatformFault):
                info = await self._engine.info()
                self._disk = await asyncio.to_thread(_existing, str(info["DockerRootDir"]))
                self._silence = max(self._silence, time.monotonic() - self._answered)
                self._answered = time.monotonic()
            await asyncio.sleep(ASK_SECONDS)

    def evidence(self) -> Evidence:
        """What has been seen so far."""
        silent = 0.0 if self._engine is None else time.monotonic() - self._answered
        return Evidence(
            seconds=time.monotonic() - self._began,
            # Silence between two questions is our own.
            engine_silence=max(0.0, max(self._silence, silent) - ASK_SECONDS),
            free_disk=shutil.disk_usage(self._disk).free,
            free_memory=free_memory(),
        )


def _existing(path: str) -> Path:
    return Path(path) if Path(path).is_dir() else Path("/")


@asynccontextmanager
async def watch_host(engine: Engine | None) -> AsyncIterator[HostWatch]:
    """Watch the engine and its machine for the length of a block."""
    watch = HostWatch(engine)
    task = asyncio.get_running_loop().create_task(watch.ask())
    try:
        yield watch
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
