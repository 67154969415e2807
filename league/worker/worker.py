"""A worker: takes matches from the queue, keeps the clockwork going, and drains in good order.

The same class serves in the server's own process (embedded) and alone as `bullring worker`.
"""

import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial

import structlog
from celery import Celery
from celery.beat import Scheduler, Service
from kombu.exceptions import OperationalError

import store
from league.live import Watch
from league.matches import Player, Slots, Stage, match_name
from league.retry import patiently
from league.settings import LeagueSettings
from league.worker import tick as clockwork
from league.worker.broker import (
    CHECKS,
    MAINTENANCE,
    MATCH_QUEUES,
    Jobs,
    make_celery,
    register,
    ring,
)
from league.worker.consumer import Consumer
from store import Store, WorkerState

LOG = structlog.get_logger("league")
BEAT_SECONDS = 10.0
"""How often a worker says that it lives; a fraction of store.workers.SILENT_SECONDS."""
REHEARSAL_SECONDS = 5.0
"""How often the clockwork looks for rehearsals that are over."""


Admitted = Callable[[Callable[[], bool]], AbstractContextManager[Stage | None]]


def worker_name() -> str:
    """A name that no other process has or had."""
    return f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}"


@dataclass(slots=True)
class Worker:
    """Everything that runs in one worker process. `start`, then `drain`; or `stop` at once."""

    settings: LeagueSettings
    database: Store
    stage: Stage
    check: Callable[[int], object]
    """Builds and checks a submission."""
    clock: bool = True
    """Whether this worker also runs the clockwork (beat, ticks, ratings)."""
    plays: bool = True
    """Whether it takes matches and submissions at all; a lone clock does not."""
    watch: Watch | None = None
    name: str = field(default_factory=worker_name)
    host: str = field(default_factory=socket.gethostname)
    """The machine, for people to read; nothing is decided by it."""
    owner: str | None = None
    """The lock that this process holds for as long as it lives; see `sandbox.owner`."""
    found_dead: Sequence[str] = ()
    """Locks that nobody held any more when this worker came: their matches can wait for nobody."""
    slots: Slots | None = None
    """The slots of this machine, where they are watched: matches wait here for a fit host."""
    admitted: Admitted | None = None
    """The stage in a slot as soon as the host is fit, or None when the worker leaves first."""
    _stopping: threading.Event = field(default_factory=threading.Event)
    _rests: dict[int, float] = field(default_factory=dict)
    _busy: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _state: WorkerState = WorkerState.UP
    _consumers: list[Consumer] = field(default_factory=list)
    _threads: list[threading.Thread] = field(default_factory=list)
    _beat: Service | None = None
    _app: Celery | None = None

    def start(self) -> None:
        """Begin to take matches; returns at once."""
        patiently(self.sign)
        patiently(self._reclaim_dead_workers)
        if self.slots is not None and self.plays:
            self.slots.start()
        # Before anybody listens: whoever takes a message may have to publish others.
        self._app = make_celery(self.settings)
        queues: dict[str, tuple[str, ...]] = {}
        if self.plays:
            queues |= {"matches": MATCH_QUEUES, "checks": (CHECKS,)}
        if self.clock:
            queues["clock"] = (MAINTENANCE,)
        for role, names in queues.items():
            slots = self.settings.slots if role == "matches" else 1
            consumer = Consumer(f"{role}@{self.name}", self._make_app, names, slots)
            consumer.start()
            self._consumers.append(consumer)
        self._run("signs of life", self._signs)
        if self.clock:
            self._run("rehearsals", self._rehearsals)
            self._beat = Service(self._app, scheduler_cls=Scheduler)
            self._run("beat", partial(self._beat.start, embedded_process=True))
        self._ring_for_all()

    def _ring_for_all(self) -> None:
        """Messages of an earlier process may be gone with it: ring for all that waits."""
        try:
            with self.database.write() as session:
                waiting = store.attempts.reap(session, stale=0.0).publish
            self.ring(clockwork.Due(matches=waiting, submissions=()))
        except Exception as error:
            # Database or broker may be restarting; the clockwork rings again by itself.
            LOG.warning("could not ring at the start", error=str(error)[:200])

    def _reclaim_dead_workers(self) -> None:
        """Give back at once the matches of workers whose lock was found without a holder.

        Only a lock that could be seen says that somebody is dead. Host names and process numbers
        say nothing: two containers may share the one and count the other alike. Where no lock is
        in sight, the lease decides.
        """
        if not self.found_dead:
            return
        with self.database.read() as session:
            alive = store.workers.alive(session, silent=2 * self.settings.lease_seconds)
        for worker in alive:
            if worker.detail.get("owner") in self.found_dead and worker.name != self.name:
                with self.database.write() as session:
                    store.attempts.reap(session, dead_worker=worker.name)
                    store.workers.sign_off(session, worker.name)

    def _make_app(self) -> Celery:
        app = make_celery(self.settings)
        register(app, self._jobs())
        return app

    def _run(self, name: str, target: Callable[[], object]) -> None:
        thread = threading.Thread(target=target, name=name, daemon=True)
        thread.start()
        self._threads.append(thread)

    def _jobs(self) -> Jobs:
        return Jobs(
            play=self.play, check=self.check, tick=self.tick, rate=self.rate, sweep=self.sweep
        )

    def play(self, match_id: int) -> None:
        """Play one match; a worker with the clockwork then fills the queue without waiting."""
        with self._admission() as stage:
            if stage is None or self._leaving():
                return
            again = self._play(match_id, stage)
        # One without it has no right to plan matches, and a thousand that try hinder each other.
        bells = clockwork.fill(self.database, self.settings) if self.clock else []
        if again is not None:
            bells.append(again)
        self.ring(clockwork.Due(matches=tuple(bells), submissions=()))

    def _leaving(self) -> bool:
        return self._state is not WorkerState.UP

    def _admission(self) -> AbstractContextManager[Stage | None]:
        """Where to play, once this machine is fit for it; until then the match is not claimed."""
        if self._leaving():
            return nullcontext()
        return nullcontext(self.stage) if self.admitted is None else self.admitted(self._leaving)

    def _play(self, match_id: int, stage: Stage) -> store.Doorbell | None:
        with self._lock:
            self._busy += 1
        try:
            player = Player(
                self.database, self.settings, stage, self.name, self._stopping, self.watch
            )
            # Whatever is logged on the way, also by libraries, says which match it belongs to.
            with structlog.contextvars.bound_contextvars(match=match_name(match_id)):
                return player.play(match_id)
        finally:
            with self._lock:
                self._busy -= 1

    def tick(self) -> None:
        """One turn of the clockwork."""
        self.ring(clockwork.tick(self.database, self.settings))

    def rate(self) -> None:
        """Bring ratings and standings up to date."""
        clockwork.refresh_ratings(self.database, self._rests)

    def sweep(self) -> None:
        """Remove files that nobody needs."""
        clockwork.sweep(self.database, self.settings)

    def ring(self, due: clockwork.Due) -> None:
        """Publish what is due."""
        assert self._app is not None
        try:
            ring(self._app, due)
        except OperationalError as error:
            # Nothing is lost: what nobody claims is rung for again.
            LOG.warning("broker unreachable", bells=len(due.matches), error=str(error)[:200])

    def sign(self) -> None:
        """Say that this worker lives, and what it is doing."""
        row = store.Worker(
            name=self.name,
            state=self._state,
            host=self.host,
            pid=os.getpid(),
            slots=self.settings.slots if self.plays else 0,
            busy=self._busy,
            queues=list(MATCH_QUEUES),
            detail=self._detail(),
        )
        with self.database.write() as session:
            store.workers.beat(session, row)

    def _detail(self) -> store.JsonDict:
        host = None if self.slots is None else self.slots.describe()
        runner = self.stage.runner
        return {"runner": runner, "clock": self.clock, "owner": self.owner, "host": host}

    def _signs(self) -> None:
        while not self._stopping.wait(BEAT_SECONDS):
            self._try_to_sign()

    def _rehearsals(self) -> None:
        # A thread of its own: all games of a rehearsal are played again, and no tick can wait.
        while not self._stopping.wait(REHEARSAL_SECONDS):
            clockwork.conclude_rehearsals(self.database, self._stopping)

    def _try_to_sign(self) -> None:
        """Nothing depends on a single sign: the database may be restarting."""
        try:
            self.sign()
        except Exception as error:
            # The next one comes in seconds.
            LOG.warning("no sign of life", error=str(error)[:200])

    @property
    def busy(self) -> int:
        """Matches being played now."""
        return self._busy

    def drain(self, seconds: float) -> bool:
        """Take no more matches and let the running ones end; False when time ran out first."""
        self._state = WorkerState.DRAINING
        self._try_to_sign()
        if self._beat is not None:
            self._beat.stop()
        for consumer in self._consumers:
            consumer.close()
        deadline = time.monotonic() + seconds
        while self._busy and time.monotonic() < deadline and not self._stopping.is_set():
            time.sleep(0.05)
        idle = self._busy == 0
        self.stop()
        return idle

    def stop(self) -> None:
        """End now: running matches go back to the queue and count against nobody."""
        self._state = WorkerState.DRAINING
        self._stopping.set()
        if self.slots is not None:
            self.slots.close()
        if self._beat is not None:
            self._beat.stop()
        usual = socket.getdefaulttimeout()
        # Each takes a second or two to leave its loop, so they leave together.
        for consumer in self._consumers:
            self._run(f"stop {consumer.name}", consumer.stop)
        for thread in self._threads:
            thread.join(timeout=10)
        for consumer in self._consumers:
            consumer.join(10)
        if self.slots is not None:
            self.slots.stop()
        # Celery sets this for the whole process while it stops; several at once leave it set.
        socket.setdefaulttimeout(usual)
        with self.database.write() as session:
            store.workers.sign_off(session, self.name)
