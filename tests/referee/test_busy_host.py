"""Real matches on a busy host: with evidence that a test makes up, and with real load in --long."""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from league.matches import Slot
from referee.faults import FaultKind
from referee.plan import MatchPlan, TimeControl
from sandbox.api import CommandProgram, ImageProgram, Program, Sandbox
from sandbox.canary import Canary, free_cores
from sandbox.host_sampler import HostSampler, TableWatch
from sandbox.host_time import Verdict
from sandbox.limits import FairLimits, fair_limits
from sandbox.process import ProcessSandbox
from sandbox.watched import HostReporter, WatchedSandbox
from tests.referee.simulation import make_plan
from tests.referee.supervise import Supervised
from tests.sandbox.busy import CORE, MadeUpHost, UnknowingSandbox, load
from tests.sandbox.conftest import base_image, state
from tests.sandbox.harness import sandbox_at

__all__ = ["base_image", "state"]

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.timeout(300),
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc"),
]
ROOT = Path(__file__).resolve().parents[2]
QUICK = replace(fair_limits(), fit_seconds=0.3)
OTHERS_AT_MOST = 0.3
NEVER_HELD = replace(QUICK, lost_share=2.0, canary_ask=1000.0)
THINK = """
import time
from botkit import Bot, run

class Thinker(Bot):
    def choose_card(self, view):
        {think}
        return min(self.legal)

    def choose_row(self, view):
        return min(self.legal)

run(Thinker, max_batch=1)
"""


def bot(think: str = "pass") -> CommandProgram:
    return CommandProgram(argv=(sys.executable, "-c", THINK.format(think=think)), cwd=ROOT)


def contained(image: str, think: str) -> ImageProgram:
    return ImageProgram(image=image, command=("python3", "-c", THINK.format(think=think)))


def plan_of(move_ms: int, bank_ms: int = 0, **more: Any) -> MatchPlan:
    clock = TimeControl(move_ms=move_ms, bank_ms=bank_ms, start_ms=60_000)
    return make_plan(2, 1, in_flight=1, time=clock, **more)


@contextmanager
def watched(host: MadeUpHost, limits: FairLimits) -> Iterator[TableWatch]:
    sampler = HostSampler(cores=host.read, limits=limits, canary=host)
    sampler.start()
    try:
        while sampler.is_fit([CORE]).reason.startswith("the host has been watched"):
            time.sleep(0.02)
        with sampler.table([CORE]) as table:
            yield table
    finally:
        sampler.stop()


async def play(
    table: TableWatch,
    plan: MatchPlan,
    *bots: CommandProgram,
    pin: bool = False,
    on_hold: Callable[[], None] | None = None,
) -> Supervised:
    made = ProcessSandbox(pin=True) if pin else UnknowingSandbox()
    with tempfile.TemporaryDirectory(prefix="bb") as folder:
        return await play_in(made, Path(folder), table, plan, bots, pin=pin, on_hold=on_hold)


async def play_in(
    made: Sandbox,
    folder: Path,
    table: TableWatch,
    plan: MatchPlan,
    bots: Sequence[Program],
    *,
    pin: bool = True,
    on_hold: Callable[[], None] | None = None,
) -> Supervised:
    sandbox = WatchedSandbox(made, table)
    cores = table.cores if pin else None
    match = Supervised(plan, sandbox, bots, folder, HostReporter(table), cores)
    match.on_hold = on_hold
    match.mode = 0o666 if made.contained else 0o600
    if pin:
        slot = Slot(cores=table.cores, others=free_cores(table.cores), table=table)
        match.on_start = slot.take_in_referee
    result = await match.play()
    assert result["complete"]
    assert match.games == 1
    return match


async def test_on_an_unfit_host_nobody_is_started_or_asked_until_it_is_fit_again() -> None:
    host = MadeUpHost(1.0)
    with watched(host, QUICK) as table:
        assert not table.is_fit().fit
        match = await play(table, plan_of(10_000), bot(), bot(), on_hold=host.calm_down)
    assert match.holds == [True, False]
    assert match.faults == []


async def test_an_honest_bot_is_given_back_what_the_host_took_while_it_thought() -> None:
    slow = "time.sleep(0.5)"
    with watched(MadeUpHost(0.95), NEVER_HELD) as table:
        match = await play(table, plan_of(250), bot(slow), bot())
    assert match.holds == []
    assert match.faults == []


async def test_a_slow_bot_on_a_calm_host_is_charged_and_the_host_has_no_excuse_for_it() -> None:
    slow = "time.sleep(0.5)"
    with watched(MadeUpHost(0.0), QUICK) as table:
        match = await play(table, plan_of(250, max_faults=1), bot(slow), bot())
        fault = match.faults[0]
        assert fault.kind is FaultKind.TIMEOUT
        assert fault.bot == 0
        assert fault.began is not None
        assert fault.ended is not None
        verdict = table.judge_ask(fault.began, fault.ended)
    assert verdict.measured
    assert verdict.fit


COMPUTE = """
        end = time.thread_time() + 0.03
        while time.thread_time() < end: pass
"""
IMITATE = """
        import subprocess, sys
        subprocess.run([sys.executable, "-S", "-c", {code!r}])
"""
FORKS = "import os, time\nfor _ in range({forks}): os.fork()\nend = time.monotonic() + 10\n"
IMITATIONS = {
    "many processes": FORKS.format(forks=5) + "while time.monotonic() < end: pass",
    "thrashing": FORKS.format(forks=3)
    + """
import mmap
zeros = bytes(4 << 20)
while time.monotonic() < end:
    block = mmap.mmap(-1, len(zeros))
    block.write(zeros)
    block.close()
""",
    "disk reads": FORKS.format(forks=4)
    + """
import mmap
found = [os.path.join(place, name) for place, _, names in os.walk("/usr/lib") for name in names]
path = max((one for one in found if not os.path.islink(one)), key=os.path.getsize)
try:
    file = os.open(path, os.O_RDONLY | os.O_DIRECT)
except OSError:
    file = os.open(path, os.O_RDONLY)
block = mmap.mmap(-1, 1 << 20)
while time.monotonic() < end:
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    os.preadv(file, [block], 0)
""",
}
"""What makes a host look busy from its averages, and is a bot's own doing all the same."""


@contextmanager
def real(cores: tuple[int, ...], limits: FairLimits) -> Iterator[TableWatch]:
    others = free_cores(cores)
    sampler = HostSampler(limits=limits, canary=Canary(others) if others else None)
    sampler.start()
    try:
        time.sleep(sampler.limits.fit_seconds + 0.5)
        with sampler.table(cores) as table:
            yield table
    finally:
        sampler.stop()


def bots_core() -> int:
    """The core of the bots; with one alone there is none for a canary."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        pytest.skip("needs two cores")
    return cores[-1]


def busy(times: int) -> AbstractContextManager[None]:
    """Programs that want every core several times over."""
    cores = sorted(os.sched_getaffinity(0))
    return load(cores, times * len(cores))


def skip_unless_calm(table: TableWatch) -> None:
    """Before any bot runs: whose time it was cannot be told where others do have most of it."""
    calm = table.is_fit()
    if not calm.fit or (calm.share or 0.0) > OTHERS_AT_MOST:
        pytest.skip(f"this machine has other work: {calm.reason}")


@pytest.mark.long
async def test_real_load_charges_no_honest_bot_because_its_time_is_given_back() -> None:
    core = bots_core()
    thinker = bot(COMPUTE.strip())
    with real((core,), NEVER_HELD) as table, load([core], 10):
        match = await play(table, plan_of(100, thinkers=1), thinker, thinker, pin=True)
    assert match.holds == []
    assert match.faults == []


@pytest.mark.long
async def test_at_twice_the_load_that_fits_a_match_is_played_on_and_charges_no_honest_bot() -> None:
    core = bots_core()
    thinker = bot(COMPUTE.strip())
    with real((core,), fair_limits()) as table:
        skip_unless_calm(table)
        with busy(2):
            match = await play(table, plan_of(100, thinkers=1), thinker, thinker, pin=True)
    assert match.holds == []
    assert match.faults == []


@pytest.mark.long
async def test_at_twenty_times_the_load_a_match_is_held_and_ends_when_the_load_is_gone() -> None:
    core = bots_core()
    thinker = bot(COMPUTE.strip())
    with real((core,), fair_limits()) as table:
        skip_unless_calm(table)
        held = asyncio.Event()
        with busy(20):
            playing = play(
                table, plan_of(100, thinkers=1), thinker, thinker, pin=True, on_hold=held.set
            )
            match = asyncio.ensure_future(playing)
            await asyncio.wait_for(held.wait(), 60)
            await asyncio.sleep(5.0)
            assert not match.done()
        done = await match
    assert done.holds[0]
    assert done.faults == []


@pytest.mark.long
@pytest.mark.parametrize("way", IMITATIONS)
async def test_a_bot_that_imitates_a_busy_host_is_charged(way: str) -> None:
    core = bots_core()
    imitate = IMITATE.format(code=IMITATIONS[way]).strip()
    with real((core,), fair_limits()) as table:
        skip_unless_calm(table)
        plan = plan_of(1000, thinkers=1, max_faults=1)
        match = await play(table, plan, bot(imitate), bot(), pin=True)
        verdict = charged(match, table)
    assert verdict.measured
    assert verdict.fit


@pytest.mark.long
@pytest.mark.docker
@pytest.mark.parametrize("way", IMITATIONS)
async def test_a_contained_bot_that_imitates_a_busy_host_is_charged(
    way: str, state: Path, base_image: str
) -> None:
    core = bots_core()
    imitate = IMITATE.format(code=IMITATIONS[way]).strip()
    with real((core,), fair_limits()) as table:
        skip_unless_calm(table)
        async with sandbox_at(state) as box:
            plan = plan_of(1000, thinkers=1, max_faults=1)
            bots = [contained(base_image, imitate), contained(base_image, "pass")]
            match = await play_in(box, state, table, plan, bots)
        verdict = charged(match, table)
    assert verdict.measured
    assert verdict.fit


@pytest.mark.long
async def test_load_on_the_table_s_core_alone_slows_a_match_and_does_not_hold_it() -> None:
    """What others take there is given back in full; nobody is served by waiting."""
    core = bots_core()
    thinker = bot(COMPUTE.strip())
    with real((core,), fair_limits()) as table:
        skip_unless_calm(table)
        with load([core], 20):
            match = await play(table, plan_of(100, thinkers=1), thinker, thinker, pin=True)
    assert match.holds == []
    assert match.faults == []


@pytest.mark.long
async def test_a_bot_that_stalls_because_the_host_is_busy_is_charged() -> None:
    core = bots_core()
    with real((core,), NEVER_HELD) as table, load([core], 4):
        plan = plan_of(1000, thinkers=1, max_faults=1)
        match = await play(table, plan, bot("time.sleep(6)"), bot(), pin=True)
        verdict = charged(match, table)
    assert verdict.measured
    assert verdict.fit


def charged(match: Supervised, table: TableWatch) -> Verdict:
    """The first bot was late; what the host says about it."""
    fault = match.faults[0]
    assert (fault.bot, fault.kind) == (0, FaultKind.TIMEOUT)
    assert fault.began is not None
    assert fault.ended is not None
    return table.judge_ask(fault.began, fault.ended)
