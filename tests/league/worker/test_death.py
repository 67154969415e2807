"""Who is dead: a lock that nobody holds says so, or a lease that ran out; nothing else does."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

import store
from league.matches.inprocess import InProcessStage
from league.seasons.plan import SeasonPlan
from league.settings import LeagueSettings
from league.worker.worker import Worker
from sandbox.owner import Owner
from store import MatchState, SeasonState, Store
from tests.factories import add_bots, open_store
from tests.league.world import season_in, settings

PLAN = SeasonPlan(name="spring", rules="six-nimmt", options={"rounds": 1}, boards=8)
NO_SUCH_PROCESS = 2**22 + 1
"""Above what the kernel numbers processes by."""


@pytest.fixture
def chosen(tmp_path: Path) -> LeagueSettings:
    return settings(tmp_path)


@pytest.fixture
def database(chosen: LeagueSettings) -> Store:
    return open_store(chosen)


def claimed_by(database: Store, owner: str) -> int:
    """A match that a worker with this lock is playing; its process cannot be seen from here."""
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    row = store.Worker(
        name="other", host=socket.gethostname(), pid=NO_SUCH_PROCESS, detail={"owner": owner}
    )
    with database.write() as session:
        store.workers.beat(session, row)
        [bell] = store.matches.enqueue(session, limit=1, season_id=season.id)
        assert store.attempts.claim(session, bell.match_id, "other") is not None
    return bell.match_id


def arrive(chosen: LeagueSettings, database: Store, found_dead: list[str]) -> None:
    """What a worker does first, without the rest of it."""
    worker = Worker(
        chosen,
        database,
        InProcessStage(),
        owner="me",
        found_dead=found_dead,
    )
    worker.sign()
    worker.reclaim()


def state(database: Store, match_id: int) -> MatchState:
    with database.read() as session:
        return store.present(session, store.Match, match_id).state


def test_a_lock_that_nobody_holds_gives_the_match_back_at_once(
    chosen: LeagueSettings, database: Store
) -> None:
    match_id = claimed_by(database, "dead")
    arrive(chosen, database, ["dead"])
    assert state(database, match_id) is MatchState.QUEUED
    with database.read() as session:
        assert {worker.detail["owner"] for worker in store.workers.alive(session)} == {"me"}


def test_the_same_host_name_and_a_process_out_of_sight_steal_nothing(
    chosen: LeagueSettings, database: Store
) -> None:
    match_id = claimed_by(database, "in another namespace")
    arrive(chosen, database, ["somebody else"])
    assert state(database, match_id) is MatchState.RUNNING


def test_a_sweep_finds_the_locks_of_the_dead_and_only_of_those(tmp_path: Path) -> None:
    alive = Owner(tmp_path / "state")
    code = "import sys; from pathlib import Path; from sandbox.owner import Owner\n"
    code += "print(Owner(Path(sys.argv[1])).token)"
    command = [sys.executable, "-c", code, str(tmp_path / "state")]
    dead = subprocess.check_output(command, text=True).strip()
    newcomer = Owner(tmp_path / "state")
    assert newcomer.sweep() == [dead]
    assert not newcomer.is_gone(alive.token)
    for owner in (alive, newcomer):
        owner.close()
