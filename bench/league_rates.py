"""How many matches a second go through queue, claim and storing: measured for bench.league.

    python -m bench.league_rates FOLDER [--no-clock]

is a worker of the measurement, in a process of its own.
"""

import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import store
from bench.leagues import season
from bench.options import described
from bench.stages import Instant
from league import worker as league_worker
from league.seasons import SeasonPlan
from league.settings import LeagueSettings
from league.wiring import open_store
from league.worker import Worker
from store import SeasonState, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Matches a second, when playing costs nothing."""

    enqueued: float
    rung: float
    """Bells for them, put into the queue."""
    played: float
    """Claimed, played in no time and stored."""


def measure(folder: Path, queued: int, workers: int, *, scaled: bool) -> Rates:
    """Send about `queued` matches through queue, claim and storing."""
    settings = LeagueSettings(
        data_dir=folder, slots=1 if scaled else workers, tick_seconds=1.0, stale_seconds=5.0
    )
    if not scaled:
        settings = settings.model_copy(update={"redis_url": None, "database_url": None})
    database = open_store(settings)
    names = [f"house/{name}" for name in ("random", "lowest", "highest", "gap", "leastcost")]
    plan = SeasonPlan(
        name=f"rate-{secrets.token_hex(4)}",
        rules="six-nimmt",
        options={"rounds": 1},
        table=2,
        boards=2,
        duplicate=False,
        meetings=max(1, queued // 10),
    )
    season_id = season(database, plan, names)
    with database.write() as session:
        first = time.perf_counter()
        bells = store.matches.enqueue(session, limit=queued // 2, season_id=season_id)
    enqueued = len(bells) / (time.perf_counter() - first)
    app = league_worker.make_celery(settings)
    first = time.perf_counter()
    league_worker.ring(app, league_worker.Due(matches=tuple(bells), submissions=()))
    rung = len(bells) / (time.perf_counter() - first)
    played = drained(database, settings, season_id, workers, scaled=scaled)
    return Rates(enqueued=enqueued, rung=rung, played=played)


def drained(
    database: Store, settings: LeagueSettings, season_id: int, workers: int, *, scaled: bool
) -> float:
    """Matches a second from the first result to the last."""
    with working(database, settings, workers, scaled=scaled):
        while _done(database, season_id) < 1:
            time.sleep(0.01)
        first, began = _done(database, season_id), time.perf_counter()
        while True:
            time.sleep(0.1)
            with database.read() as session:
                if store.seasons.season(session, season_id).state is SeasonState.FINISHED:
                    break
        taken = time.perf_counter() - began
    return (_done(database, season_id) - first) / taken


def _done(database: Store, season_id: int) -> int:
    with database.read() as session:
        return store.seasons.progress(session, season_id).done


@contextmanager
def working(
    database: Store, settings: LeagueSettings, workers: int, *, scaled: bool
) -> Iterator[None]:
    """Workers on the instant stage: threads of this process, or processes."""
    if not scaled:
        worker = Worker(settings, database, Instant())
        worker.start()
        yield
        worker.stop()
        return
    command = [sys.executable, "-m", "bench.league_rates", str(settings.data_dir)]
    # One of them runs the clock, as in a league of many machines.
    running = [subprocess.Popen([*command, "--no-clock"]) for _ in range(workers - 1)]
    running.append(subprocess.Popen(command))
    try:
        yield
    finally:
        for process in running:
            process.send_signal(signal.SIGTERM)
        for process in running:
            process.wait()


def serve(folder: Path, *, clock: bool) -> None:
    """What a worker process of this benchmark does."""
    settings = LeagueSettings(data_dir=folder, slots=1, tick_seconds=1.0, stale_seconds=5.0)
    database = open_store(settings)
    worker = Worker(settings, database, Instant(), clock=clock)
    asked = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: asked.set())
    worker.start()
    asked.wait()
    worker.stop()


if __name__ == "__main__":
    parser = described(__doc__)
    parser.add_argument("folder", type=Path, help="of the league")
    parser.add_argument("--no-clock", action="store_true", help="another process is the clock")
    given = parser.parse_args()
    serve(given.folder, clock=not given.no_clock)
