"""A whole league on a busy host: matches wait, nobody is charged, and it plays to its end.

The host is made up in the default tier; with --long the load is real.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

import pytest

import store
from league import wiring
from league.matches import share_out, usable_cores
from league.seasons import plan_from
from league.settings import LeagueSettings
from sandbox import owner
from sandbox.host_sampler import HostSampler
from store import SeasonState, Store, SubmissionState
from tests.flow.contained import PATIENT, submit
from tests.league.world import season_in, settings, state_of, wait_for
from tests.sandbox.busy import MadeUpHost, load

pytestmark = pytest.mark.timeout(1700)
SPINNERS = 20
PATIENCE_SECONDS = 700
HOUSE = tuple(f"house/{name}" for name in ("gap", "lowest", "random", "highest"))
SENT = ("ada/gap", "ben/lowest")


def calm(cores: tuple[int, ...]) -> bool:
    """Whether this machine has no other work on these cores for a while."""
    sampler = HostSampler()
    sampler.start()
    try:
        time.sleep(sampler.limits.fit_seconds + 0.5)
        return any(_fit_soon(sampler, cores) for _ in range(10))
    finally:
        sampler.stop()


def _fit_soon(sampler: HostSampler, cores: tuple[int, ...]) -> bool:
    time.sleep(1.0)
    return sampler.is_fit(cores).fit


def waits(database: Store) -> str | None:
    with database.read() as session:
        hosts = [store.workers.host_of(row) for row in store.workers.alive(session)]
    return next((host.waits for host in hosts if host is not None and host.waits), None)


Busy = Callable[[], AbstractContextManager[None]]


def real_load(cores: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> Busy:
    """Programs that want the first core of the bots twenty times over."""
    if not calm(cores):
        pytest.skip("this machine has other work on the cores of the bots")
    return partial(load, cores[0], SPINNERS)


def made_up_load(cores: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> Busy:
    """Counters that say so; how busy this machine really is does not matter."""
    host = MadeUpHost(0.0, cores[0])
    monkeypatch.setattr(wiring, "HostSampler", lambda **_: HostSampler(cores=host.read))
    monkeypatch.setattr(wiring, "share_cores", lambda _: [cores[:1]])

    @contextmanager
    def busy() -> Iterator[None]:
        host.share = 1.0
        yield
        host.calm_down()

    return busy


@pytest.mark.parametrize("runner", ["process", pytest.param("docker", marks=pytest.mark.docker)])
@pytest.mark.parametrize(
    "make_load", [made_up_load, pytest.param(real_load, marks=pytest.mark.long)]
)
def test_on_a_busy_host_a_league_waits_and_then_plays_to_its_end_without_a_fault(
    runner: str,
    make_load: Callable[[tuple[int, ...], pytest.MonkeyPatch], Busy],
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not hasattr(os, "sched_getaffinity") or len(usable_cores()) < 2:
        pytest.skip("needs Linux and two cores")
    [cores] = share_out(usable_cores(), 1)
    busy = make_load(cores, monkeypatch)
    if runner == "docker":
        request.getfixturevalue("base_image")
        folder = request.getfixturevalue("state")
        monkeypatch.setattr(owner, "default_state_dir", lambda: folder)
    monkeypatch.setattr("league.worker.worker.BEAT_SECONDS", 0.5)
    chosen = settings(
        tmp_path, sandbox=runner, fair_host=True, lease_seconds=60.0, unfit_seconds=20.0
    )
    database = wiring.open_store(chosen)
    bots = HOUSE if runner == "process" else (*SENT, *HOUSE[2:])
    worker = wiring.make_worker(chosen, database)
    worker.start()
    try:
        if runner == "docker":
            hand_in(database, chosen)
        with busy():
            time.sleep(3.0)
            one = {"name": "busy", "rules": "six-nimmt", "table": 4, "boards": 8}
            season = season_in(database, SeasonState.RUNNING, plan_from({**one, **PATIENT}), bots)
            wait_for(lambda: waits(database) is not None, PATIENCE_SECONDS)
            time.sleep(5.0)
            assert tried(database, season.id) == [], "a match began on an unfit host"
        wait_for(lambda: state_of(database, season.id) is SeasonState.FINISHED, PATIENCE_SECONDS)
    finally:
        worker.stop()
    assert [one for one in tried(database, season.id) if one.charged and one.state != "done"] == []
    with database.read() as session:
        for match in store.match_lists.matches(session, season_id=season.id):
            assert match.runner == runner
            seated = store.match_lists.seated(session, [match.id])[match.id]
            assert [one.seat.faults for one in seated] == [0] * 4


def hand_in(database: Store, chosen: LeagueSettings) -> None:
    """Bots of authors, built and checked."""
    sent = [submit(database, chosen, bot, "six-nimmt") for bot in SENT]

    def found() -> list[store.Submission]:
        with database.read() as session:
            return [store.bots.submission(session, one) for one in sent]

    wait_for(lambda: all(one.state.is_final for one in found()), PATIENCE_SECONDS)
    for one in found():
        assert one.state is SubmissionState.ACCEPTED, one.log


def tried(database: Store, season_id: int) -> list[store.Attempt]:
    with database.read() as session:
        matches = store.match_lists.matches(session, season_id=season_id)
        return [one for match in matches for one in store.match_lists.attempts(session, match.id)]
