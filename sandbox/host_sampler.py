"""Watches the cores of this machine from a thread: one for a worker, whatever it plays.

Every tenth of a second it reads the counters of all cores and the CPU time of the bots of every
table, and keeps the last minutes. What they mean is decided in `host_time.py`.
"""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from sandbox.canary import Sighting, late_canary
from sandbox.host_time import (
    CoreTimes,
    Sample,
    Span,
    Timeline,
    Verdict,
    describe,
    given_back_ms,
    judge,
    not_measured,
    parse_stat,
)
from sandbox.limits import FairLimits, fair_limits

EVERY_S = 0.1
KEEP = 1800
"""Samples: three minutes, longer than any question is open."""

SILENT_S = 5.0
"""When the newest sample is older than this, the host is not being watched."""

ReadCores = Callable[[], dict[int, CoreTimes]]
ReadCpu = Callable[[], float | None]


class Witness(Protocol):
    """A canary: what it has seen is evidence about the whole machine."""

    def start(self) -> None:
        """Begin to watch it."""

    def stop(self) -> None:
        """End it."""

    def sightings(self) -> Sequence[Sighting]:
        """What was seen lately."""


def _unknown() -> None:
    return None


def read_cores() -> dict[int, CoreTimes]:
    """The counters of this machine's cores; empty where the system has none (macOS)."""
    with contextlib.suppress(OSError, ValueError):
        text = Path("/proc/stat").read_text("ascii")
        return parse_stat(text, os.sysconf("SC_CLK_TCK"))
    return {}


class TableWatch:
    """One table: its cores, its bots, and what was taken from them. Safe from any thread."""

    def __init__(self, sampler: "HostSampler", cores: Sequence[int]) -> None:
        self.cores = tuple(cores)
        self.ended: float | None = None
        """When the match was over; whose the time was after that is unknown."""
        self._sampler = sampler
        self._sources: list[tuple[ReadCpu, ReadCpu]] = []

    def add(self, cpu_seconds: ReadCpu, waited_seconds: ReadCpu = _unknown) -> None:
        """Count a process as this table's own: every bot, and the referee of the table.

        It stays counted after its end, so that its time is never counted as another's.
        """
        self._sources.append((cpu_seconds, waited_seconds))

    def used(self) -> float | None:
        """CPU seconds of all that was added; None when one of them cannot tell."""
        return _sum([cpu() for cpu, _ in list(self._sources)])

    def waited(self) -> float | None:
        """Seconds that they were ready to run and did not; None when one of them cannot tell."""
        return _sum([waited() for _, waited in list(self._sources)])

    def watched_until(self) -> float:
        """The moment up to which we know what happened; now, where nothing is measured."""
        return self._sampler.watched_until() if self.cores else self._sampler.now()

    def foreign_ms(self, began: float, ended: float) -> float:
        """What to give back to the clocks for this time; 0 where nothing was measured."""
        return given_back_ms(self._sampler.span(began, ended, self))

    def judge_ask(self, began: float, ended: float) -> Verdict:
        """Whether the host was fit while a question was open; for timeouts."""
        span = self._sampler.span(began, ended, self)
        return judge(span, self.cores, self._sampler.limits)

    def judge_start(self, began: float, ended: float) -> Verdict:
        """Whether the host was fit while a bot started; here the canary is a witness too."""
        return self._sampler.with_canary(self.judge_ask(began, ended), began, ended)

    def is_fit(self) -> Verdict:
        """Whether the host is fit now, in the middle of the match."""
        return self._sampler.is_fit(self.cores, self)


def _sum(times: Sequence[float | None]) -> float | None:
    known = [time for time in times if time is not None]
    return sum(known) if len(known) == len(times) else None


class HostSampler:
    """Reads, keeps and answers; `start` and `stop` it once for a worker."""

    def __init__(
        self,
        *,
        cores: ReadCores = read_cores,
        clock: Callable[[], float] = time.monotonic,
        canary: Witness | None = None,
        limits: FairLimits | None = None,
    ) -> None:
        self.limits = fair_limits() if limits is None else limits
        self._read = cores
        self._clock = clock
        self._canary = canary
        self._timeline = Timeline(KEEP)
        self._tables: list[TableWatch] = []
        self._lock = threading.Lock()
        self._sampling = threading.Lock()
        """Held while counters are read, which takes longer than looking at what was kept."""
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to watch."""
        self.sample()
        self._thread = threading.Thread(target=self._run, name="host-sampler", daemon=True)
        self._thread.start()
        if self._canary is not None:
            self._canary.start()

    def stop(self) -> None:
        """Watch no more, and end the canary."""
        self._stop.set()
        if self._canary is not None:
            self._canary.stop()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while not self._stop.wait(EVERY_S):
            self.sample()

    def sample(self) -> None:
        """Read all counters once."""
        with self._sampling:
            with self._lock:
                tables = list(self._tables)
            # In this order: when we are held up in between, the time counts as the bots' own.
            at, cores = self._clock(), self._read()
            used: dict[Hashable, float | None] = {table: table.used() for table in tables}
            waited: dict[Hashable, float | None] = {table: table.waited() for table in tables}
            if cores:
                with self._lock:
                    self._timeline.add(Sample(at=at, cores=cores, used=used, waited=waited))

    @contextmanager
    def table(self, cores: Sequence[int]) -> Iterator[TableWatch]:
        """Watch a table for the length of a block; give it no cores when it owns none."""
        watch = TableWatch(self, cores)
        with self._lock:
            self._tables.append(watch)
        self.sample()
        try:
            yield watch
        finally:
            self.sample()
            with self._lock:
                self._tables.remove(watch)
                watch.ended = self._timeline.last

    def now(self) -> float:
        """The clock of all samples."""
        return self._clock()

    def watched_until(self) -> float:
        """The moment of the newest sample; now, when the host is not being watched."""
        now = self._clock()
        with self._lock:
            last = self._timeline.last
        return now if now - last > SILENT_S else last

    def span(self, began: float, ended: float, table: TableWatch) -> Span | None:
        """What the cores of a table did in this time."""
        with self._lock:
            last = ended if table.ended is None else min(ended, table.ended)
            return self._timeline.between(began, last, table.cores, table)

    def is_fit(self, cores: Sequence[int], table: TableWatch | None = None) -> Verdict:
        """Whether a match may begin, or go on, on these cores now; the reason is for people.

        Other work on the cores is given back to the clocks, and the match goes on. Only when a
        small bot of ours no longer gets its time is the machine too busy to play on.
        """
        if not cores:
            return not_measured("there are too few cores for one of its own")
        now, seconds = self._clock(), self.limits.fit_seconds
        with self._lock:
            first, last = self._timeline.first, self._timeline.last
            span = self._timeline.between(last - seconds, last, cores, table)
        if now - last > SILENT_S:
            return not_measured("this system has no counters of its cores")
        if last - first < seconds:
            reason = f"the host has been watched for {last - first:.1f} s of {seconds:g} s"
            return Verdict(fit=False, measured=True, reason=reason)
        return self.with_canary(describe(span, cores), now - seconds, now)

    def with_canary(self, verdict: Verdict, began: float, ended: float) -> Verdict:
        """A verdict, and what the canary has to say about that time.

        Where tables own no cores, or that is unknown, a bot could make the canary late as well.
        """
        if not verdict.fit or not verdict.measured:
            return verdict
        sightings = () if self._canary is None else self._canary.sightings()
        late = late_canary(sightings, began, ended, self.limits)
        if late is None:
            return verdict
        return replace(verdict, fit=False, reason=late)
