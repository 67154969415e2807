"""The slots of a worker: each owns its cores, a match takes one only when its host is fit.

Checks take slots too, and the next free one, so that an endless ladder does not starve them.
Where nothing can be measured matches are played at once, and are marked.
"""

import asyncio
import os
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext

import store
from league.matches.fair import PATIENCE_S, Slot
from sandbox.api import PlatformFault
from sandbox.host_sampler import HostSampler
from sandbox.host_time import Verdict, not_measured

LOOK_S = 0.2
"""How often whoever waits looks again."""

Share = tuple[int, ...]


class Slots:
    """Hands a slot to each match and check while it runs. Safe from any thread."""

    def __init__(
        self,
        shares: Sequence[Share],
        sampler: HostSampler | None = None,
        *,
        others: Share = (),
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._shares = [tuple(share) for share in shares]
        self._sampler = sampler
        self._others = others
        self._patience_s = patience_s
        self._free = list(range(len(self._shares)))
        self._lock = threading.Lock()
        self._checks = 0
        self._unfit: dict[int, str] = {}
        """Who waits for a fit host, and why."""
        self._tickets = 0
        self._pinned: set[int] | None = None
        self._closed = False

    def start(self) -> None:
        """Begin to watch, and leave the slots' cores to their matches.

        The thread that calls, and all that it starts, keeps to the other cores.
        """
        if self._sampler is None:
            return
        if any(self._shares) and self._others and hasattr(os, "sched_setaffinity"):
            self._pinned = os.sched_getaffinity(0)
            os.sched_setaffinity(0, self._others)
        self._sampler.start()

    def close(self) -> None:
        """Let nobody in any more; whoever waits is sent away."""
        self._closed = True

    def stop(self) -> None:
        """Watch no more."""
        self.close()
        if self._sampler is None:
            return
        self._sampler.stop()
        if self._pinned is not None:
            os.sched_setaffinity(0, self._pinned)
            self._pinned = None

    @property
    def for_others(self) -> Share:
        """The cores that no match owns; empty where matches own none."""
        return self._others if any(self._shares) else ()

    @contextmanager
    def admit(self, leaving: Callable[[], bool]) -> Iterator[Slot | None]:
        """A slot on a fit host for a match; None when the worker leaves before there is one."""
        ticket = self._ticket()
        try:
            while (taken := self._try(ticket, check=False)) is None:
                if self._closed or leaving():
                    break
                time.sleep(LOOK_S)
        finally:
            with self._lock:
                self._unfit.pop(ticket, None)
        if taken is None:
            yield None
            return
        with self._seated(taken) as slot:
            yield slot

    @asynccontextmanager
    async def admit_check(self, on_wait: Callable[[str], None]) -> AsyncIterator[Slot]:
        """The next slot on a fit host, before any match that waits; says why it waits."""
        ticket, said = self._ticket(), ""
        with self._lock:
            self._checks += 1
        try:
            while (taken := self._try(ticket, check=True)) is None:
                if self._closed:
                    raise PlatformFault("the worker was stopped before the check began")
                why = self._unfit.get(ticket, "all slots play")
                kind = "fit host" if ticket in self._unfit else "free slot"
                if kind != said:
                    on_wait(f"Waiting for a {kind}: {why}.")
                    said = kind
                await asyncio.sleep(LOOK_S)
        finally:
            with self._lock:
                self._checks -= 1
                self._unfit.pop(ticket, None)
        with self._seated(taken) as slot:
            yield slot

    def _ticket(self) -> int:
        with self._lock:
            self._tickets += 1
            return self._tickets

    def _try(self, ticket: int, *, check: bool) -> int | None:
        """Take a free slot whose cores are fit; a match lets checks go first."""
        with self._lock:
            if self._closed or (self._checks and not check):
                self._unfit.pop(ticket, None)
                return None
            unfit = None
            for number in self._free:
                verdict = self._verdict(number)
                if verdict.fit:
                    self._free.remove(number)
                    self._unfit.pop(ticket, None)
                    return number
                unfit = verdict.reason
            if unfit is None:
                self._unfit.pop(ticket, None)
            else:
                self._unfit[ticket] = unfit
            return None

    def _verdict(self, number: int) -> Verdict:
        if self._sampler is None:
            return not_measured("nobody watches it")
        return self._sampler.is_fit(self._shares[number])

    @contextmanager
    def _seated(self, number: int) -> Iterator[Slot]:
        cores = self._shares[number]
        watch = nullcontext() if self._sampler is None else self._sampler.table(cores)
        try:
            with watch as table:
                yield Slot(
                    cores=cores, others=self._others, table=table, patience_s=self._patience_s
                )
        finally:
            with self._lock:
                self._free.append(number)

    def describe(self) -> store.JsonDict:
        """What a worker says of its host: whether it is measured, and why matches wait."""
        with self._lock:
            waits = next(iter(self._unfit.values()), None)
            verdicts = [self._verdict(number) for number in range(len(self._shares))]
        unknown = next((one.reason for one in verdicts if not one.measured), None)
        return {
            "measured": unknown is None,
            "not_measured": unknown,
            "waits": waits,
            "waiting": len(self._unfit),
            "cores": [list(share) for share in self._shares],
        }
