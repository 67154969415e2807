"""Time that the host took from the bots, as the supervisor measures it, and breaks in the asking.

The supervisor sees the machine and we see the clocks. It says how much of a span was not the bots',
and we give that back to every clock that ran then. While it has the asking held, no clock runs and
no bot is asked or started. No bot can move any of this. Seconds in, no I/O.
"""

from bisect import bisect_left
from collections import deque
from dataclasses import dataclass

KEEP = 3000
"""Reports: ten minutes at five a second, longer than any clock runs."""

SETTLE_S = 3.0
"""How long the end of a clock waits for the report about its last moments. On a host that is busy
enough for it to matter, the supervisor is late as well."""


@dataclass(frozen=True, slots=True)
class Report:
    """How much of a span of time was taken."""

    began: float
    ended: float
    taken_s: float

    def within(self, began: float, ended: float) -> float:
        """The part of it that falls into another span, as if it had been taken evenly."""
        common = min(ended, self.ended) - max(began, self.began)
        return max(0.0, common) / (self.ended - self.began) * self.taken_s


class HostClock:
    """What the supervisor has reported of the host's time so far."""

    def __init__(self) -> None:
        self._reports: deque[Report] = deque(maxlen=KEEP)
        self._known_until = float("-inf")
        self._held_at: float | None = None
        self._heard_at = float("-inf")
        self.given_s = 0.0
        """All that was ever taken, breaks included, for the result."""
        self.held_s = 0.0
        """All breaks that are over."""

    @property
    def held(self) -> bool:
        """Whether no bot is to be asked or started now."""
        return self._held_at is not None

    def report(self, now: float, began: float, ended: float, taken_s: float) -> Report | None:
        """The supervisor reports a span; what it reported before, and breaks, are cut off.

        Returns what is new in it: messages already paid for do not account for it yet.
        """
        self._heard_at = now
        start = max(began, self._known_until)
        # A break already gives back all of its time, and what is still to come is unknown.
        stop = min(ended, now if self._held_at is None else self._held_at)
        if stop <= start:
            return None
        taken = max(0.0, taken_s) * (stop - start) / (ended - began)
        return self._add(Report(start, stop, min(taken, stop - start)))

    def hold(self, now: float) -> None:
        """The break begins. Safe to repeat."""
        self._heard_at = now
        if self._held_at is None:
            self._held_at = now

    def resume(self, now: float) -> None:
        """The break is over, and is given back whole. Safe to repeat."""
        self._heard_at = now
        began, self._held_at = self._held_at, None
        if began is not None:
            self.held_s += max(0.0, now - began)
            start = max(began, self._known_until)
            if now > start:
                self._add(Report(start, now, now - start))

    def _add(self, report: Report) -> Report:
        self._known_until = report.ended
        if report.taken_s:
            self._reports.append(report)
            self.given_s += report.taken_s
        return report

    def taken(self, began: float, ended: float) -> float:
        """Seconds to be given back to a clock that ran in this time."""
        total = 0.0
        if self._held_at is not None:
            total = max(0.0, ended - max(began, self._held_at))
        # Most clocks have run since the last report, and have nothing to look for.
        if self._reports and self._reports[-1].ended > began:
            first = bisect_left(self._reports, began, key=lambda report: report.ended)
            later = range(first, len(self._reports))
            total += sum([self._reports[number].within(began, ended) for number in later])
        return min(total, max(0.0, ended - began))

    def is_settled(self, moment: float, now: float) -> bool:
        """Whether everything that will ever be known about a moment is known.

        Without a supervisor that measures, that is so at once; in a break, never.
        """
        if self._held_at is not None:
            return False
        silent = now - self._heard_at > SETTLE_S
        return silent or self._known_until >= moment or now - moment > SETTLE_S
