"""Three workers, one of them broken: the season comes to the right end by itself, and it is told.

What each disturbance must ring is in `tests/deploy/test_alerts.py`; here the state that it rings
for is seen in the database.
"""

import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn

import store
from dashboard.http import create_files_app
from store import AttemptState, MatchState, SeasonState, WorkerState
from tests.chaos.rig import Rig, WorkerProcess, rig
from tests.chaos.season import start_season, state_of, wait_for

PASSWORD = "between workers"
Break = Callable[[Rig], WorkerProcess | None]


@contextmanager
def file_service(folder: Path) -> Iterator[str]:
    app = create_files_app(store.Blobs(folder / "replays"), folder / "uploads", PASSWORD)
    with socket.create_server(("127.0.0.1", 0)) as sock:
        server = uvicorn.Server(uvicorn.Config(app, log_config=None))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{sock.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def says(league: Rig, worker: WorkerProcess, state: WorkerState, check: str) -> bool:
    row = league.row_of(worker)
    problems = row.detail.get("problems") if row is not None else None
    return (
        row is not None and row.state is state and isinstance(problems, dict) and check in problems
    )


def end_of(league: Rig, season_id: int) -> None:
    """The season ends by itself, with every match played once."""
    deadline = time.monotonic() + 300
    while state_of(league.database, season_id) is not SeasonState.FINISHED:
        league.check_workers()
        assert time.monotonic() < deadline, league.told()
        time.sleep(0.2)
    with league.database.read() as session:
        for match in store.match_lists.matches(session, season_id=season_id, limit=1000):
            states = [one.state for one in store.match_lists.attempts(session, match.id)]
            assert match.state is MatchState.DONE
            assert states.count(AttemptState.DONE) == 1


@pytest.mark.heavy
@pytest.mark.redis
@pytest.mark.postgres
@pytest.mark.timeout(600)
def test_a_wrong_files_password_harms_no_match(tmp_path: Path) -> None:
    with rig(tmp_path / "league") as league, file_service(tmp_path / "league") as files:
        bad = league.start_worker(
            may_be_clock=False, BULLRING_FILES_URL=files, BULLRING_WORKER_PASSWORD="wrong"
        )
        for _ in range(2):
            league.start_worker(BULLRING_FILES_URL=files, BULLRING_WORKER_PASSWORD=PASSWORD)
        wait_for(lambda: says(league, bad, WorkerState.QUARANTINED, "files"), "it is quarantined")
        end_of(league, start_season(league.database, 3, 2))


@pytest.mark.heavy
@pytest.mark.redis
@pytest.mark.postgres
@pytest.mark.timeout(600)
def test_a_wrong_redis_database_is_told_and_the_worker_plays_all_the_same(tmp_path: Path) -> None:
    with rig(tmp_path) as league:
        for _ in range(2):
            league.start_worker()
        other = league.settings.broker.rsplit("/", 1)[0] + "/7"
        lost = league.start_worker(may_be_clock=False, BULLRING_REDIS_URL=other)
        wait_for(lambda: says(league, lost, WorkerState.UP, "broker"), "it misses the clock")
        end_of(league, start_season(league.database, 3, 2))


@pytest.mark.heavy
@pytest.mark.redis
@pytest.mark.postgres
@pytest.mark.timeout(600)
def test_a_worker_whose_disk_is_full_from_the_first_moment_takes_nothing(tmp_path: Path) -> None:
    with rig(tmp_path) as league:
        full = league.start_worker(may_be_clock=False, BULLRING_DISK_MIN_BYTES=str(2**60))
        for _ in range(2):
            league.start_worker()
        wait_for(lambda: says(league, full, WorkerState.QUARANTINED, "disk"), "it is quarantined")
        end_of(league, start_season(league.database, 3, 2))


@pytest.mark.heavy
@pytest.mark.redis
@pytest.mark.postgres
@pytest.mark.timeout(600)
def test_a_worker_whose_files_connection_is_a_black_hole_harms_no_match(tmp_path: Path) -> None:
    # It takes connections and says nothing, ever.
    with socket.create_server(("127.0.0.1", 0), backlog=50) as hole, rig(tmp_path) as league:
        swallowed = league.start_worker(
            may_be_clock=False,
            BULLRING_FILES_URL=f"http://127.0.0.1:{hole.getsockname()[1]}",
            BULLRING_WORKER_PASSWORD=PASSWORD,
            BULLRING_FILES_SECONDS="2",
        )
        for _ in range(2):
            league.start_worker()
        wait_for(lambda: says(league, swallowed, WorkerState.WAITING, "files"), "it waits")
        end_of(league, start_season(league.database, 3, 2))


@pytest.mark.heavy
@pytest.mark.redis
@pytest.mark.postgres
@pytest.mark.timeout(600)
def test_a_season_is_played_to_its_end_when_redis_is_gone_for_good(tmp_path: Path) -> None:
    with rig(tmp_path) as league:
        workers = [league.start_worker() for _ in range(3)]
        wait_for(lambda: league.row_of(workers[0]) is not None, "a worker is there")
        assert league.redis is not None
        league.redis.end(signal.SIGKILL)
        season_id = start_season(league.database, 3, 2)
        wait_for(lambda: says(league, workers[0], WorkerState.UP, "broker"), "it misses Redis")
        end_of(league, season_id)
