"""One bot in a Docker container: its end, its usage, its output, freezing and killing."""

import asyncio
import time
from dataclasses import replace

from sandbox import cgroup
from sandbox.api import Exit, HowEnded, Usage
from sandbox.engine import Engine, Json
from sandbox.output import OutputReader
from sandbox.waiting import WaitMeter

LAST_WORDS_SECONDS = 0.25
"""How long the end of a bot waits for the rest of its output."""

OOM_LOOKS = 5
"""The engine hears of an out-of-memory kill apart from the exit, sometimes a little later."""


SAMPLE_SECONDS = 0.25

END_SECONDS = 5.0
"""A killed container ends in a tenth of a second; after this long its removal is tried anyway."""


def exit_of(state: Json, *, killed: bool, flooded: bool) -> Exit:
    """What the engine's record of a stopped container means."""
    status = int(state["ExitCode"])
    oom = bool(state.get("OOMKilled"))
    signal = status - 128 if 128 < status < 128 + 65 else None
    code = status if signal is None else None
    if flooded:
        how = HowEnded.OUTPUT_FLOOD
    elif killed:
        how = HowEnded.KILLED
    elif oom and signal == 9:
        # The flag alone proves nothing: a bot lives on when only its child was killed.
        how = HowEnded.OUT_OF_MEMORY
    else:
        how = HowEnded.EXITED if signal is None else HowEnded.SIGNALLED
    return Exit(how=how, code=code, signal=signal, oom=oom)


class DockerBot:
    """A running container, as `RunningBot`."""

    def __init__(
        self, engine: Engine, container: str, reader: OutputReader, files: cgroup.CgroupFiles | None
    ) -> None:
        self.container = container
        self.started = time.monotonic()
        self._engine = engine
        self._reader = reader
        self._files = files
        self._last = Usage()
        self._cpu_s: float | None = None
        self._waits = WaitMeter(self._pids)
        self._killed = False
        self._frozen = False
        loop = asyncio.get_running_loop()
        self._end = loop.create_task(self._watch())
        self._sampler = loop.create_task(self._sample())

    @property
    def output_flooded(self) -> bool:
        """True once it has written more than its budget."""
        return self._reader.flooded

    def log_tail(self) -> bytes:
        """The last bytes of its output."""
        return self._reader.tail()

    async def _sample(self) -> None:
        """Look at its usage now and then: when a bot has ended, its counters are gone."""
        while self._files is not None and not self._end.done():
            await self.usage()
            await asyncio.sleep(SAMPLE_SECONDS)

    async def _watch(self) -> Exit:
        status = await self._engine.wait(self.container)
        await self._reader.finish(LAST_WORDS_SECONDS)
        state = (await self._engine.inspect(self.container))["State"]
        for _ in range(OOM_LOOKS):
            if status != 137 or state.get("OOMKilled") or self._killed or self.output_flooded:
                break
            await asyncio.sleep(0.05)
            state = (await self._engine.inspect(self.container))["State"]
        return exit_of(state, killed=self._killed, flooded=self.output_flooded)

    async def wait(self) -> Exit:
        """Wait for its end."""
        return await asyncio.shield(self._end)

    async def usage(self) -> Usage:
        """What it has used, or the last that was seen of it."""
        if self._files is not None:
            fresh = cgroup.read_usage(self._files)
        else:
            fresh = await self._engine_usage()
        if fresh.cpu_s is not None:
            peak = max(fresh.memory_peak or fresh.memory or 0, self._last.memory_peak or 0)
            self._last = replace(fresh, memory_peak=peak)
        return self._last

    def cpu_seconds(self) -> float | None:
        """Its CPU time by its cgroup; None where the cgroup is out of reach."""
        if self._files is not None:
            fresh = cgroup.cpu_seconds(self._files)
            self._cpu_s = self._cpu_s if fresh is None else max(self._cpu_s or 0.0, fresh)
        return self._cpu_s

    def waited_seconds(self) -> float | None:
        """How long its threads waited for a core; None where the cgroup is out of reach."""
        return None if self._files is None else self._waits.seconds()

    def _pids(self) -> list[int]:
        return [] if self._files is None else cgroup.processes(self._files)

    async def _engine_usage(self) -> Usage:
        if self._end.done():
            return Usage()
        stats = await self._engine.stats(self.container)
        cpu, memory = stats.get("cpu_stats", {}), stats.get("memory_stats", {})
        return Usage(
            cpu_s=cpu.get("cpu_usage", {}).get("total_usage", 0) * 1e-9,
            memory=memory.get("usage"),
            memory_peak=memory.get("max_usage"),
            throttled_s=cpu.get("throttling_data", {}).get("throttled_time", 0) * 1e-9,
            pids=stats.get("pids_stats", {}).get("current"),
        )

    async def freeze(self) -> None:
        """Stop all its processes."""
        if self._killed or self._end.done():
            return
        self._frozen = True
        if self._files is not None:
            await cgroup.freeze(self._files)
        else:
            await self._engine.pause(self.container, on=True)

    async def thaw(self) -> None:
        """Let it go on."""
        if self._files is not None:
            cgroup.thaw(self._files)
        elif self._frozen:
            await self._engine.pause(self.container, on=False)
        self._frozen = False

    async def kill(self) -> None:
        """Kill all its processes."""
        if not self._end.done():
            await self.usage()
            self._killed = True
            # A frozen process cannot die.
            await self.thaw()
            await self._engine.kill(self.container)

    async def hang_up(self) -> None:
        """Read no more of its output."""
        await self._reader.close()

    async def close(self) -> None:
        """Before removal: hang up, thaw, kill, and end the watcher."""
        try:
            await self._reader.close()
            await self.kill()
            await asyncio.wait([self._end], timeout=END_SECONDS)
        finally:
            self._end.cancel()
            self._sampler.cancel()
            await asyncio.gather(self._end, self._sampler, return_exceptions=True)
