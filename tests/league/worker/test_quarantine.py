"""A broken worker beside a healthy one: it harms no match, says what is wrong, and comes back."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn

import store
from dashboard.http import create_files_app
from league.matches.inprocess import InProcessStage
from league.seasons.plan import SeasonPlan
from league.settings import LeagueSettings
from league.wiring import join_store, worker_checks
from league.worker import Admission, Check, submission_checks
from league.worker.worker import Worker
from store import AttemptState, Blobs, MatchState, SeasonState, Store, WorkerState
from tests.factories import add_bots, open_store
from tests.league.world import season_in, settings, state_of, wait_for

PLAN = SeasonPlan(name="spring", rules="six-nimmt", options={"rounds": 1}, boards=8, meetings=2)
PASSWORD, WRONG = "between workers", "of another league"


@contextmanager
def file_service(folder: Path, password: str, port: int = 0) -> Iterator[int]:
    """The real file service on loopback; gives its port."""
    app = create_files_app(Blobs(folder / "replays"), folder / "uploads", password)
    with socket.create_server(("127.0.0.1", port)) as sock:
        server = uvicorn.Server(uvicorn.Config(app, log_config=None))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]})
        thread.start()
        try:
            yield sock.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def running(worker: Worker) -> Iterator[Worker]:
    worker.start()
    try:
        yield worker
    finally:
        worker.stop()


def joined(chosen: LeagueSettings) -> tuple[Worker, InProcessStage]:
    """A worker as `bullring worker --no-clock` makes it, on a stage that plays at once."""
    database = join_store(chosen)
    checks = worker_checks(chosen, database)
    stage = InProcessStage()
    admission = Admission(checks)
    worker = Worker(
        chosen, database, stage, clock=False, name="other",
        admission=admission,
    )  # fmt: skip
    return worker, stage


def row(database: Store, name: str) -> store.Worker:
    with database.read() as session:
        return store.present(session, store.Worker, name)


def finished(database: Store, season_id: int) -> bool:
    return state_of(database, season_id) is SeasonState.FINISHED


def every_match_is_done_and_charged_nothing(database: Store, season_id: int) -> None:
    with database.read() as session:
        for match in store.match_lists.matches(session, season_id=season_id):
            assert match.state is MatchState.DONE
            attempts = store.match_lists.attempts(session, match.id)
            assert not [one for one in attempts if one.state is AttemptState.VOID and one.charged]


def test_a_worker_with_a_wrong_files_password_takes_nothing_and_the_season_is_whole(
    tmp_path: Path,
) -> None:
    with file_service(tmp_path, PASSWORD) as port:
        chosen = settings(tmp_path, files_url=f"http://127.0.0.1:{port}", poll_seconds=0.1)
        database = open_store(chosen)
        season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
        broken, stage = joined(chosen.model_copy(update={"worker_password": WRONG}))
        healthy = Worker(chosen, database, InProcessStage(), name="healthy")
        with running(broken), running(healthy):
            wait_for(lambda: finished(database, season.id))
            wait_for(lambda: row(database, "other").state is WorkerState.QUARANTINED)
    assert stage.played == []
    assert "BULLRING_FILES_PASSWORD" in str(row(database, "other").detail["problems"])
    every_match_is_done_and_charged_nothing(database, season.id)


@pytest.mark.heavy
def test_files_refused_in_mid_season_cost_no_match_and_the_worker_returns_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("league.worker.standing.CLOSED_SECONDS", 0.2)
    with file_service(tmp_path, PASSWORD) as port:
        chosen = settings(
            tmp_path,
            files_url=f"http://127.0.0.1:{port}",
            worker_password=PASSWORD,
            poll_seconds=0.1,
        )
        database = open_store(chosen)
        season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
        worker, stage = joined(chosen)
    clock = Worker(chosen, database, InProcessStage(), plays=False)
    with running(clock):
        with file_service(tmp_path, PASSWORD, port):
            worker.start()
            wait_for(lambda: bool(stage.played))
        with file_service(tmp_path, WRONG, port):
            wait_for(lambda: row(database, "other").state is WorkerState.QUARANTINED)
        with file_service(tmp_path, PASSWORD, port):
            wait_for(lambda: finished(database, season.id))
            worker.stop()
    every_match_is_done_and_charged_nothing(database, season.id)


def test_a_worker_that_fails_unseen_leaves_its_matches_to_the_others_and_is_blamed(
    tmp_path: Path,
) -> None:
    chosen = settings(tmp_path, poll_seconds=0.1, check_seconds=0.2)
    database = open_store(chosen)
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    broken_stage = InProcessStage()
    broken_stage.fail = lambda _: True
    broken = Worker(chosen, database, broken_stage, clock=False, name="broken")
    healthy = Worker(chosen, database, InProcessStage(seconds=0.2), name="healthy")
    with running(healthy):
        wait_for(lambda: row(database, "healthy").state is WorkerState.UP)
        with running(broken):
            wait_for(lambda: row(database, "broken").state is WorkerState.QUARANTINED)
            wait_for(lambda: finished(database, season.id))
    assert "other workers" in str(row(database, "broken").detail["problems"])
    with database.read() as session:
        matches = store.match_lists.matches(session, season_id=season.id)
    assert {match.state for match in matches} == {MatchState.DONE}


def test_a_quarantined_worker_leaves_the_bells_to_the_others(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    database = open_store(chosen)
    wrong: list[str] = ["the disk is full"]

    def look() -> str | None:
        return wrong[0] if wrong else None

    worker = Worker(
        chosen,
        database,
        InProcessStage(),
        work=[submission_checks(database, lambda _: None)],
        admission=Admission([Check(name="disk", look=look)]),
    )
    with running(worker):
        wait_for(lambda: row(database, worker.name).state is WorkerState.QUARANTINED)
        assert worker._listening.consumers == []
        counted = worker.metrics.quarantines.labels("disk")._value.get()
        assert counted == 1
        wrong.clear()
        worker._standing.examine_soon()
        wait_for(lambda: row(database, worker.name).state is WorkerState.UP)
        assert len(worker._listening.consumers) == 2
