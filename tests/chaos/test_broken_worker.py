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
from tests.chaos.season import (
    hold_back,
    let_go,
    outcome,
    start_season,
    state_of,
    undisturbed,
    wait_for,
)
from tests.chaos.services import on_full_disk, on_machine

PASSWORD = "between workers"
BOTS, MEETINGS = 3, 2
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


def check_outcome(league: Rig, season_id: int, folder: Path, bots: int, meetings: int) -> None:
    """All that the season came to is what it comes to when nothing goes wrong."""
    assert outcome(league.database, season_id) == undisturbed(folder, bots, meetings)


def played_right(league: Rig, season_id: int, folder: Path) -> None:
    """The season ends by itself, and right."""
    end_of(league, season_id)
    check_outcome(league, season_id, folder, BOTS, MEETINGS)


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
        played_right(league, start_season(league.database, BOTS, MEETINGS), tmp_path / "calm")


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
        played_right(league, start_season(league.database, BOTS, MEETINGS), tmp_path / "calm")


@pytest.mark.heavy
@pytest.mark.redis
@pytest.mark.postgres
@pytest.mark.timeout(600)
def test_a_worker_whose_disk_is_full_from_the_first_moment_takes_nothing(tmp_path: Path) -> None:
    with rig(tmp_path) as league:
        league.settings.blobs.mkdir(exist_ok=True)
        disk = on_full_disk(league.settings.blobs)
        full = league.start_worker(may_be_clock=False, inside=disk, BULLRING_DISK_MIN_BYTES="0")
        for _ in range(2):
            league.start_worker()
        wait_for(lambda: says(league, full, WorkerState.QUARANTINED, "disk"), "it is quarantined")
        played_right(league, start_season(league.database, BOTS, MEETINGS), tmp_path / "calm")


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
        played_right(league, start_season(league.database, BOTS, MEETINGS), tmp_path / "calm")


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
        season_id = start_season(league.database, BOTS, MEETINGS)
        wait_for(lambda: says(league, workers[0], WorkerState.UP, "broker"), "it misses Redis")
        played_right(league, season_id, tmp_path / "calm")


@pytest.mark.heavy
@pytest.mark.redis
@pytest.mark.postgres
@pytest.mark.timeout(600)
def test_a_worker_takes_no_match_of_another_that_has_the_name_of_its_machine_and_its_pid(
    tmp_path: Path,
) -> None:
    """As in two containers with one `hostname`: each is process 1 of a machine of that name."""
    same = on_machine("same")
    with rig(tmp_path) as league:
        season_id = start_season(league.database, BOTS, MEETINGS)
        hold_back(league.database, season_id)
        first = league.start_worker(inside=same, wrapped=True)
        let_go(league.database, season_id, 1)
        wait_for(lambda: first.pid in league.playing(), "it plays a match")
        second = league.start_worker(inside=same, wrapped=True)
        wait_for(lambda: league.row_of(second) is not None, "the second one has signed on")
        names = [str(worker.name).rsplit("-", 1)[0] for worker in (first, second)]
        assert names == ["same-1", "same-1"]
        let_go(league.database, season_id, BOTS * (BOTS - 1) // 2 * MEETINGS)
        played_right(league, season_id, tmp_path / "calm")
        with league.database.read() as session:
            for match in store.match_lists.matches(session, season_id=season_id, limit=1000):
                [attempt] = store.match_lists.attempts(session, match.id)
                assert attempt.state is AttemptState.DONE
