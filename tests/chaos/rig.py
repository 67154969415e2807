"""A scaled league of real parts: workers as processes, Redis, PostgreSQL, gRPC bots."""

import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import store
from league import rating, seasons
from league.broker import PLAY, make_app
from league.seasons import SeasonPlan
from league.settings import LeagueSettings
from league.wiring import make_worker, open_store
from store import AttemptState, MatchState, SeasonState, Store
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
from tests.league.world import fix_keys

ROOT = Path(__file__).resolve().parents[2]
BOTS = ("random", "lowest", "highest", "gap", "slotrisk", "leastcost")
LEASE = 4.0
# Nobody times out however busy the machine is, so that every run has the same results.
CALM = {"move_ms": 60_000, "bank_ms": 600_000, "start_ms": 300_000}
ORGANISER = "the organiser"


def start_season(database: Store, bots: int, meetings: int) -> int:
    """A running season of duels with known keys; `bots * (bots - 1) / 2 * meetings` matches."""
    plan = SeasonPlan(
        name="chaos",
        rules="six-nimmt",
        options={"rounds": 1},
        table_size=2,
        boards=4,
        duplicate=False,
        meetings=meetings,
        time=CALM,
    )
    with database.write() as session:
        season = seasons.create(session, plan, ORGANISER)
        for name in BOTS[:bots]:
            seasons.enter(session, season.id, f"house/{name}", ORGANISER)
        seasons.open_entries(session, season.id, ORGANISER)
        seasons.freeze(session, season.id, ORGANISER)
    fix_keys(database, season.id)
    with database.write() as session:
        seasons.start(session, season.id, ORGANISER)
    return season.id


def outcome(database: Store, season_id: int) -> dict[str, Any]:
    """All that a season came to, for comparing two of them."""
    with database.read() as session:
        ladder_id = store.seasons.ladder_of(session, season_id).id
    table = rating.refresh(database, ladder_id)
    assert table is not None
    with database.read() as session:
        matches = sorted(
            store.pages.matches(session, season_id=season_id, limit=10_000), key=lambda m: m.id
        )
        games = [
            [(game.board, game.seats, game.points) for game in store.results.games(session, m.id)]
            for m in matches
        ]
        stored = store.seasons.season(session, season_id).standings or {}
    chance = {"median_ms", "worst_ms", "void_rate"}
    rows: list[dict[str, Any]] = stored["rows"]  # type: ignore[assignment]
    shown = {
        "rows": [{k: v for k, v in row.items() if k not in chance} for row in rows],
        "crosstable": stored["crosstable"],
    }
    # As lines, because a difference of two such texts can be read.
    return {"games": games, "table": json.dumps(shown, sort_keys=True, indent=1).splitlines()}


def undisturbed(folder: Path, bots: int, meetings: int) -> dict[str, Any]:
    """The same season on the embedded default, with nothing going wrong."""
    chosen = LeagueSettings(
        data_dir=folder,
        database_url=None,
        redis_url=None,
        slots=2,
        tick_seconds=0.5,
        lease_seconds=120,
    )
    database = open_store(chosen)
    season_id = start_season(database, bots, meetings)
    worker = make_worker(chosen, database)
    worker.start()
    try:
        wait_for(lambda: state_of(database, season_id) is SeasonState.FINISHED, 1500)
    finally:
        worker.stop()
    return outcome(database, season_id)


def state_of(database: Store, season_id: int) -> SeasonState:
    with database.read() as session:
        return store.seasons.season(session, season_id).state


def wait_for(what: Callable[[], object], seconds: float = 120.0) -> None:
    """Until it is so. The limit is against hanging; no timing is tested."""
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


@dataclass(slots=True)
class WorkerProcess:
    """A `bullring worker` and what it says."""

    process: subprocess.Popen[str]
    clock: bool
    lines: list[str] = field(default_factory=list)

    @property
    def pid(self) -> int:
        return self.process.pid

    def listen(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as said:
            self.lines.extend(said)

    def said(self, words: str) -> bool:
        return any(words in line for line in self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A kill that was seen to end a match in its middle."""

    match_id: int
    attempt: int
    below: int
    """Processes (referee, guards, bots) that were running for the match."""


@dataclass(slots=True)
class Rig:
    """The league under test, and the ways to hurt it."""

    settings: LeagueSettings
    database: Store
    redis: Server | None = None
    postgres: Server | None = None
    workers: list[WorkerProcess] = field(default_factory=list)
    hits: list[Hit] = field(default_factory=list)
    left_behind: set[tuple[int, str]] = field(default_factory=set)
    said: list[str] = field(default_factory=list)

    def start_worker(self) -> WorkerProcess:
        """One more worker; two of those alive run the clockwork, at the same time."""
        clock = sum(worker.clock for worker in self.workers) < 2
        command = [sys.executable, "-m", "cli", "worker", "--slots", "1"]
        command.append("--clock" if clock else "--no-clock")
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        worker = WorkerProcess(process, clock)
        threading.Thread(target=worker.listen, daemon=True).start()
        self.workers.append(worker)
        return worker

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
        }

    def playing(self, worker: WorkerProcess) -> store.Match | None:
        """The match that a worker is in the middle of, for the first time."""
        with self.database.read() as session:
            for match in store.pages.matches(session, states=(MatchState.RUNNING,)):
                mine = f"-{worker.pid}-" in (match.worker or "")
                if mine and match.failures == 0 and match.attempts == 1:
                    return match
        return None

    def kill_in_mid_match(self) -> bool:
        """Kill a worker whose bots are playing; False: there was none, or the match was faster."""
        for worker in self.workers:
            match = self.playing(worker)
            # The referee, and for two bots their guards and they themselves.
            if match is None or len(below := descendants(worker.pid)) < 5:
                continue
            kill_hard(worker.pid)
            worker.process.wait()
            self.forget(worker)
            with self.database.read() as session:
                attempt = store.pages.attempts(session, match.id)[0]
            wait_for(lambda below=below: not still_there(below))  # type: ignore[misc]
            self.left_behind |= still_there(below)
            if attempt.state is AttemptState.DONE:
                return False
            self.hits.append(Hit(match_id=match.id, attempt=1, below=len(below)))
            return True
        return False

    def forget(self, worker: WorkerProcess) -> None:
        self.workers.remove(worker)
        self.said += worker.lines

    def double_messages(self) -> None:
        """Ring twice for every match there is, whatever its state."""
        app = make_app(self.settings)
        with self.database.read() as session:
            every = store.pages.matches(session, limit=10_000)
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

    def jump_clock(self) -> None:
        """What a jump of the database's clock does: all leases have run out at once."""
        wait_for(lambda: any(self.playing(worker) for worker in self.workers))
        with self.database.write() as session:
            for match in store.pages.matches(session, states=(MatchState.RUNNING,)):
                row = store.locked(session, store.Match, match.id)
                if row.state is MatchState.RUNNING and row.failures == 0:
                    row.lease_until = row.created_at

    def fill_disk(self) -> None:
        """No worker can write a file of more than a few bytes until one has noticed."""
        for worker in self.workers:
            resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (16, resource.RLIM_INFINITY))
        wait_for(lambda: any(worker.said("result waits") for worker in self.workers))
        for worker in self.workers:
            free = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
            resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, free)

    def stop_workers(self) -> None:
        """End everything in good order; bots that are still there then are counted."""
        below: set[tuple[int, str]] = set()
        for worker in list(self.workers):
            below |= descendants(worker.pid)
            worker.process.send_signal(signal.SIGTERM)
        for worker in list(self.workers):
            try:
                worker.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                worker.process.kill()
                worker.process.wait()
            self.forget(worker)
        self.left_behind |= still_there(below)


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
        league = Rig(settings, database, redis_server, postgres)
        stack.callback(database.close)
        stack.callback(league.stop_workers)
        yield league
