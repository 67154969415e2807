"""Keeps a canary and notes how late it was: evidence that this machine cannot start or wake a bot.

One for a worker, never on the cores of a table, so that no bot at a table can make it late. It is
asked every second, and restarted every minute and after a late start.
"""

import contextlib
import json
import os
import selectors
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox.limits import FairLimits, fair_limits

BOT = Path(__file__).with_name("canary_bot.py")
ASK_EVERY_S = 1.0
RESTART_EVERY_S = 60.0
GIVE_UP_S = 30.0
"""A canary that is silent for longer is restarted; its silence stays on record."""

KEEP = 600
QUESTION = {"hand": [3, 17, 24, 38, 41, 56, 62, 77, 89, 101], "rows": [12, 37, 43, 58]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """One thing that was asked of the canary, and how long it took."""

    kind: str
    """`ask` or `start`."""
    began: float
    ended: float
    """Now, when it is not over yet."""
    over: bool = True

    @property
    def took(self) -> float:
        """Seconds from the asking to the answer."""
        return self.ended - self.began


def late_canary(
    sightings: Iterable[Sighting], began: float, ended: float, limits: FairLimits
) -> str | None:
    """What a canary that was late in this very time says of the host; None when it was not.

    It was late when most of what was asked of it in that time took too long: one hiccup says
    nothing. What is being waited for counts as soon as it is late.
    """
    overlap = [seen for seen in sightings if seen.began < ended and seen.ended > began]
    late = [seen for seen in overlap if seen.took > _most(seen, limits)]
    known = [seen for seen in overlap if seen.over or seen in late]
    if 2 * len(late) <= len(known):
        return None
    worst = max(late, key=lambda seen: seen.took)
    what = "start" if worst.kind == "start" else "answer"
    return f"our own small bot took {worst.took:.2f} s to {what} (limit {_most(worst, limits):g} s)"


def _most(seen: Sighting, limits: FairLimits) -> float:
    return limits.canary_start if seen.kind == "start" else limits.canary_ask


def free_cores(taken: Iterable[int]) -> tuple[int, ...]:
    """The cores that are left for a canary when tables own these; none where that is unknown."""
    if not hasattr(os, "sched_getaffinity"):
        return ()
    return tuple(sorted(os.sched_getaffinity(0) - set(taken)))


class Canary:
    """A thread that keeps one canary alive and asks it."""

    def __init__(
        self,
        cores: Sequence[int],
        *,
        ask_every: float = ASK_EVERY_S,
        restart_every: float = RESTART_EVERY_S,
        limits: FairLimits | None = None,
    ) -> None:
        if not cores:
            raise ValueError("a canary got no cores, expected at least one that no table owns")
        self._cores = ",".join(map(str, cores))
        self._ask_every = ask_every
        self._restart_every = restart_every
        self._limits = fair_limits() if limits is None else limits
        self._seen: deque[Sighting] = deque(maxlen=KEEP)
        self._open: tuple[str, float] | None = None
        self.pid: int | None = None
        """The process of the canary that lives now."""
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to watch it."""
        self._thread = threading.Thread(target=self._run, name="canary", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End it, and wait until it is gone."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def sightings(self) -> tuple[Sighting, ...]:
        """What was seen lately, with what is being waited for right now."""
        with self._lock:
            seen = tuple(self._seen)
            if self._open is None:
                return seen
            kind, began = self._open
        return (*seen, Sighting(kind=kind, began=began, ended=time.monotonic(), over=False))

    def _run(self) -> None:
        while not self._stop.is_set():
            # A canary that cannot even be forked says nothing; the next try may.
            with contextlib.suppress(OSError):
                self._one_life()
            self._stop.wait(self._ask_every)

    def _one_life(self) -> None:
        self._begin("start")
        child = subprocess.Popen(
            [sys.executable, "-I", "-S", str(BOT), self._cores],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
            bufsize=0,
            start_new_session=True,
        )
        self.pid = child.pid
        try:
            ears = _Ears(child, self._stop)
            started = self._wait_for(ears, "ready")
            until = time.monotonic() + self._restart_every
            late = started is None or started > self._limits.canary_start
            while not late and not self._stop.is_set() and time.monotonic() < until:
                if not self._ask(child, ears):
                    return
                self._stop.wait(self._ask_every)
        finally:
            self._forget()
            self.pid = None
            _end(child)

    def _ask(self, child: "subprocess.Popen[bytes]", ears: "_Ears") -> bool:
        assert child.stdin is not None
        self._begin("ask")
        try:
            child.stdin.write(json.dumps(QUESTION).encode() + b"\n")
        except OSError:
            return False
        return self._wait_for(ears, "done") is not None

    def _begin(self, kind: str) -> None:
        with self._lock:
            self._open = (kind, time.monotonic())

    def _forget(self) -> None:
        """Nothing is waited for any more; a canary that died has not been late."""
        with self._lock:
            self._open = None

    def _wait_for(self, ears: "_Ears", word: str) -> float | None:
        """Wait for its answer and write it down; None when none will come."""
        with self._lock:
            assert self._open is not None
            kind, began = self._open
        news = ears.hear(began + GIVE_UP_S)
        if word not in news and time.monotonic() < began + GIVE_UP_S:
            self._forget()
            return None
        # The canary's own clock reading: that we were late to read it is no fault of the host.
        seen = Sighting(kind=kind, began=began, ended=news.get(word, time.monotonic()))
        with self._lock:
            self._seen.append(seen)
            self._open = None
        return seen.took if word in news else None


class _Ears:
    """Reads the lines of a canary, and stops when we do."""

    def __init__(self, child: "subprocess.Popen[bytes]", stop: threading.Event) -> None:
        assert child.stdout is not None
        self._out = child.stdout.fileno()
        self._stop = stop
        self._heard = b""

    def hear(self, until: float) -> dict[str, float]:
        """The next line; empty when there is none in time, at its end, or at ours."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._out, selectors.EVENT_READ)
            while b"\n" not in self._heard:
                if self._stop.is_set() or time.monotonic() > until:
                    return {}
                if selector.select(0.1):
                    data = os.read(self._out, 4096)
                    if not data:
                        return {}
                    self._heard += data
        line, _, self._heard = self._heard.partition(b"\n")
        news: dict[str, float] = json.loads(line)
        return news


def _end(child: "subprocess.Popen[bytes]") -> None:
    """It has nothing to finish and nothing to lose."""
    child.kill()
    child.wait()
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
