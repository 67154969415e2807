"""What follows from the checks of a worker: it plays, waits for a service, or is in quarantine."""

import errno
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

import store
from league.wiring import worker_checks
from league.worker import Admission, Check, Elsewhere, disk_check, memory_check
from league.worker.admission import FIRST_PENALTY
from league.worker.fitness import ALONE_LIMIT, OTHERS_SECONDS, Fitness
from sandbox.owner import default_state_dir
from store import Store, WorkerState
from tests.factories import open_store
from tests.league.world import settings
from tests.store.support import finish, queued_matches, start


class FakeClock:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Service:
    """Something a worker needs, which can break."""

    def __init__(self, name: str = "files", *, hint: bool = False) -> None:
        self.own: str | None = None
        self.away: str | None = None
        self.check = Check(name=name, look=self.look, hint=hint)

    def look(self) -> str | None:
        if self.away is not None:
            raise Elsewhere(self.away)
        return self.own


@pytest.fixture
def database(tmp_path: Path) -> Store:
    return open_store(settings(tmp_path))


def test_a_worker_whose_checks_pass_is_up() -> None:
    assert Admission([Service().check]).examine().state is WorkerState.UP


def test_what_is_wrong_with_the_worker_alone_quarantines_it_and_passing_again_frees_it() -> None:
    service = Service()
    admission = Admission([service.check, Service("disk").check])
    service.own = "the password was refused"
    verdict = admission.examine()
    assert verdict.state is WorkerState.QUARANTINED
    assert verdict.words == "files: the password was refused"
    service.own = None
    assert admission.examine().state is WorkerState.UP


def test_a_shared_service_that_is_away_quarantines_no_worker() -> None:
    service = Service()
    service.away = "connection refused"
    assert Admission([service.check]).examine().state is WorkerState.WAITING


def test_a_hint_is_told_and_keeps_no_worker_from_playing() -> None:
    broker = Service("broker", hint=True)
    broker.own = "no clock rings there"
    verdict = Admission([broker.check]).examine()
    assert verdict.state is WorkerState.UP
    assert verdict.reasons == {"broker": "no clock rings there"}


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_worker_whose_folder_of_sockets_is_full_takes_no_matches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    replays, sockets = tmp_path / "replays", tmp_path / "run"
    check = disk_check((replays,), 0, lambda: (sockets,))
    assert Admission([check]).examine().state is WorkerState.UP
    real = tempfile.NamedTemporaryFile

    def full(**named: Any) -> Any:
        if named["dir"] == sockets:
            raise OSError(number, os.strerror(number))
        return real(**named)

    monkeypatch.setattr("tempfile.NamedTemporaryFile", full)
    verdict = Admission([check]).examine()
    assert verdict.state is WorkerState.QUARANTINED
    assert verdict.words == f"disk: {sockets} cannot be written: no room"


def test_every_folder_that_a_match_needs_is_probed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    probed: set[Path] = set()
    monkeypatch.setattr("league.worker.checks._probe", probed.add)
    chosen = settings(tmp_path)
    [disk] = [one for one in worker_checks(chosen, open_store(chosen)) if one.name == "disk"]
    disk.look()
    assert probed == {chosen.blobs, default_state_dir(), Path(tempfile.gettempdir())}


def test_a_machine_without_memory_for_bots_takes_no_matches_until_it_has_some() -> None:
    available = [200 * 2**20]
    admission = Admission([memory_check(256 * 2**20, lambda: available[0])])
    verdict = admission.examine()
    assert verdict.state is WorkerState.QUARANTINED
    assert verdict.words.startswith("memory: 200 MiB of memory are available, expected 256;")
    available[0] = 2**30
    assert admission.examine().state is WorkerState.UP


def test_a_check_that_raises_has_not_shown_that_the_thing_is_usable() -> None:
    def look() -> str | None:
        raise RuntimeError("what?")

    verdict = Admission([Check(name="odd", look=look)]).examine()
    assert verdict.own == {"odd": "RuntimeError: what?"}


def test_a_penalty_ends_by_itself_and_the_next_one_is_longer() -> None:
    clock = FakeClock()
    admission = Admission([], clock)
    first = admission.penalise("fails where others succeed")
    assert admission.examine().state is WorkerState.QUARANTINED
    clock.now += first
    assert admission.examine().state is WorkerState.UP
    assert admission.penalise("again") > first


@pytest.mark.parametrize(
    ("failures", "state"),
    [(ALONE_LIMIT - 1, WorkerState.UP), (ALONE_LIMIT, WorkerState.QUARANTINED)],
)
def test_only_failures_in_several_matches_that_succeed_elsewhere_are_the_workers(
    database: Store, failures: int, state: WorkerState
) -> None:
    for match_id in queued_matches(database, failures):
        attempt = start(database, match_id, "w1")
        with database.write() as session:
            store.attempts.void(session, attempt.token, "platform fault: something")
        finish(database, start(database, match_id, "w2").token)
    clock = FakeClock()
    fitness = Fitness(Admission([], clock), database, "w1", clock)
    assert fitness.examine().state is state
    assert Fitness(Admission(), database, "w2").examine().state is WorkerState.UP
    clock.now += FIRST_PENALTY
    # What it was blamed for counts once.
    assert fitness.examine().state is WorkerState.UP


def test_a_service_that_others_reach_is_this_workers_own_trouble(database: Store) -> None:
    clock, service = FakeClock(), Service()
    service.away = "connection refused"
    fitness = Fitness(Admission([service.check], clock), database, "w1", clock)
    assert fitness.examine().state is WorkerState.WAITING
    clock.now += OTHERS_SECONDS + 1
    assert fitness.examine().state is WorkerState.WAITING, "there is no other worker to compare"
    with database.write() as session:
        store.workers.beat(session, store.Worker(name="w2"))
    verdict = fitness.examine()
    assert verdict.state is WorkerState.QUARANTINED
    assert verdict.own == {"files": "connection refused"}
