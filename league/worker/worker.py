"""A worker: puts its parts together, starts them, and drains in good order.

The same class serves in the server's own process (embedded) and alone as `bullring worker`.
"""

import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import structlog

import store
from league.live import Watch
from league.matches import Slots, Stage
from league.retry import patiently
from league.settings import LeagueSettings
from league.worker import tick as clockwork
from league.worker.admission import Admission
from league.worker.bells import Bells
from league.worker.clock import Clock
from league.worker.fitness import Fitness
from league.worker.listening import Listening
from league.worker.metrics import WorkerMetrics
from league.worker.playing import Admitted, Playing
from league.worker.signs import Signs, reclaim_dead_workers
from league.worker.standing import Standing
from league.worker.work import Work, WorkSlots, line
from store import Store, WorkerState
from store.matches import LEAGUE_QUEUES
from store.migrate import newest_revision

LOG = structlog.get_logger("league")


def worker_name() -> str:
    """A name that no other process has or had."""
    return f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}"


@dataclass(slots=True)
class Worker:
    """Everything that runs in one worker process. `start`, then `drain`; or `stop` at once."""

    settings: LeagueSettings
    database: Store
    stage: Stage
    work: Sequence[Work] = ()
    """The kinds of work that it does beside matches, each in slots of its own."""
    clock: bool = True
    """Whether this worker may also be the clock."""
    plays: bool = True
    """Whether it takes matches and other work at all; a lone clock does not."""
    watch: Watch | None = None
    name: str = field(default_factory=worker_name)
    host: str = field(default_factory=socket.gethostname)
    """The machine, for people to read; nothing is decided by it."""
    owner: str | None = None
    """The lock that this process holds for as long as it lives; see `sandbox.owner`."""
    found_dead: Sequence[str] = ()
    """Locks without a holder, found when this worker came: their matches go back at once."""
    let_go: Callable[[], object] = lambda: None
    """Removes what this process has on its machine: its lock, its folders."""
    fetch: Callable[[Sequence[str]], object] = lambda _: None
    """Makes the images of the next match ready on this machine, before it is claimed."""
    admission: Admission = field(default_factory=Admission)
    slots: Slots | None = None
    """The slots of this machine, where they are watched: matches wait here for a fit host."""
    admitted: Admitted | None = None
    """The stage in a slot as soon as the host is fit, or None when the worker leaves first."""
    metrics: WorkerMetrics = field(default_factory=WorkerMetrics)
    _threads: list[threading.Thread] = field(default_factory=list)
    _standing: Standing = field(init=False)
    _signs: Signs = field(init=False)
    _matches: WorkSlots = field(init=False)
    _kinds: list[WorkSlots] = field(init=False)
    _listening: Listening = field(init=False)
    _bells: Bells | None = None
    _clock: Clock | None = None

    def __post_init__(self) -> None:
        self._standing = Standing(
            Fitness(self.admission, self.database, self.name),
            self.metrics,
            self.name,
            self.settings.check_seconds,
            WorkerState.WAITING if self.plays else WorkerState.UP,
        )
        self._signs = Signs(self.database, self._row)
        works = [self._playing().work(), *self.work]
        poll = self.settings.poll_seconds
        self._kinds = [WorkSlots(work, self._standing, poll) for work in works]
        self._matches = self._kinds[0]
        self._listening = Listening(self.settings, self.name, self._standing, self._kinds)
        self._standing.on_change = self._signs.try_to_give
        if self.plays:
            self._standing.on_open = self._listening.start
            self._standing.on_closed = self._listening.stop

    def _playing(self) -> Playing:
        return Playing(
            settings=self.settings,
            database=self.database,
            stage=self.stage,
            admitted=self.admitted,
            name=self.name,
            standing=self._standing,
            watch=self.watch,
            fetch=self.fetch,
            metrics=self.metrics,
            after=self._after,
        )

    def start(self) -> None:
        """Begin to take matches once the checks pass; returns at once."""
        patiently(self.sign)
        patiently(self.reclaim)
        self._bells = Bells(self.settings)
        self._bells.on_problem = self._broker_told
        self._run("signs of life", lambda: self._signs.run(self._standing.stopping))
        self._run("canary", lambda: self.metrics.watch_lateness(self._standing.stopping))
        if self.plays:
            self._start_slots()
        else:
            self._standing.set(WorkerState.UP)
        if self.clock:
            self._clock = Clock(self.settings, self.database, self.name, self._bells, self.metrics)
            self._clock.start()

    def _start_slots(self) -> None:
        if self.slots is not None:
            self.slots.start()
        for kind in self._kinds:
            for number in range(kind.work.slots):
                self._run(f"{kind.work.name} {number}", kind.run)
        self._run("admission", self._standing.examinations)

    def _run(self, name: str, target: Callable[[], object]) -> None:
        thread = threading.Thread(target=target, name=name, daemon=True)
        thread.start()
        self._threads.append(thread)

    def reclaim(self) -> None:
        """Give back what the workers had whose lock was found without a holder."""
        reclaim_dead_workers(
            self.database,
            self.found_dead,
            name=self.name,
            lease_seconds=self.settings.lease_seconds,
        )

    def _after(self, again: store.Doorbell | None) -> None:
        """Ring for a match that waits again; who may be the clock fills the queue at once."""
        bells = [] if again is None else [again]
        if self._clock is not None and self._clock.leads:
            try:
                bells += clockwork.fill(self.database, self.settings, self._clock.fields)
            except Exception as error:
                LOG.warning("queue not filled", error=line(error))
        if self._bells is not None:
            self._bells.ring(clockwork.Due(matches=tuple(bells), submissions=()), again=True)
        for _ in bells:
            self._matches.gate.ring()

    def _broker_told(self, problem: str | None) -> None:
        if problem is not None:
            self.metrics.broker_failures.inc()

    def tick(self) -> None:
        """Turn the clock now, without waiting for its timer."""
        assert self._clock is not None, "this worker is no clock"
        self._clock.tick()

    def sign(self) -> None:
        """Say that this worker lives, and what it is doing."""
        self._signs.give()

    def _row(self) -> store.Worker:
        return store.Worker(
            name=self.name,
            state=self.state,
            host=self.host,
            pid=os.getpid(),
            slots=self.settings.slots if self.plays else 0,
            busy=self.busy,
            queues=list(LEAGUE_QUEUES),
            detail={
                "runner": self.stage.runner,
                "clock": self.clock,
                "leads": self._clock is not None and self._clock.leads,
                "owner": self.owner,
                "schema": newest_revision(),
                "problems": dict(self.admission.verdict.reasons),
                "broker": None if self._bells is None else self._bells.problem,
                "host": None if self.slots is None else self.slots.describe(),
            },
        )

    @property
    def busy(self) -> int:
        """Matches being played now."""
        return self._matches.gate.busy

    @property
    def _awaited(self) -> int:
        """What is in hand and has to end before this worker has drained."""
        return sum(kind.gate.busy for kind in self._kinds if kind.work.is_awaited)

    @property
    def state(self) -> WorkerState:
        """What this worker says of itself."""
        return self._standing.state

    def drain(self, seconds: float) -> bool:
        """Take no more matches and let the running ones end; False when time ran out first."""
        self._begin_to_drain()
        self._listening.stop()
        deadline = time.monotonic() + seconds
        stopping = self._standing.stopping
        while self._awaited and time.monotonic() < deadline and not stopping.is_set():
            time.sleep(0.05)
        idle = self._awaited == 0
        self.stop()
        return idle

    def _begin_to_drain(self) -> None:
        self._standing.drain()
        for kind in self._kinds:
            kind.gate.wake_all()
        self._signs.try_to_give()
        if self._clock is not None:
            self._clock.stop()

    def stop(self) -> None:
        """End now: running matches go back to the queue and count against nobody."""
        if not self._standing.draining.is_set():
            self._begin_to_drain()
        self._standing.stopping.set()
        if self.slots is not None:
            self.slots.close()
        self._listening.stop()
        for thread in self._threads:
            thread.join(timeout=10)
        if self.slots is not None:
            self.slots.stop()
        if self._bells is not None:
            self._bells.close()
        try:
            with self.database.write() as session:
                store.workers.sign_off(session, self.name)
        finally:
            # Both the drain and a second signal end here.
            if not self._awaited:
                let_go, self.let_go = self.let_go, lambda: None
                let_go()
