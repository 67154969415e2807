"""How long the threads of a bot were ready to run while something else had their core.

Time that others take is a loss only to a bot that wanted it: one that sleeps loses nothing. A bot
can raise this with threads of its own, so it is never evidence alone; see `host_time.py`.
"""

import contextlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class _Thread:
    ran: int
    """Nanoseconds on a core."""
    delay: int
    """Nanoseconds in the queue for one; the kernel adds each wait when it is over."""
    since: float
    """When it was last seen to sleep, to run, or to leave the queue."""


class WaitMeter:
    """The waiting of all threads of some processes. The sum never falls, whoever ends."""

    def __init__(
        self,
        pids: Callable[[], Iterable[int]],
        proc: Path = Path("/proc"),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._pids = pids
        self._proc = proc
        self._clock = clock
        self._threads: dict[str, _Thread] = {}
        self._past = 0
        """Nanoseconds of threads that have ended."""
        self._most = 0.0
        self._told = (proc / "self" / "schedstat").exists()

    def seconds(self) -> float | None:
        """All waiting so far, with the wait that goes on; None where the kernel does not say."""
        if not self._told:
            return None
        known, self._threads = self._threads, {}
        pending = 0.0
        for pid in self._pids():
            for folder in threads(self._proc / str(pid)):
                with contextlib.suppress(OSError, ValueError, IndexError):
                    pending += self._look(folder, known.get(folder.name))
        for name, thread in known.items():
            if name not in self._threads:
                self._past += thread.delay
        total = self._past + sum([thread.delay for thread in self._threads.values()])
        self._most = max(self._most, total * 1e-9 + pending)
        return self._most

    def _look(self, folder: Path, old: _Thread | None) -> float:
        """Note one thread; returns the seconds of a wait that is not over."""
        ran, delay = [int(value) for value in (folder / "schedstat").read_text().split()[:2]]
        now = self._clock()
        if old is not None and ran < old.ran:
            # Another thread with the number of one that has ended.
            self._past += old.delay
            old = None
        stands = old is not None and (ran, delay) == (old.ran, old.delay) and _is_ready(folder)
        since = old.since if old is not None and stands else now
        self._threads[folder.name] = _Thread(ran, delay, since)
        return now - since


def threads(process: Path) -> list[Path]:
    """The folders of a process's threads; empty when it is gone, as it may be at any moment."""
    with contextlib.suppress(OSError):
        return list((process / "task").iterdir())
    return []


def _is_ready(folder: Path) -> bool:
    """Whether a thread runs or waits for a core; its name may hold anything."""
    return (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[0] == "R"
