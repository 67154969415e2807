"""CPU time that a bot has used so far, read from outside it: of a process and all below it.

For containers `cgroup.py` reads the kernel's own sum. Here it is put together from `/proc`.
"""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from sandbox.waiting import WaitMeter, threads

REFRESH_S = 0.09
"""How often we look for new processes. What they use before we find them looks like others' time,
and a bot could hide behind it: so not much less often than we are asked."""


def parse_process(text: str, ticks: int) -> tuple[int, float, float]:
    """Start (which tells two processes of one number apart), own and waited-for CPU seconds.

    The name of a process may hold anything, brackets and spaces too.

    >>> parse_process("7 (a) b) S 1 7 7 0 -1 4 0 0 0 0 150 50 30 20 20 0 1 0 999 0", 100)
    (999, 2.0, 0.5)
    """
    fields = text.rpartition(")")[2].split()
    user, system, waited_user, waited_system = [int(value) for value in fields[11:15]]
    return int(fields[19]), (user + system) / ticks, (waited_user + waited_system) / ticks


class ProcessTree:
    """A process and all its descendants. The sum never falls, whoever ends."""

    def __init__(self, pid: int, proc: Path = Path("/proc")) -> None:
        self._pid = pid
        self._proc = proc
        self._ticks = os.sysconf("SC_CLK_TCK")
        self._known: list[int] = []
        self._looked = -REFRESH_S
        self._seen: dict[tuple[int, int], float] = {}
        """The last own time of every process that was ever seen, by number and start."""
        self._most: float | None = None
        self._waits = WaitMeter(lambda: self._known, proc)

    def waited_seconds(self) -> float | None:
        """How long all its threads were ready to run and did not; None where that is unknown."""
        self._refresh()
        return self._waits.seconds()

    def cpu_seconds(self) -> float | None:
        """All CPU time so far; None when there is no `/proc` to read it from."""
        self._refresh()
        live = 0.0
        for pid in self._known:
            with contextlib.suppress(OSError, ValueError, IndexError):
                text = (self._proc / str(pid) / "stat").read_text("utf-8", "replace")
                start, own, waited = parse_process(text, self._ticks)
                own = max(own, self._exactly(pid))
                self._seen[pid, start] = own
                live += own + waited
        # A child that ended is in its parent's sum when it was waited for, and in ours otherwise.
        # Each of the two misses something, and neither counts what is not there.
        if self._seen:
            self._most = max(self._most or 0.0, live, sum(self._seen.values()))
        return self._most

    def _refresh(self) -> None:
        if time.monotonic() - self._looked >= REFRESH_S:
            self._known = list(self._below())
            self._looked = time.monotonic()

    def _exactly(self, pid: int) -> float:
        """The time of the first thread in nanoseconds, where the kernel tells it.

        The other counter is cut to whole ticks, and a hundred short processes could hide in that.
        """
        with contextlib.suppress(OSError, ValueError, IndexError):
            return int((self._proc / str(pid) / "schedstat").read_text().split()[0]) * 1e-9
        return 0.0

    def _below(self) -> Iterator[int]:
        found = [self._pid]
        for pid in found:
            yield pid
            for task in threads(self._proc / str(pid)):
                with contextlib.suppress(OSError, ValueError):
                    found += [int(child) for child in (task / "children").read_text().split()]
