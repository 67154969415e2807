"""A watched table, put together: a sandbox whose bots are counted, and reports for their clocks.

For whoever plays a match: what to tell a referee, and what to make of a verdict, is up to them.
"""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from sandbox.api import Limits, Program, RunningBot, RunOptions, Sandbox
from sandbox.host_sampler import TableWatch
from sandbox.host_time import Verdict


class WatchedSandbox:
    """Any sandbox; every bot that it starts counts as its table's own from its first moment."""

    def __init__(self, sandbox: Sandbox, table: TableWatch) -> None:
        self._sandbox = sandbox
        self._table = table
        self.name = sandbox.name
        self.contained = sandbox.contained

    @asynccontextmanager
    async def run(
        self,
        program: Program,
        limits: Limits,
        socket_dir: Path,
        **options: Unpack[RunOptions],
    ) -> AsyncIterator[RunningBot]:
        """Start a bot as the sandbox does, and count its time."""
        block = self._sandbox.run(program, limits, socket_dir, **options)
        async with block as bot:
            self._table.add(bot.cpu_seconds, bot.waited_seconds)
            yield bot


def count_bots(sandbox: Sandbox, table: TableWatch) -> Sandbox:
    """The sandbox, with every bot that it starts counted as its table's own."""
    return WatchedSandbox(sandbox, table)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostReport:
    """What the host did since the last report."""

    began: float
    ended: float
    foreign_ms: float
    """To be given back to every clock that ran in this time."""
    verdict: Verdict
    """Whether the host is fit now; while it is not, no bot is to be asked."""
    unfit_s: float
    """How long it has been unfit without a break: after too long the match is abandoned."""


class HostReporter:
    """Makes reports without gaps, each from the end of the last one."""

    def __init__(self, table: TableWatch, clock: Callable[[], float] = time.monotonic) -> None:
        self._table = table
        self._clock = clock
        self._told_until = clock()
        self._unfit_since: float | None = None

    def report(self) -> HostReport:
        """The next one; about five in a second are enough."""
        # What happened after the newest sample is part of the next report.
        ended = max(self._told_until, self._table.watched_until())
        began, self._told_until = self._told_until, ended
        verdict, now = self._table.is_fit(), self._clock()
        if verdict.fit:
            self._unfit_since = None
        elif self._unfit_since is None:
            self._unfit_since = now
        return HostReport(
            began=began,
            ended=ended,
            foreign_ms=self._table.foreign_ms(began, ended),
            verdict=verdict,
            unfit_s=0.0 if self._unfit_since is None else now - self._unfit_since,
        )
