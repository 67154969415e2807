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
from store import MatchState, SeasonState, Store, SubmissionState
from tests.flow.contained import PATIENT, submit
from tests.league.world import season_in, settings, state_of, wait_for
from tests.sandbox.busy import MadeUpHost, load

pytestmark = pytest.mark.timeout(1700)
TOO_MUCH = 20
PATIENCE_SECONDS = 700
RESUMES_SECONDS = 60
"""The promise: so long after the load is gone, at most, matches are played again."""
HOUSE = tuple(f"house/{name}" for name in ("gap", "lowest", "random", "highest"))
SENT = ("ada/gap", "ben/lowest")
RUNNERS = ["process", pytest.param("docker", marks=pytest.mark.docker)]


def waits(database: Store) -> str | None:
    with database.read() as session:
        hosts = [store.workers.host_of(row) for row in store.workers.alive(session)]
    return next((host.waits for host in hosts if host is not None and host.waits), None)


Busy = Callable[[], AbstractContextManager[None]]


def real_load(cores: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> Busy:
    """Programs that want every core of this machine twenty times over."""
    everything = usable_cores()
    return partial(load, everything, TOO_MUCH * len(everything))


def made_up_load(cores: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> Busy:
    """Counters and a canary that say so; how busy this machine really is does not matter."""
    host = MadeUpHost(0.0, cores[0])
    sampler = partial(HostSampler, cores=host.read)
    monkeypatch.setattr("league.wiring.slots.HostSampler", lambda **_: sampler(canary=host))
    monkeypatch.setattr("league.wiring.slots.share_cores", lambda _: [cores[:1]])

    @contextmanager
    def busy() -> Iterator[None]:
        host.share = 1.0
        yield
        host.calm_down()

    return busy


class Flow:
    """A league with one worker on this machine."""

    def __init__(self, runner: str, folder: Path) -> None:
        self.runner = runner
        self.chosen = settings(
            folder, sandbox=runner, fair_host=True, lease_seconds=60.0, unfit_seconds=20.0
        )
        self.database = wiring.open_store(self.chosen)
        self.bots = HOUSE if runner == "process" else (*SENT, *HOUSE[2:])
        self.worker = wiring.make_worker(self.chosen, self.database)

    def begin(self) -> int:
        one = {"name": "busy", "rules": "six-nimmt", "table": 4, "boards": 8}
        plan = plan_from({**one, **PATIENT})
        return season_in(self.database, SeasonState.RUNNING, plan, self.bots).id

    def plays(self, season_id: int) -> bool:
        """Whether nothing waits for a fit host any more, and a match has begun."""
        with self.database.read() as session:
            matches = store.match_lists.matches(session, season_id=season_id)
        begun = (MatchState.RUNNING, MatchState.DONE)
        return waits(self.database) is None and any(one.state in begun for one in matches)

    def play_to_the_end(self, season_id: int) -> None:
        over = SeasonState.FINISHED
        wait_for(lambda: state_of(self.database, season_id) is over, PATIENCE_SECONDS)

    def nobody_was_charged(self, season_id: int) -> None:
        attempts = tried(self.database, season_id)
        assert [one for one in attempts if one.charged and one.state != "done"] == []
        with self.database.read() as session:
            for match in store.match_lists.matches(session, season_id=season_id):
                assert match.runner == self.runner
                seated = store.match_lists.seated(session, [match.id])[match.id]
                assert [one.seat.faults for one in seated] == [0] * 4


@pytest.fixture
def cores() -> tuple[int, ...]:
    """The cores of the one slot."""
    if not hasattr(os, "sched_getaffinity") or len(usable_cores()) < 2:
        pytest.skip("needs Linux and two cores")
    [share] = share_out(usable_cores(), 1)
    return share


@contextmanager
def league(
    runner: str, folder: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Flow]:
    """Its worker runs, and with containers the bots of authors have been checked."""
    if runner == "docker":
        request.getfixturevalue("base_image")
        state = request.getfixturevalue("state")
        monkeypatch.setattr(owner, "default_state_dir", lambda: state)
    monkeypatch.setattr("league.worker.signs.BEAT_SECONDS", 0.5)
    flow = Flow(runner, folder)
    flow.worker.start()
    try:
        if runner == "docker":
            submit_bot(flow.database, flow.chosen)
        yield flow
    finally:
        flow.worker.stop()
        flow.database.close()


@pytest.mark.heavy
@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize(
    "make_load", [made_up_load, pytest.param(real_load, marks=pytest.mark.long)]
)
def test_on_a_busy_host_a_league_waits_and_then_plays_to_its_end_without_a_fault(
    runner: str,
    make_load: Callable[[tuple[int, ...], pytest.MonkeyPatch], Busy],
    cores: tuple[int, ...],
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    busy = make_load(cores, monkeypatch)
    with league(runner, tmp_path, request, monkeypatch) as flow:
        with busy():
            time.sleep(5.0)
            season = flow.begin()
            wait_for(lambda: waits(flow.database) is not None, PATIENCE_SECONDS)
            time.sleep(5.0)
            assert state_of(flow.database, season) is not SeasonState.FINISHED
        wait_for(lambda: flow.plays(season), RESUMES_SECONDS)
        flow.play_to_the_end(season)
        flow.nobody_was_charged(season)


@pytest.mark.long
@pytest.mark.parametrize("runner", RUNNERS)
def test_at_twice_the_load_that_fits_a_season_is_played_to_its_end_without_a_fault(
    runner: str,
    cores: tuple[int, ...],
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    everything = usable_cores()
    with league(runner, tmp_path, request, monkeypatch) as flow:
        with load(everything, 2 * len(everything)):
            season = flow.begin()
            flow.play_to_the_end(season)
        flow.nobody_was_charged(season)


def submit_bot(database: Store, chosen: LeagueSettings) -> None:
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
