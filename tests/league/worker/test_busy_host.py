"""A worker on an unfit host: it claims nothing, says why on its row, and goes on when it is fit."""

import os
from functools import partial
from pathlib import Path

import pytest

import store
from league import wiring
from league.matches import SandboxStage, Slots
from league.seasons import SeasonPlan
from league.settings import LeagueSettings
from league.worker import Worker
from sandbox.owner import Owner
from sandbox.process import ProcessSandbox
from store import SeasonState, Store
from tests.league.world import season_in, settings, state_of, wait_for
from tests.sandbox.machine import Machine


def rows(database: Store) -> list[store.Worker]:
    with database.read() as session:
        return store.workers.alive(session)


@pytest.mark.heavy
@pytest.mark.timeout(300)
def test_a_season_waits_for_a_fit_host_and_is_then_played_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("league.worker.signs.BEAT_SECONDS", 0.1)
    chosen = settings(tmp_path)
    database = wiring.open_store(chosen)
    plan = SeasonPlan(
        name="busy", rules="six-nimmt", options={"rounds": 1}, table=4, boards=4, move_ms=60_000
    )
    bots = [f"house/{name}" for name in ("gap", "lowest", "random", "highest")]
    season = season_in(database, SeasonState.RUNNING, plan, bots)
    machine, owner = Machine(), Owner()
    slots = Slots([machine.cores], machine.sampler)
    stage = SandboxStage(ProcessSandbox, owner)
    worker = Worker(
        chosen,
        database,
        stage,
        slots=slots,
        admitted=partial(stage.admitted, slots),
    )
    machine.go(3.0, foreign=1.0, late=True)
    # The counters stand still from here on: the host is as busy as the test has made it.
    monkeypatch.setattr(machine.sampler, "start", lambda: None)
    monkeypatch.setattr(machine.sampler, "stop", lambda: None)
    worker.start()
    try:
        wait_for(lambda: any(host(row).waits for row in rows(database)))
        [row] = rows(database)
        assert str(host(row).waits).startswith("our own small bot took 0.50 s")
        assert host(row).not_measured is None
        with database.read() as session:
            waiting = store.match_lists.matches(session, season_id=season.id)
            assert all(match.attempts == 0 for match in waiting), "nothing was claimed"
        machine.go(3.0)
        wait_for(lambda: state_of(database, season.id) is SeasonState.FINISHED, 200)
    finally:
        worker.stop()
        owner.close()


def host(row: store.Worker) -> store.workers.WorkerHost:
    found = store.workers.host_of(row)
    assert found is not None
    return found


def test_a_worker_has_slots_with_cores_a_canary_elsewhere_and_bots_that_are_kept_to_them(
    tmp_path: Path,
) -> None:
    if not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two cores")
    slots = wiring.make_slots(LeagueSettings(data_dir=tmp_path, fair_host=True, slots=1))
    with slots.admit(lambda: False) as slot:
        assert slot is not None
        assert slot.cores
        assert slot.others == slots.for_others
        assert not set(slot.cores) & set(slots.for_others)
    off = wiring.make_slots(LeagueSettings(data_dir=tmp_path, fair_host=False, slots=1))
    assert not off.describe()["measured"]
    many = wiring.make_slots(LeagueSettings(data_dir=tmp_path, fair_host=True, slots=64))
    if len(os.sched_getaffinity(0)) <= 64:
        assert many.for_others == ()


def test_a_clock_says_nothing_of_a_host() -> None:
    assert store.workers.host_of(store.Worker(name="clock")) is None
    assert store.workers.host_of(store.Worker(name="old", detail={"host": None})) is None
