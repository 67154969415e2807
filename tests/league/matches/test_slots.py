"""Admission: a match begins only on a fit host, and a waiting check takes the next slot."""

import asyncio
import os
import threading
from contextlib import ExitStack

import pytest

from league.matches.cores import share_out
from league.matches.slots import Slots
from sandbox.api import PlatformFault
from tests.league.world import wait_for
from tests.sandbox.machine import Machine


def never() -> bool:
    return False


class Waiting:
    """A match that asks for a slot in a thread of its own, and keeps it until told."""

    def __init__(self, slots: Slots) -> None:
        self.slots = slots
        self.seated = threading.Event()
        self.leave = threading.Event()
        self.turned_away = threading.Event()
        self.done = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        with self.slots.admit(self.leave.is_set) as slot:
            if slot is None:
                self.turned_away.set()
                return
            self.seated.set()
            self.done.wait()


def test_a_match_begins_only_on_a_fit_host_and_says_why_it_waits() -> None:
    machine = Machine()
    slots = Slots([machine.cores], machine.sampler)
    machine.go(3.0, foreign=1.0, late=True)
    waiting = Waiting(slots)
    wait_for(lambda: slots.describe()["waits"] is not None)
    said = slots.describe()
    assert said["waiting"] == 1
    assert str(said["waits"]).startswith("our own small bot took 0.50 s to answer")
    assert not waiting.seated.is_set()
    machine.go(3.0)
    wait_for(waiting.seated.is_set)
    assert slots.describe()["waits"] is None
    waiting.done.set()


def test_a_worker_that_leaves_does_not_wait_for_its_host() -> None:
    machine = Machine()
    slots = Slots([machine.cores], machine.sampler)
    machine.go(3.0, foreign=1.0, late=True)
    leaving, closed = Waiting(slots), Waiting(slots)
    wait_for(lambda: slots.describe()["waiting"] == 2)
    leaving.leave.set()
    wait_for(leaving.turned_away.is_set)
    slots.close()
    wait_for(closed.turned_away.is_set)
    assert slots.describe()["waiting"] == 0


@pytest.mark.parametrize(
    ("machine", "shares"),
    [(Machine(blind=True), [(1,)]), (Machine(), [()])],
    ids=["blind", "small"],
)
def test_where_nothing_can_be_measured_matches_begin_at_once_and_are_marked(
    machine: Machine, shares: list[tuple[int, ...]]
) -> None:
    slots = Slots(shares, machine.sampler)
    machine.go(3.0, foreign=1.0, late=True)
    with slots.admit(never) as slot:
        assert slot is not None
    said = slots.describe()
    assert not said["measured"]
    assert str(said["not_measured"]).startswith("host not measured")
    assert said["waits"] is None


def test_a_worker_that_does_not_watch_its_host_shares_out_cores_all_the_same() -> None:
    slots = Slots(share_out([0, 1, 2], 2))
    with ExitStack() as stack:
        taken = [stack.enter_context(slots.admit(never)) for _ in range(2)]
        assert [slot and slot.cores for slot in taken] == [(1,), (2,)]
        assert not any(slot and slot.is_measured for slot in taken)
        third = Waiting(slots)
        assert slots.describe()["waits"] is None, "a full worker is not an unfit one"
    wait_for(third.seated.is_set)
    third.done.set()


def test_other_work_on_the_cores_alone_keeps_no_match_waiting() -> None:
    """Its time is given back; a second worker on the same cores is other work, too."""
    machine = Machine()
    slots = Slots([machine.cores], machine.sampler)
    for foreign in (0.2, 0.5, 1.0):
        machine.go(3.0, foreign=foreign)
        with slots.admit(never) as slot:
            assert slot is not None
            assert slot.is_measured
    machine.go(3.0, late=True)
    with slots.admit(lambda: True) as slot:
        assert slot is None, "a late canary does"


@pytest.mark.anyio
async def test_a_waiting_check_takes_the_next_free_slot_before_any_match() -> None:
    slots = Slots([()])
    playing = Waiting(slots)
    wait_for(playing.seated.is_set)
    matches = [Waiting(slots) for _ in range(4)]
    said: list[str] = []
    order: list[str] = []

    async def check() -> None:
        async with slots.admit_check(said.append):
            order.append("check")
            assert not any(one.seated.is_set() for one in matches)

    checking = asyncio.create_task(check())
    while not said:
        await asyncio.sleep(0.01)
    assert said == ["Waiting for a free slot: all slots play."]
    playing.done.set()
    await checking
    assert order == ["check"]
    for one in matches:
        one.done.set()
    for one in matches:
        await asyncio.to_thread(wait_for, one.seated.is_set)


@pytest.mark.anyio
async def test_a_check_waits_for_a_fit_host_and_says_why() -> None:
    machine = Machine()
    slots = Slots([machine.cores], machine.sampler)
    machine.go(3.0, foreign=1.0, late=True)
    said: list[str] = []

    async def check() -> None:
        async with slots.admit_check(said.append) as slot:
            assert slot.cores == machine.cores

    checking = asyncio.create_task(check())
    while not said:
        await asyncio.sleep(0.01)
    assert said[0].startswith("Waiting for a fit host: our own small bot took 0.50 s")
    machine.go(3.0)
    await checking
    machine.go(3.0, foreign=1.0, late=True)
    again = asyncio.create_task(check())
    await asyncio.sleep(0)
    slots.close()
    with pytest.raises(PlatformFault, match="stopped before the check"):
        await again


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores cannot be chosen here")
def test_a_worker_keeps_away_from_the_cores_of_its_slots_while_it_runs() -> None:
    own = os.sched_getaffinity(0)
    if len(own) < 2:
        pytest.skip("needs two cores")
    shares = share_out(sorted(own), 1)
    others = tuple(sorted(own - set(shares[0])))
    slots = Slots(shares, Machine(shares[0]).sampler, others=others)
    assert slots.for_others == others
    slots.start()
    try:
        assert os.sched_getaffinity(0) == set(others)
    finally:
        slots.stop()
    assert os.sched_getaffinity(0) == own
    assert Slots([()], others=others).for_others == (), "where matches own no cores, none is left"
