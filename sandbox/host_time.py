"""Whose time it was: what the cores of a table spent on others than its bots, and when.

Pure: counters in, verdicts out; `host_sampler.py` reads the counters. Nothing here looks at load
averages or pressure, because a bot's own threads raise both. What counts is the time in which a
core was not idle, less the time of the table's own bots: steal, other programs, the kernel. And of
that only what a bot waited for: whoever sleeps while others work has lost nothing.
"""

import math
from bisect import bisect_left
from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from sandbox.limits import FairLimits

NOISE_S = 0.02
"""Counters of cores come in steps of 10 ms; less than two steps counts as nothing."""

COVERED = 0.5
"""The part of a fault that must have been watched before anything is said about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreTimes:
    """The counters of one core since the machine started, in seconds."""

    idle: float
    """With nothing to run, or nothing but waits for a disk."""
    steal: float
    """Taken by the hypervisor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """All counters at one moment."""

    at: float
    """On the machine's monotonic clock, which all its processes share."""
    cores: Mapping[int, CoreTimes]
    used: Mapping[Hashable, float | None] = field(default_factory=dict)
    """CPU seconds of each table's own processes so far; None when one of them cannot tell."""
    waited: Mapping[Hashable, float | None] = field(default_factory=dict)
    """Seconds in which their threads were ready to run and did not; None when that is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """What some cores did between two moments, in seconds of core time."""

    began: float
    ended: float
    capacity: float
    idle: float
    steal: float
    own: float
    waited: float | None = None
    """None: unknown, and then all foreign time may have been waited for."""

    @property
    def wall(self) -> float:
        """How long it was."""
        return self.ended - self.began

    @property
    def foreign(self) -> float:
        """Neither idle nor used by the table's own bots."""
        return min(self.capacity, max(0.0, self.capacity - self.idle - self.own))

    @property
    def share(self) -> float:
        """Of all the time of these cores, the part that was foreign."""
        return self.foreign / self.capacity if self.capacity else 0.0

    @property
    def lost(self) -> float:
        """Foreign time that the table's bots waited for, never more than has passed.

        Neither can be made up: a bot's own threads make it wait, but not others run.
        """
        waited = self.foreign if self.waited is None else self.waited
        return min(self.foreign, waited, self.wall)

    @property
    def lost_share(self) -> float:
        """Of the time that has passed, the part that the bots lost to others."""
        if self.waited is None:
            return self.share
        return self.lost / self.wall if self.wall else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether the host was fit for a fair match, and why; a host not measured is never unfit."""

    fit: bool
    measured: bool
    reason: str
    """One line for people."""
    share: float | None = None
    """The part of the time that others took, where it was measured."""


def not_measured(why: str) -> Verdict:
    """The verdict where there is nothing to judge by."""
    return Verdict(fit=True, measured=False, reason=f"host not measured: {why}")


def parse_stat(text: str, ticks: int) -> dict[int, CoreTimes]:
    """The counters of every core from the text of `/proc/stat`, given the ticks per second.

    Busy time is sampled at each tick of the kernel, and a bot that runs at ticks alone would look
    like a full core; idle time is measured. So the idle time is read, and the rest follows.

    >>> parse_stat("cpu  9 9 9\\ncpu1 700 0 100 5000 200 0 3 40 0 0\\nintr 1", 100)
    {1: CoreTimes(idle=52.0, steal=0.4)}
    """
    found = {}
    for line in text.splitlines():
        name, _, rest = line.partition(" ")
        fields = rest.split()
        if name.startswith("cpu") and name[3:].isdigit() and len(fields) > 7:
            # user nice system idle iowait irq softirq steal
            idle, waiting, steal = int(fields[3]), int(fields[4]), int(fields[7])
            times = CoreTimes(idle=(idle + waiting) / ticks, steal=steal / ticks)
            found[int(name[3:])] = times
    return found


class Timeline:
    """Samples in the order of their time, the oldest forgotten first."""

    def __init__(self, keep: int) -> None:
        self._samples: deque[Sample] = deque(maxlen=keep)

    def add(self, sample: Sample) -> None:
        """The next sample; one that is not later than the last is left out."""
        if not self._samples or sample.at > self._samples[-1].at:
            self._samples.append(sample)

    def __len__(self) -> int:
        return len(self._samples)

    @property
    def last(self) -> float:
        """The moment of the newest sample."""
        return self._samples[-1].at if self._samples else -math.inf

    @property
    def first(self) -> float:
        """The moment of the oldest sample that is kept."""
        return self._samples[0].at if self._samples else math.inf

    def between(
        self, began: float, ended: float, cores: Sequence[int], table: Hashable = None
    ) -> Span | None:
        """What these cores did in this time, as far as it was watched; None when too little was.

        Between two samples counters are taken to run evenly. What lies outside is not looked at.
        """
        if not cores or not self._samples:
            return None
        first, last = max(began, self._samples[0].at), min(ended, self.last)
        if last <= first or last - first < COVERED * (ended - began):
            return None
        a, b = self._at(first, cores, table), self._at(last, cores, table)
        if a is None or b is None:
            return None
        return Span(
            began=first,
            ended=last,
            capacity=(last - first) * len(cores),
            idle=max(0.0, b[0] - a[0]),
            steal=max(0.0, b[1] - a[1]),
            own=max(0.0, b[2] - a[2]),
            waited=self._waited(first, last, table),
        )

    def _waited(self, first: float, last: float, table: Hashable) -> float | None:
        """Seconds that a table waited between two moments inside the samples."""
        ends = []
        for when in (first, last):
            old, new, part = self._around(when)
            x, y = old.waited.get(table, 0.0), new.waited.get(table, 0.0)
            if x is None or y is None:
                return None
            ends.append(x + (y - x) * part)
        return max(0.0, ends[1] - ends[0])

    def _around(self, when: float) -> tuple[Sample, Sample, float]:
        """The samples before and after a moment, and how far it is from the one to the other."""
        after = bisect_left(self._samples, when, key=lambda sample: sample.at)
        new = self._samples[after]
        old = self._samples[max(0, after - 1)]
        return old, new, 1.0 if new.at == old.at else (when - old.at) / (new.at - old.at)

    def _at(
        self, when: float, cores: Sequence[int], table: Hashable
    ) -> tuple[float, float, float] | None:
        """Idle, stolen and own seconds at a moment inside the samples."""
        old, new, part = self._around(when)
        x, y = _counters(old, cores, table), _counters(new, cores, table)
        if x is None or y is None:
            return None
        idle, steal, own = [p + (q - p) * part for p, q in zip(x, y, strict=True)]
        return idle, steal, own


def _counters(
    sample: Sample, cores: Sequence[int], table: Hashable
) -> tuple[float, float, float] | None:
    # A table that was not there yet has used nothing.
    own = sample.used.get(table, 0.0)
    if own is None or any(core not in sample.cores for core in cores):
        return None
    times = [sample.cores[core] for core in cores]
    return sum([t.idle for t in times]), sum([t.steal for t in times]), own


def judge(span: Span | None, cores: Sequence[int], limits: FairLimits) -> Verdict:
    """Whether a bot that was late at a time had its cores, or others had them.

    What others took was given back to its clock already. Only when they left next to nothing is
    that not enough.
    """
    if not cores:
        return not_measured("the table has no cores of its own")
    if span is None:
        return not_measured("no counters for these cores at that time")
    share, limit = span.lost_share, limits.lost_share
    # Short spans are nothing but noise.
    if share <= limit or span.foreign < NOISE_S:
        reason = f"others took {share:.0%} of the bots' time on {_names(cores)} (limit {limit:.0%})"
        return Verdict(fit=True, measured=True, reason=reason, share=share)
    stolen = min(span.steal, span.foreign) / span.capacity
    reason = (
        f"others took {share:.0%} of the bots' time on {_names(cores)} for {span.wall:.1f} s "
        f"(limit {limit:.0%}); the hypervisor stole {stolen:.0%}"
    )
    return Verdict(fit=False, measured=True, reason=reason, share=share)


def describe(span: Span | None, cores: Sequence[int]) -> Verdict:
    """How busy others keep some cores now. That alone makes no host unfit: it is given back."""
    if span is None:
        return not_measured("no counters for these cores")
    reason = f"others use {span.share:.0%} of {_names(cores)}"
    return Verdict(fit=True, measured=True, reason=reason, share=span.share)


def _names(cores: Sequence[int]) -> str:
    return f"core{'s' if len(cores) > 1 else ''} {', '.join(map(str, cores))}"


def given_back_ms(span: Span | None) -> float:
    """Milliseconds to be given back to each running clock for a time: never more than it lasted.

    On several cores a bot may have lost less than this. Time that no bot can take from another is
    given generously.
    """
    if span is None or span.foreign < max(NOISE_S, 0.05 * span.capacity):
        return 0.0
    return span.lost * 1000.0
