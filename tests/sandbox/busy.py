"""A busy host for tests of whole matches: one that is made up, and real load on one core."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from sandbox.host_time import CoreTimes

CORE = 7
"""A core of the machine that only exists in these tests."""

SPIN = "import os\nos.sched_setaffinity(0, [{core}])\nwhile True: pass"


class MadeUpHost:
    """One core; how much of its time goes to others is up to the test."""

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


@contextmanager
def load(core: int, spinners: int) -> Iterator[None]:
    argv = [sys.executable, "-c", SPIN.format(core=core)]
    running = [subprocess.Popen(argv) for _ in range(spinners)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()
