"""A worker: takes matches that wait, examines itself, and drains in good order.

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

import structlog
from celery import Celery

import store
from league.live import Watch
from league.matches import Player, Slots, Stage, match_name
from league.retry import patiently
from league.settings import LeagueSettings
from league.worker import tick as clockwork
from league.worker.admission import Admission
from league.worker.bells import Bells
from league.worker.broker import CHECKS, MATCH_QUEUES, REVIEWS, Jobs, make_celery, register
from league.worker.clock import Clock
from league.worker.consumer import Consumer
from league.worker.fitness import Fitness
from league.worker.gate import Gate, jittered
from league.worker.metrics import WorkerMetrics
from store import Store, WorkerState
from store.migrate import newest_revision

LOG = structlog.get_logger("league")
BEAT_SECONDS = 10.0
"""How often a worker says that it lives; a fraction of store.workers.SILENT_SECONDS."""
CLOSED_SECONDS = 5.0
"""How often a worker that takes no matches examines itself again."""


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
    """Whether this worker may also be the clock."""
    review: Callable[[threading.Event], bool] | None = None
    """Makes the next review that is wanted, or leaves it when the event is set; says whether one
    was wanted. None: no reviews are made here."""
    plays: bool = True
    """Whether it takes matches and submissions at all; a lone clock does not."""
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
    _stopping: threading.Event = field(default_factory=threading.Event)
    _draining: threading.Event = field(default_factory=threading.Event)
    _examine_now: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _changing: threading.Lock = field(default_factory=threading.Lock)
    _state: WorkerState = WorkerState.WAITING
    _consumers: list[Consumer] = field(default_factory=list)
    _threads: list[threading.Thread] = field(default_factory=list)
    _matches: Gate = field(init=False)
    _checks: Gate = field(init=False)
    _reviews: Gate = field(init=False)
    _fitness: Fitness = field(init=False)
    _bells: Bells | None = None
    _clock: Clock | None = None

    def __post_init__(self) -> None:
        self._matches = Gate(self.settings.slots)
        self._checks = Gate(1)
        self._reviews = Gate(1)
        self._fitness = Fitness(self.admission, self.database, self.name)
        if not self.plays:
            self._state = WorkerState.UP

    def start(self) -> None:
        """Begin to take matches once the checks pass; returns at once."""
        patiently(self.sign)
        patiently(self._reclaim_dead_workers)
        self._bells = Bells(self.settings)
        self._bells.on_problem = self._broker_told
        self._run("signs of life", self._signs)
        self._run("canary", lambda: self.metrics.watch_lateness(self._stopping))
        if self.plays:
            if self.slots is not None:
                self.slots.start()
            for number in range(self.settings.slots):
                self._run(f"slot {number}", self._slot)
            self._run("checks", self._check_slot)
            if self.review is not None:
                self._run("reviews", self._review_slot)
            self._run("admission", self._examinations)
        else:
            self._set_state(WorkerState.UP)
        if self.clock:
            self._clock = Clock(self.settings, self.database, self.name, self._bells, self.metrics)
            self._clock.start()

    def _run(self, name: str, target: Callable[[], object]) -> None:
        thread = threading.Thread(target=target, name=name, daemon=True)
        thread.start()
        self._threads.append(thread)

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

    # Taking matches.

    @property
    def _takes(self) -> bool:
        return self._state is WorkerState.UP and not self._draining.is_set()

    def _slot(self) -> None:
        """One slot: play what waits, and sleep until a bell or the poll."""
        while not self._draining.is_set():
            if not (self._takes and self._play_next()):
                self._matches.wait(jittered(self.settings.poll_seconds))

    def _play_next(self) -> bool:
        """Claim and play one match; False: there was none.

        A claim is made by a free slot only, and on a fit host only.
        """
        try:
            with self.database.read() as session:
                if not store.attempts.any_queued(session):
                    return False
            with self._seated() as stage:
                if stage is None or not self._takes:
                    return False
                attempt = self._player(stage).claim_next()
                if attempt is None:
                    return False
                self._play(attempt, stage)
        except Exception as error:
            LOG.warning("no match claimed", error=_line(error))
            self._examine_now.set()
            return False
        return True

    def _seated(self) -> AbstractContextManager[Stage | None]:
        """Where to play, once this machine is fit for it; until then nothing is claimed."""
        if self.admitted is None:
            return nullcontext(self.stage)
        return self.admitted(lambda: not self._takes)

    def _play(self, attempt: store.Attempt, stage: Stage) -> None:
        self._matches.enter()
        begun = time.monotonic()
        again = None
        try:
            # Whatever is logged on the way, also by libraries, says which match it belongs to.
            with structlog.contextvars.bound_contextvars(match=match_name(attempt.match_id)):
                again = self._player(stage).play_claimed(attempt)
        except Exception:
            # The lease ends the attempt; the slot has to live on.
            LOG.exception("slot failed", match=match_name(attempt.match_id))
        finally:
            self.metrics.match_seconds.observe(time.monotonic() - begun)
            self._matches.leave()
        self._after(again)

    def _after(self, again: store.Doorbell | None) -> None:
        """Ring for a match that waits again; who may be the clock fills the queue at once."""
        bells = [] if again is None else [again]
        if self._clock is not None and self._clock.leads:
            try:
                bells += clockwork.fill(self.database, self.settings, self._clock.fields)
            except Exception as error:
                LOG.warning("queue not filled", error=_line(error))
        if self._bells is not None:
            self._bells.ring(clockwork.Due(matches=tuple(bells), submissions=()), again=True)
        for _ in bells:
            self._matches.ring()

    def _player(self, stage: Stage) -> Player:
        return Player(
            self.database,
            self.settings,
            stage,
            self.name,
            self._stopping,
            self.watch,
            is_fit=self._is_fit,
            told=self.metrics.ended,
            fetch=self.fetch,
        )

    def _check_slot(self) -> None:
        """Submissions: one at a time, found by a bell or by looking."""
        while not self._draining.is_set():
            if self._takes:
                self._check_waiting()
            self._checks.wait(jittered(self.settings.poll_seconds))

    def _check_waiting(self) -> None:
        try:
            with self.database.read() as session:
                waiting = store.bots.unclaimed_submissions(session)
            for submission_id in waiting:
                if not self._takes:
                    return
                self._checks.enter()
                try:
                    self.check(submission_id)
                finally:
                    self._checks.leave()
        except Exception as error:
            LOG.warning("no submission checked", error=_line(error))
            self._examine_now.set()

    def _review_slot(self) -> None:
        """Reviews: one at a time, found by a bell or by looking."""
        while not self._draining.is_set():
            if not (self._takes and self._review_next()):
                self._reviews.wait(jittered(self.settings.poll_seconds))

    def _review_next(self) -> bool:
        assert self.review is not None
        self._reviews.enter()
        try:
            return self.review(self._draining)
        except Exception as error:
            # Whatever it is, matches go on; the lease gives the review to another.
            LOG.warning("no review made", error=_line(error))
            return False
        finally:
            self._reviews.leave()

    # Bells.

    def _listen(self) -> None:
        """Hear bells; a worker that takes nothing must leave them to the others."""
        with self._lock:
            if self._consumers or self._draining.is_set():
                return
            heard = [("matches", MATCH_QUEUES), ("checks", (CHECKS,))]
            if self.review is not None:
                heard.append(("reviews", (REVIEWS,)))
            for role, queues in heard:
                consumer = Consumer(f"{role}@{self.name}", self._make_app, queues, 1)
                consumer.start()
                self._consumers.append(consumer)

    def _stop_listening(self) -> None:
        with self._lock:
            gone, self._consumers = self._consumers, []
        usual = socket.getdefaulttimeout()
        threads = [
            threading.Thread(target=one.stop, name=f"stop {one.name}", daemon=True) for one in gone
        ]
        # Each takes a second or two to leave its loop, so they leave together.
        for thread in threads:
            thread.start()
        for thread, consumer in zip(threads, gone, strict=True):
            thread.join(timeout=10)
            consumer.join(10)
        # Celery sets this for the whole process while it stops; several at once leave it set.
        socket.setdefaulttimeout(usual)

    def _make_app(self) -> Celery:
        app = make_celery(self.settings)
        jobs = Jobs(
            play=self._bell(self._matches),
            check=self._bell(self._checks),
            review=self._bell(self._reviews),
        )
        register(app, jobs)
        return app

    def _bell(self, gate: Gate) -> Callable[[int], object]:
        # Kept until a slot is free: a busy worker would swallow what an idle one could use.
        def hear(_: int) -> None:
            while not gate.ring_when_free(1.0):
                # Who stops listening waits for us, and may be the slot that would have to get free.
                if not self._takes:
                    return

        return hear

    def _broker_told(self, problem: str | None) -> None:
        if problem is not None:
            self.metrics.broker_failures.inc()

    # Admission.

    def _examinations(self) -> None:
        while not self._stopping.is_set():
            self._examine()
            open_ = self._state is WorkerState.UP
            pause = jittered(self.settings.check_seconds) if open_ else CLOSED_SECONDS
            self._examine_now.wait(min(pause, self.settings.check_seconds * 1.5))
            self._examine_now.clear()
            if self._draining.is_set():
                return

    def _is_fit(self) -> bool:
        """Examine this worker after a failure, so that no match pays for what is wrong here."""
        return self._examine() is WorkerState.UP

    def _examine(self) -> WorkerState:
        verdict = self._fitness.examine()
        self.metrics.examined(verdict)
        self._set_state(verdict.state)
        return verdict.state

    def _set_state(self, state: WorkerState) -> None:
        """Take a state, say so, and listen for bells or leave them to the others."""
        with self._changing:
            if self._draining.is_set():
                return
            before, self._state = self._state, state
            self.metrics.is_in(state)
            if state is WorkerState.UP and self.plays:
                self._listen()
                self._matches.wake_all()
                self._checks.wake_all()
                self._reviews.wake_all()
            elif state is not WorkerState.UP:
                self._stop_listening()
                # The examinations come quickly now, so that it returns soon.
                if state is not before:
                    self._examine_now.set()
        if state is not before:
            self._announce(before, state)
            self._try_to_sign()

    def _announce(self, before: WorkerState, state: WorkerState) -> None:
        verdict = self.admission.verdict
        if state is WorkerState.QUARANTINED:
            for name in verdict.own:
                self.metrics.quarantines.labels(name).inc()
            LOG.error("worker in quarantine", worker=self.name, reason=verdict.words)
        elif state is WorkerState.WAITING:
            LOG.warning("worker waits", worker=self.name, reason=verdict.words)
        else:
            LOG.info("worker takes matches", worker=self.name, before=before.value)

    def tick(self) -> None:
        """Turn the clock now, without waiting for its timer."""
        assert self._clock is not None, "this worker is no clock"
        self._clock.tick()

    # Signs of life.

    def sign(self) -> None:
        """Say that this worker lives, and what it is doing."""
        row = store.Worker(
            name=self.name,
            state=self._state,
            host=self.host,
            pid=os.getpid(),
            slots=self.settings.slots if self.plays else 0,
            busy=self.busy,
            queues=list(MATCH_QUEUES),
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
        with self.database.write() as session:
            store.workers.beat(session, row)

    def _signs(self) -> None:
        while not self._stopping.wait(BEAT_SECONDS):
            self._try_to_sign()

    def _try_to_sign(self) -> None:
        """Nothing depends on a single sign: the database may be restarting."""
        try:
            self.sign()
        except Exception as error:
            # The next one comes in seconds.
            LOG.warning("no sign of life", error=_line(error))

    @property
    def busy(self) -> int:
        """Matches being played now."""
        return self._matches.busy

    @property
    def state(self) -> WorkerState:
        """What this worker says of itself."""
        return self._state

    def drain(self, seconds: float) -> bool:
        """Take no more matches and let the running ones end; False when time ran out first."""
        self._begin_to_drain()
        self._stop_listening()
        deadline = time.monotonic() + seconds
        while self.busy and time.monotonic() < deadline and not self._stopping.is_set():
            time.sleep(0.05)
        idle = self.busy == 0
        self.stop()
        return idle

    def _begin_to_drain(self) -> None:
        with self._changing:
            self._draining.set()
            self._state = WorkerState.DRAINING
            self.metrics.is_in(self._state)
        self._examine_now.set()
        self._matches.wake_all()
        self._checks.wake_all()
        self._reviews.wake_all()
        self._try_to_sign()
        if self._clock is not None:
            self._clock.stop()

    def stop(self) -> None:
        """End now: running matches go back to the queue and count against nobody."""
        if not self._draining.is_set():
            self._begin_to_drain()
        self._stopping.set()
        if self.slots is not None:
            self.slots.close()
        self._stop_listening()
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
            if not self.busy:
                let_go, self.let_go = self.let_go, lambda: None
                let_go()


def _line(error: Exception) -> str:
    """The first line of an error: a database's has many, and the traceback is in the log."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
