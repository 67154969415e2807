"""Evidence that the machine, not a bot, was at fault: gathered outside every bot's cgroup.

Bots have cores of their own, so none of these numbers is one that a bot can push: time stolen by
the hypervisor, how late a sleeping thread of ours wakes, whether the engine answers, free space.
"""

import asyncio
import contextlib
import shutil
import threading
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sandbox.api import PlatformFault
from sandbox.engine import Engine
from sandbox.limits import HostLimits

NAP_SECONDS = 0.02
ASK_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What was seen of the host while a match was played."""

    seconds: float
    steal_share: float
    oversleep: float
    engine_silence: float
    free_disk: int
    free_memory: int


def reasons(evidence: Evidence, limits: HostLimits) -> list[str]:
    """Why an attempt on such a machine is void; empty when the machine was fit."""
    found = []
    if evidence.steal_share > limits.steal_share:
        found.append(
            f"the hypervisor took {evidence.steal_share:.0%} of the CPU time "
            f"(limit {limits.steal_share:.0%})"
        )
    if evidence.oversleep > limits.oversleep:
        found.append(
            f"a thread woke {evidence.oversleep:.2f} s late (limit {limits.oversleep:g} s)"
        )
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


def cpu_ticks(stat: str, cores: Sequence[int] | None = None) -> tuple[int, int]:
    """All and stolen ticks of some cores, or of all, from the text of `/proc/stat`."""
    wanted = {"cpu"} if cores is None else {f"cpu{core}" for core in cores}
    total = stolen = 0
    for line in stat.splitlines():
        name, *fields = line.split()
        if name in wanted:
            # user nice system idle iowait irq softirq steal; guest time is inside user.
            ticks = [int(value) for value in fields[:8]]
            total += sum(ticks)
            stolen += ticks[7] if len(ticks) > 7 else 0
    return total, stolen


def free_memory() -> int:
    """Available memory of the host in bytes; plenty where the system does not say."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return 1 << 40


class HostWatch:
    """Watches the host from a thread and a task of its own; ask `evidence()` at any time."""

    def __init__(self, engine: Engine | None, cores: Sequence[int] | None = None) -> None:
        self._engine = engine
        self._cores = cores
        self._began = time.monotonic()
        self._ticks = self._read_ticks()
        self._oversleep = 0.0
        self._stop = threading.Event()
        self._answered = self._began
        self._silence = 0.0
        self._disk = Path("/")

    def _read_ticks(self) -> tuple[int, int]:
        with contextlib.suppress(OSError):
            return cpu_ticks(Path("/proc/stat").read_text(), self._cores)
        return 0, 0

    def nap(self) -> None:
        """Sleep again and again and note by how much too long; runs in a thread."""
        while not self._stop.is_set():
            before = time.monotonic()
            time.sleep(NAP_SECONDS)
            late = time.monotonic() - before - NAP_SECONDS
            self._oversleep = max(self._oversleep, late)

    async def ask(self) -> None:
        """Ask the engine again and again whether it is there; runs as a task."""
        while self._engine is not None:
            with contextlib.suppress(PlatformFault):
                info = await self._engine.info()
                self._disk = await asyncio.to_thread(_existing, str(info["DockerRootDir"]))
                self._silence = max(self._silence, time.monotonic() - self._answered)
                self._answered = time.monotonic()
            await asyncio.sleep(ASK_SECONDS)

    def stop(self) -> None:
        """End the thread."""
        self._stop.set()

    def evidence(self) -> Evidence:
        """What has been seen so far."""
        total, stolen = (now - then for now, then in zip(self._read_ticks(), self._ticks,
                                                         strict=True))  # fmt: skip
        silent = 0.0 if self._engine is None else time.monotonic() - self._answered
        return Evidence(
            seconds=time.monotonic() - self._began,
            steal_share=stolen / total if total else 0.0,
            oversleep=self._oversleep,
            # Silence between two questions is our own.
            engine_silence=max(0.0, max(self._silence, silent) - ASK_SECONDS),
            free_disk=shutil.disk_usage(self._disk).free,
            free_memory=free_memory(),
        )


def _existing(path: str) -> Path:
    return Path(path) if Path(path).is_dir() else Path("/")


@asynccontextmanager
async def watch_host(
    engine: Engine | None, cores: Sequence[int] | None = None
) -> AsyncIterator[HostWatch]:
    """Watch the host for the length of a block."""
    watch = HostWatch(engine, cores)
    thread = threading.Thread(target=watch.nap, name="host-watch", daemon=True)
    thread.start()
    task = asyncio.get_running_loop().create_task(watch.ask())
    try:
        yield watch
    finally:
        watch.stop()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await asyncio.to_thread(thread.join)
