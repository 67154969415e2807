"""The canary as a real process: asked, restarted, late when it is held up, gone with its owner."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.canary import Canary, free_cores, late_canary
from sandbox.canary_bot import THINK_S
from sandbox.host_sampler import HostSampler
from sandbox.limits import fair_limits
from tests.sandbox.machine import Machine

ROOT = Path(__file__).resolve().parents[2]
LIMITS = fair_limits()
PATIENT = replace(LIMITS, canary_start=1000.0, canary_ask=1000.0)
pytestmark = [
    pytest.mark.timeout(120),
    pytest.mark.skipif(not free_cores(()), reason="this system cannot tell its cores"),
]


def is_alive(pid: int) -> bool:
    with contextlib.suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def eventually(condition: Callable[[], object]) -> bool:
    for _ in range(3000):
        if condition():
            return True
        time.sleep(0.02)
    return False


@contextmanager
def kept(**settings: object) -> Iterator[Canary]:
    canary = Canary(free_cores(())[:1], **{"ask_every": 0.02, "limits": PATIENT, **settings})  # type: ignore[arg-type]
    canary.start()
    try:
        yield canary
    finally:
        canary.stop()


def seen(canary: Canary, kind: str) -> int:
    return sum(sighting.kind == kind for sighting in canary.sightings())


def test_it_lives_on_its_own_cores_answers_and_is_gone_at_the_end() -> None:
    with kept() as canary:
        assert eventually(lambda: seen(canary, "ask") >= 3)
        assert seen(canary, "start") == 1
        pid = canary.pid
        assert pid is not None
        assert os.sched_getaffinity(pid) == set(free_cores(())[:1])
        assert all(sighting.took > 0 for sighting in canary.sightings())
    assert not is_alive(pid)


def test_it_is_started_anew_after_a_while() -> None:
    with kept(restart_every=0.1) as canary:
        assert eventually(lambda: seen(canary, "start") >= 3)
        assert seen(canary, "ask") >= 1


def test_it_is_started_anew_at_once_after_a_late_start() -> None:
    with kept(limits=replace(PATIENT, canary_start=1e-9), restart_every=1000.0) as canary:
        assert eventually(lambda: seen(canary, "start") >= 3)


def test_one_that_was_killed_is_replaced_and_was_not_late() -> None:
    with kept() as canary:
        assert eventually(lambda: seen(canary, "ask"))
        first = canary.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        assert eventually(lambda: canary.pid not in (first, None))
        assert eventually(lambda: seen(canary, "start") >= 2)


def test_one_that_is_held_up_is_late_while_it_is_and_makes_the_host_unfit() -> None:
    limits = replace(LIMITS, canary_start=1000.0)
    machine = Machine()
    machine.now = time.monotonic()
    with kept(limits=limits) as canary:
        machine.sampler = HostSampler(
            cores=machine.read, clock=lambda: machine.now, canary=canary, limits=limits
        )
        assert eventually(lambda: seen(canary, "ask") >= 2)
        assert canary.pid is not None
        os.kill(canary.pid, signal.SIGSTOP)
        # What it said just before it stopped is not part of this.
        began = time.monotonic() + 0.1
        try:
            assert eventually(
                lambda: late_canary(canary.sightings(), began, time.monotonic(), limits)
            )
            until = time.monotonic()
        finally:
            os.kill(canary.pid, signal.SIGCONT)
        machine.sampler.sample()
        machine.go(3.0 + until - machine.now)
        with machine.sampler.table((1,)) as table:
            late = table.judge_start(began, until)
            assert not late.fit
            assert "our own small bot" in late.reason
            assert table.judge_ask(began, until).fit
        with machine.sampler.table(()) as table:
            assert table.judge_start(began, until).fit


def test_an_answer_takes_the_cpu_time_of_a_thought_so_that_a_busy_core_makes_it_late() -> None:
    with kept() as canary:
        assert eventually(lambda: seen(canary, "ask") >= 5)
        asks = [one for one in canary.sightings() if one.kind == "ask" and one.over]
    assert all(one.took >= THINK_S for one in asks)


def test_it_dies_with_its_owner() -> None:
    code = (
        "import time\nfrom sandbox.canary import Canary, free_cores\n"
        "c = Canary(free_cores(())[:1])\nc.start()\n"
        "while c.pid is None: time.sleep(0.01)\n"
        "print(c.pid, flush=True)\ntime.sleep(1000)\n"
    )
    owner = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE)
    try:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        assert is_alive(pid)
    finally:
        owner.kill()
        owner.wait()
        assert owner.stdout is not None
        owner.stdout.close()
    assert eventually(lambda: not is_alive(pid))


def test_without_a_core_of_its_own_there_is_no_canary() -> None:
    with pytest.raises(ValueError, match="got no cores, expected at least one"):
        Canary(())
    assert free_cores(free_cores(())) == ()
