"""A scaled league of real parts: workers as processes, Redis, PostgreSQL, gRPC bots."""

import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from sqlmodel import col, select

import store
from league.settings import LeagueSettings
from league.wiring import open_store
from league.worker import make_celery
from league.worker.broker import PLAY
from store import Attempt, AttemptState, MatchState, Store
from tests.chaos.season import let_go, running, wait_for
from tests.chaos.services import (
    Server,
    descendants,
    empty_redis,
    kill_hard,
    lose_messages,
    own_postgres,
    own_redis,
    still_there,
)
from tests.ending import kill_group

ROOT = Path(__file__).resolve().parents[2]
# A worker that starts buries the dead ones of its machine, so a long lease delays nothing here; a
# short one would be lost on a busy machine by workers that live.
LEASE = 20.0
NAME = re.compile(r"Worker (\S+): \d+ slot")
"""What a worker says of itself when it begins."""
DUEL = 6
"""Processes below a worker that plays a duel: the zygote, the referee, two guards, two bots."""


@dataclass(slots=True)
class WorkerProcess:
    """A `bullring worker` and what it says."""

    process: subprocess.Popen[str]
    clock: bool
    wrapped: bool = False
    """Whether it is the only child of the process that we started."""
    lines: list[str] = field(default_factory=list)

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def name(self) -> str | None:
        """What it calls itself; None: it has not said. Two may have one machine and one pid."""
        found = (NAME.search(line) for line in list(self.lines))
        return next((one[1] for one in found if one is not None), None)

    def ask_to_end(self) -> None:
        """A signal to the worker itself."""
        if not self.wrapped:
            self.process.send_signal(signal.SIGTERM)
            return
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        with suppress(FileNotFoundError, ProcessLookupError):
            for child in map(int, children.read_text().split()):
                os.kill(child, signal.SIGTERM)

    def listen(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as said:
            self.lines.extend(said)

    def told(self) -> str:
        """The last of what was out of the ordinary."""
        return "".join([line for line in self.lines if '"level": "info"' not in line][-60:])


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """The end of a worker that was playing the first attempt at a match."""

    match_id: int
    below: int
    """Processes (zygote, referee, guards, bots) that were running for the match."""


@dataclass(slots=True)
class Rig:
    """The league under test, and the ways to hurt it."""

    settings: LeagueSettings
    database: Store
    season_id: int = 0
    redis: Server | None = None
    postgres: Server | None = None
    workers: list[WorkerProcess] = field(default_factory=list)
    kills: list[Kill] = field(default_factory=list)
    left_behind: set[tuple[int, str]] = field(default_factory=set)

    def start_worker(
        self,
        *,
        may_be_clock: bool = True,
        inside: Sequence[str] = (),
        wrapped: bool = False,
        **changed: str,
    ) -> WorkerProcess:
        """One more worker; two of those alive may be the clock. `changed`: its own settings.

        `inside`: the command that it runs in, which stays its parent if it is `wrapped`.
        """
        clock = may_be_clock and sum(worker.clock for worker in self.workers) < 2
        command = [*inside, sys.executable, "-m", "cli", "worker", "--slots", "1"]
        command.append("--clock" if clock else "--no-clock")
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**self.environment(), **changed},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            process_group=0,
        )
        worker = WorkerProcess(process, clock, wrapped)
        threading.Thread(target=worker.listen, daemon=True).start()
        self.workers.append(worker)
        return worker

    def row_of(self, worker: WorkerProcess) -> store.Worker | None:
        """What a worker says of itself."""
        with self.database.read() as session:
            found = store.workers.recent(session)
        return next((row for row in found if row.name == worker.name), None)

    def environment(self) -> dict[str, str]:
        chosen = self.settings
        others = {k: v for k, v in os.environ.items() if not k.startswith("BULLRING_")}
        if not chosen.embedded:
            others["BULLRING_DATABASE_URL"] = chosen.database
            others["BULLRING_REDIS_URL"] = chosen.broker
        return {
            **others,
            "BULLRING_DATA_DIR": str(chosen.data_dir),
            "BULLRING_LEASE_SECONDS": str(chosen.lease_seconds),
            "BULLRING_TICK_SECONDS": str(chosen.tick_seconds),
            "BULLRING_STALE_SECONDS": str(chosen.stale_seconds),
            "BULLRING_MATCH_SECONDS": str(chosen.match_seconds),
            "BULLRING_POLL_SECONDS": "0.5",
            "BULLRING_CHECK_SECONDS": "2",
            "BULLRING_REDIS_SECONDS": "2",
            # Other tests share this machine; a match must not wait for them.
            "BULLRING_FAIR_HOST": "0",
        }

    def check_workers(self) -> None:
        """Nobody has died but those whom we killed."""
        for worker in self.workers:
            code = worker.process.poll()
            assert code is None, f"a worker ended with {code}:\n{worker.told()}"

    def told(self) -> str:
        """What the workers say, for a league that does not go on."""
        return "\n".join([f"worker {one.pid}:\n{one.told()}" for one in self.workers])

    def playing(self) -> dict[int, store.Match]:
        """By pid: the match that a worker is in the middle of, for the first time."""
        fresh = [one for one in running(self.database) if one.failures == 0 and one.attempts == 1]
        return {
            worker.pid: match
            for worker in self.workers
            for match in fresh
            if worker.name is not None and match.worker == worker.name
        }

    def kill_in_mid_match(self) -> bool:
        """Kill a worker whose bots are playing and start another; False: there was none."""
        playing = self.playing()
        for worker in self.workers:
            match = playing.get(worker.pid)
            if match is None or len(below := descendants(worker.pid)) < DUEL:
                continue
            kill_hard(worker.pid)
            worker.process.wait()
            self.workers.remove(worker)
            self.start_worker()
            self.wait_for_end(below)
            self.kills.append(Kill(match_id=match.id, below=len(below)))
            return True
        return False

    def wait_for_end(self, below: set[tuple[int, str]]) -> None:
        """Processes end by themselves when their worker is gone; those that do not are counted."""
        try:
            wait_for(lambda: not still_there(below), "bots and referee ended with their worker")
        except AssertionError:
            self.left_behind |= still_there(below)

    def hits(self, state: AttemptState | None = None) -> list[Kill]:
        """The kills that ended an attempt: all but those that came when it had just delivered."""
        killed = [kill.match_id for kill in self.kills]
        query = select(Attempt.match_id, Attempt.state)
        query = query.where(col(Attempt.match_id).in_(killed), Attempt.number == 1)
        with self.database.read() as session:
            first = dict(session.exec(query).all())
        if state is not None:
            return [kill for kill in self.kills if first[kill.match_id] is state]
        return [kill for kill in self.kills if first[kill.match_id] is not AttemptState.DONE]

    def double_messages(self) -> None:
        """Ring twice for every match there is, whatever its state."""
        app = make_celery(self.settings)
        with self.database.read() as session:
            every = store.match_lists.matches(session, limit=10_000)
        for match in [*every, *every]:
            app.send_task(PLAY, args=[match.id], queue=match.queue)
        app.close()

    def lose_messages(self) -> None:
        lose_messages(self.settings.broker)

    def empty_redis(self) -> None:
        empty_redis(self.settings.broker)

    def kill_redis(self) -> None:
        assert self.redis is not None
        self.redis.end(signal.SIGKILL)
        time.sleep(1)
        self.redis.start()

    def restart_database(self) -> None:
        assert self.postgres is not None
        self.postgres.end(signal.SIGINT)
        time.sleep(1)
        self.postgres.start()

    def crash_database(self) -> None:
        assert self.postgres is not None
        self.postgres.end(signal.SIGQUIT)
        self.postgres.start()

    def feed(self) -> None:
        """Keep matches due that nobody has tried, but fewer than there are workers.

        Those whom nobody kills right now then use up as little of the season as possible.
        """
        let_go(self.database, self.season_id, max(1, len(self.workers) - 1))

    def jump_clock(self) -> None:
        """What a jump of the database's clock does: all leases have run out at once."""

        def somebody_plays() -> bool:
            self.feed()
            return bool(self.playing())

        wait_for(somebody_plays, "somebody played")
        every = running(self.database)
        with self.database.write() as session:
            for match in every:
                row = store.locked(session, store.Match, match.id)
                if row.state is MatchState.RUNNING and row.failures == 0:
                    row.lease_until = row.created_at

    def fill_disk(self) -> None:
        """No worker can write a file of more than a few bytes until one has noticed."""
        heard = {worker.pid: len(worker.lines) for worker in self.workers}

        def noticed() -> bool:
            self.feed()
            new = [line for worker in self.workers for line in worker.lines[heard[worker.pid] :]]
            told = ("result waits", "worker in quarantine")
            return any("no room" in line and any(one in line for one in told) for line in new)

        for worker in self.workers:
            resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (16, resource.RLIM_INFINITY))
        wait_for(noticed, "a worker noticed that the disk is full")
        for worker in self.workers:
            free = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
            resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, free)

    def stop_workers(self) -> None:
        """End everything in good order."""
        below: set[tuple[int, str]] = set()
        for worker in self.workers:
            below |= descendants(worker.pid)
            worker.ask_to_end()
        for worker in self.workers:
            try:
                worker.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                kill_group(worker.process)
        self.workers.clear()
        self.wait_for_end(below)


@contextmanager
def rig(folder: Path, *, embedded: bool = False) -> Iterator[Rig]:
    """A league on servers of its own, or embedded; whatever happens, no process stays."""
    with ExitStack() as stack:
        redis_server = postgres = redis_url = database_url = None
        if not embedded:
            redis_server, redis_url = stack.enter_context(own_redis())
            postgres, database_url = stack.enter_context(own_postgres())
        settings = LeagueSettings(
            data_dir=folder,
            database_url=database_url,
            redis_url=redis_url,
            lease_seconds=LEASE,
            tick_seconds=0.5,
            stale_seconds=2.0,
            match_seconds=600.0,
        )
        database = open_store(settings)
        league = Rig(settings, database, redis=redis_server, postgres=postgres)
        stack.callback(database.close)
        stack.callback(league.stop_workers)
        yield league
