"""Bells are hints: with Redis they wake workers, without it a season is played all the same."""

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

import store
from league.matches.inprocess import InProcessStage
from league.seasons.plan import SeasonPlan
from league.settings import LeagueSettings
from league.worker import Bells, Due, Worker, bells, broker_check
from league.worker.gate import Gate
from store import Doorbell, SeasonState, Store
from tests.factories import add_bots, open_store
from tests.league.world import season_in, settings, state_of, wait_for, working

PLAN = SeasonPlan(name="spring", rules="six-nimmt", options={"rounds": 1}, boards=4, meetings=2)
NEVER = 100_000.0


def due(*numbers: int) -> Due:
    found = tuple(Doorbell(match_id=number, queue="season") for number in numbers)
    return Due(matches=found, submissions=())


def queued(url: str) -> int:
    with redis.Redis.from_url(url) as client:
        return int(client.llen("bullring:season"))


@pytest.fixture
def black_hole() -> Iterator[int]:
    """The port of a socket that takes connections and says nothing, ever."""
    with socket.create_server(("127.0.0.1", 0), backlog=50) as server:
        yield server.getsockname()[1]


def test_with_redis_bells_wake_a_worker_that_never_looks_by_itself(
    tmp_path: Path, redis_url: str
) -> None:
    chosen = settings(tmp_path, redis_url=redis_url, poll_seconds=NEVER)
    database = open_store(chosen)
    stage = InProcessStage()
    player = Worker(chosen, database, stage, clock=False)
    clock = Worker(chosen, database, InProcessStage(), plays=False)
    player.start()
    wait_for(lambda: player.state is store.WorkerState.UP)
    # Whatever woke it at its start is over; from here on only bells can.
    time.sleep(0.5)
    clock.start()
    try:
        season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
        wait_for(lambda: state_of(database, season.id) is SeasonState.FINISHED)
    finally:
        clock.stop()
        player.stop()
    assert stage.played
    with redis.Redis.from_url(redis_url) as client:
        assert client.exists("bullring:clock"), "the clock left no mark for the workers' check"
    assert broker_check(chosen).look() is None


@pytest.mark.heavy
def test_without_redis_a_season_is_played_to_its_end_and_the_row_says_what_is_missing(
    tmp_path: Path,
) -> None:
    chosen = settings(
        tmp_path, redis_url="redis://127.0.0.1:1/0", poll_seconds=0.2, redis_seconds=0.5
    )
    database = open_store(chosen)
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    with working(chosen, database) as worker:
        wait_for(lambda: state_of(database, season.id) is SeasonState.FINISHED)
        wait_for(lambda: worker.metrics.broker_failures._value.get() > 0)
        worker.sign()
        with database.read() as session:
            row = store.present(session, store.Worker, worker.name)
    assert "refused" in str(row.detail["broker"])


def test_a_redis_that_swallows_everything_delays_no_tick(tmp_path: Path, black_hole: int) -> None:
    chosen = settings(tmp_path, redis_url=f"redis://127.0.0.1:{black_hole}/0", redis_seconds=NEVER)
    rung = Bells(chosen)
    done = threading.Event()

    def ring() -> None:
        for number in range(100):
            rung.ring(due(number))
        done.set()

    # The wait is a limit against hanging: publishing itself would take for ever.
    threading.Thread(target=ring, daemon=True).start()
    assert done.wait(60)


def test_bells_that_nobody_hears_do_not_pile_up(tmp_path: Path, redis_url: str) -> None:
    chosen = settings(tmp_path, redis_url=redis_url)
    rung = Bells(chosen)
    for number in range(0, 10 * bells.MAX_QUEUED, 50):
        rung.ring(due(*range(number, number + 50)))
        wait_for(lambda: not rung._waiting)
    wait_for(lambda: queued(redis_url) >= bells.MAX_QUEUED)
    rung.close()
    assert queued(redis_url) == bells.MAX_QUEUED


def test_a_match_is_rung_for_once_until_it_is_stale(tmp_path: Path, redis_url: str) -> None:
    rung = Bells(settings(tmp_path, redis_url=redis_url, stale_seconds=NEVER))
    for _ in range(5):
        rung.ring(due(7))
    wait_for(lambda: queued(redis_url) == 1)
    rung.ring(due(7), again=True)
    rung.ring(due(8))
    wait_for(lambda: queued(redis_url) == 3)
    rung.close()


def test_a_worker_in_the_wrong_redis_database_is_told_so(tmp_path: Path, redis_url: str) -> None:
    chosen = settings(tmp_path, redis_url=redis_url)
    assert "database number" in str(broker_check(chosen).look())


def test_a_busy_worker_keeps_a_bell_until_a_slot_is_free() -> None:
    gate = Gate(1)
    gate.enter()
    assert not gate.ring_when_free(0.01)
    assert not gate.wait(0.0), "a bell that found no slot must not count"
    gate.leave()
    assert gate.ring_when_free(0.01)
    assert gate.wait(0.0)


def test_more_bells_than_slots_say_nothing_new() -> None:
    gate = Gate(2)
    for _ in range(10):
        gate.ring()
    assert [gate.wait(0.0) for _ in range(4)] == [True, True, False, False]


def test_of_two_clocks_one_turns_and_the_other_takes_over_at_its_end(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    database = open_store(chosen)

    def clock(name: str) -> Worker:
        return Worker(chosen, database, InProcessStage(), plays=False, name=name)

    def ticks(worker: Worker) -> float:
        return float(worker.metrics.ticks._value.get())

    first, second = clock("first"), clock("second")
    first.start()
    wait_for(lambda: ticks(first) > 0)
    second.start()
    wait_for(lambda: ticks(first) > 5)
    assert ticks(second) == 0
    first.stop()
    wait_for(lambda: ticks(second) > 0)
    second.stop()
    assert leader(database, chosen) is None


def leader(database: Store, _: LeagueSettings) -> str | None:
    with database.read() as session:
        return store.leases.holder(session, "clock")


def test_slots_of_their_own_hear_bells_of_their_own() -> None:
    found = bells.bells_of(
        Due(
            matches=(
                Doorbell(match_id=1, queue="ladder"),
                Doorbell(match_id=2, queue="friendly"),
                Doorbell(match_id=3, queue="people"),
            ),
            submissions=(),
        )
    )
    tasks = {number: task for task, number in found}
    assert len(set(tasks.values())) == 3, "a slot would hear what it cannot play"
    assert [found[tasks[number], number] for number in (1, 2, 3)] == [
        "ladder",
        "friendly",
        "people",
    ]
