"""Kinds of work, and the slots of a worker that do them.

Work waits in the database. A slot finds it by a bell or by looking, and looks only while its worker
takes work at all. Matches, checks of submissions and reviews are such kinds.

A further kind is a function that returns a `Work` (see `other_work`) and stands in the list of
`league.wiring.workers`; its queue and task belong into `broker`, what rings for it into `tick.Due`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import structlog

from league.worker.gate import Gate, jittered
from league.worker.standing import Standing

LOG = structlog.get_logger("league")


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One kind of work: where it waits, and how the next piece of it is done."""

    name: str
    """Of its slots and of whoever hears its bells, for people who read logs."""
    task: str
    """The Celery task that rings for it."""
    queues: tuple[str, ...]
    """Where that task waits."""
    do_next: Callable[["WorkSlots"], bool]
    """Does what is next, within `busy`; False: nothing is to be done, sleep until a bell or the
    poll. Whatever it raises is told, and the slot lives on."""
    failure: str
    """How that is told."""
    slots: int = 1
    """How many pieces a worker does at the same time."""
    needs_examination: bool = True
    """Whether a failure may mean that the worker is not fit for matches either."""
    poll_seconds: float | None = None
    """How often a slot looks by itself, where somebody waits for it; None: as the settings say."""
    is_awaited: bool = False
    """Whether a worker that drains waits for the end of what is in hand."""


class WorkSlots:
    """The slots of one worker for one kind of work."""

    def __init__(self, work: Work, standing: Standing, poll_seconds: float) -> None:
        self.work = work
        self.standing = standing
        self.gate = Gate(work.slots)
        self._poll_seconds = work.poll_seconds or poll_seconds

    def run(self) -> None:
        """One slot: do what waits, and sleep until a bell or the poll; its thread is in here."""
        while not self.standing.draining.is_set():
            if not (self.standing.takes and self._do_next()):
                self.gate.wait(jittered(self._poll_seconds))

    def _do_next(self) -> bool:
        try:
            return self.work.do_next(self)
        except Exception as error:
            LOG.warning(self.work.failure, error=line(error))
            if self.work.needs_examination:
                self.standing.examine_soon()
            return False

    @contextmanager
    def busy(self) -> Iterator[None]:
        """A slot has something to do."""
        self.gate.enter()
        try:
            yield
        finally:
            self.gate.leave()

    def hear(self, _: int) -> None:
        """A bell. Kept until a slot is free: a busy worker would swallow what an idle one could
        use."""
        while not self.gate.ring_when_free(1.0):
            # Who stops listening waits for us, and may be the slot that would have to get free.
            if not self.standing.takes:
                return


def line(error: Exception) -> str:
    """The first line of an error: a database's has many, and the traceback is in the log."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
