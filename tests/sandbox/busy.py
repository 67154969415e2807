"""A busy host for tests of whole matches: one that is made up, and real load."""

import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Unpack

from sandbox.api import Limits, Program, RunOptions
from sandbox.canary import Sighting
from sandbox.host_time import CoreTimes
from sandbox.process import ProcessBot, ProcessSandbox

CORE = 7
"""A core of the machine that only exists in these tests."""

LATE_SHARE = 0.9
"""Above it the canary of a made-up machine is late."""

LOAD_SECONDS = 300
"""No load outlives its test for longer, whatever becomes of the test."""

SPIN = """
import os, time
os.sched_setaffinity(0, {cores})
end = time.monotonic() + {seconds}
while time.monotonic() < end: pass
"""


class MadeUpHost:
    """One core, and a canary; how much of the time goes to others is up to the test."""

    def __init__(self, share: float, core: int = CORE) -> None:
        self.share = share
        self._core = core
        self._last = time.monotonic()
        self._idle = 0.0

    def read(self) -> dict[int, CoreTimes]:
        now = time.monotonic()
        self._idle += (now - self._last) * (1.0 - self.share)
        self._last = now
        return {self._core: CoreTimes(idle=self._idle, steal=0.0)}

    def calm_down(self) -> None:
        self.share = 0.0

    def start(self) -> None:
        """As a canary."""

    def stop(self) -> None:
        """As a canary."""

    def sightings(self) -> list[Sighting]:
        now, took = time.monotonic(), 0.5 if self.share > LATE_SHARE else 0.01
        return [Sighting(kind="ask", began=now - took, ended=now)]


class UnknowingSandbox(ProcessSandbox):
    """As on a machine that does not say who waits for a core; this one has not got it, either."""

    @asynccontextmanager
    async def run(
        self,
        program: Program,
        limits: Limits,
        socket_dir: Path,
        **options: Unpack[RunOptions],
    ) -> AsyncIterator[ProcessBot]:
        async with super().run(program, limits, socket_dir, **options) as bot:
            bot.waited_seconds = lambda: None  # type: ignore[method-assign]
            yield bot


@contextmanager
def load(cores: Sequence[int], spinners: int) -> Iterator[None]:
    """Programs that want these cores, as many as are said."""
    code = SPIN.format(cores=list(cores), seconds=LOAD_SECONDS)
    argv = [sys.executable, "-S", "-c", code]
    # Each a session of its own: kernels that group by session would give all of them one share.
    running = [subprocess.Popen(argv, start_new_session=True) for _ in range(spinners)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()
