"""What the host took is given back, breaks in the asking, and what only looked late."""

import asyncio
import heapq
import json
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc.aio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.faults import FaultKind
from referee.host import SETTLE_S, HostClock
from referee.plan import TimeControl
from referee.records import to_json
from referee.seat import METHOD, SOCKET_NAME
from tests.referee.simulation import Scripted, Simulation, honest, house_answer, make_plan
from wire.v1 import bot_pb2 as pb

ROOT = Path(__file__).resolve().parents[2]
EVERY_S = 0.2


class Reported(Simulation):
    """A pass on a host that takes a share of the time, and a supervisor that tells of it."""

    def __init__(self, *args: Any, share: float = 0.0, late_s: float = 0.05, **more: Any) -> None:
        super().__init__(*args, **more)
        self.share = share
        self.late_s = late_s
        # A supervisor that measures says so at once.
        self.tell(-EVERY_S, 0.0, 0.0)
        self.at(EVERY_S + late_s, self._report)

    def step(self) -> None:
        """The next thing that happens."""
        self.now, _, what = heapq.heappop(self._heap)
        self.lag._last = self.now  # Our loop is always in time.
        what()

    def _report(self) -> None:
        ended = self.now - self.late_s
        self.tell(ended - EVERY_S, ended, EVERY_S * self.share)
        self.at(self.now + EVERY_S, self._report)

    def tell(self, began: float, ended: float, taken_s: float) -> None:
        report = self.host_clock.report(self.now, began, ended, taken_s)
        if report is not None:
            self.play.host_took(report)


def kinds(simulation: Simulation) -> list[str]:
    return [fault.kind.value for fault in simulation.faults]


def plan_of(bank_ms: int = 0, **more: Any) -> Any:
    time = TimeControl(move_ms=100, bank_ms=bank_ms, start_ms=1000)
    return make_plan(2, 2, in_flight=1, time=time, **more)


def test_time_that_the_host_took_is_given_back() -> None:
    bots = [Scripted(think_s=0.9), Scripted()]
    calm = Reported(plan_of(), bots, share=0.0).run()
    assert kinds(calm)[:1] == ["timeout"]
    busy = Reported(plan_of(), [Scripted(think_s=0.9), Scripted()], share=0.9).run()
    assert busy.faults == []
    busy.verify()


def test_a_bot_that_is_slow_beyond_what_the_host_took_is_charged() -> None:
    slow = Reported(plan_of(), [Scripted(think_s=0.9), Scripted()], share=0.5).run()
    assert kinds(slow)[:1] == ["timeout"]
    fault = slow.faults[0]
    assert fault.began is not None
    assert fault.ended is not None
    assert 0.15 < fault.ended - fault.began < 1.0


@given(share=st.floats(0.0, 1.0), think=st.floats(0.01, 3.0), late=st.floats(0.0, 0.3))
def test_a_bot_is_charged_by_its_own_time_alone(share: float, think: float, late: float) -> None:
    own_ms = think * (1.0 - share) * 1000
    run = Reported(plan_of(), [Scripted(think_s=think), Scripted()], share=share, late_s=late)
    run.run()
    # Between the free time and the margin a debt grows, and one of the next messages pays for it.
    if own_ms < 95:
        assert run.faults == []
    if own_ms > 175:
        assert kinds(run)[:1] == ["timeout"]
    assert {fault.bot for fault in run.faults} <= {0}
    run.verify()


def test_what_was_paid_too_much_comes_back_to_the_bank() -> None:
    """The answer comes in time, at the cost of the bank, and the report comes after it."""
    run = Reported(plan_of(bank_ms=1000), [Scripted(think_s=0.3), Scripted()], share=0.0)
    run.join()
    run.play.begin()
    for bot in run.play.due():
        run._deliver(bot)
    state = run.play.states[0]
    while not state.times_ms:
        run.step()
    assert state.bank.left_ms == pytest.approx(800.0)
    run.tell(run.now - 0.1, run.now, 0.1)
    assert state.bank.left_ms == pytest.approx(900.0)
    run.tell(run.now - 0.1, run.now, 0.1)
    assert state.bank.left_ms == pytest.approx(900.0)


def test_what_was_spent_before_a_break_is_not_paid_back_for_the_break() -> None:
    run = Reported(plan_of(bank_ms=1000), [Scripted(think_s=0.5), Scripted()], share=0.0)
    run.join()
    run.play.begin()
    for bot in run.play.due():
        run._deliver(bot)
    state = run.play.states[0]
    run.at(0.3, lambda: run.host_clock.hold(run.now))
    while not state.times_ms:
        run.step()
    assert state.bank.left_ms == pytest.approx(800.0)
    run.host_clock.resume(run.now)
    run.tell(0.2, run.now, 0.0)
    assert state.bank.left_ms == pytest.approx(800.0)


def test_an_answer_that_looks_late_waits_for_the_report_about_its_time() -> None:
    run = Reported(plan_of(), [Scripted(think_s=0.19), Scripted()], share=0.5, late_s=0.3)
    run.run()
    assert run.faults == []


def test_a_supervisor_that_falls_silent_holds_up_no_verdict() -> None:
    run = Simulation(plan_of(), [Scripted(think_s=100.0), Scripted()])
    run.host_clock.report(0.0, -0.2, 0.0, 0.0)
    run.join()
    run.play.begin()
    for bot in run.play.due():
        run._deliver(bot)
    for beat in range(1, 500):
        run.play.tick(beat / 100)
    assert kinds(run)[:1] == ["timeout"]
    assert (run.faults[0].ended or 0.0) <= 0.15 + SETTLE_S + 0.02


def test_in_a_break_nobody_is_asked_and_no_clock_runs() -> None:
    run = Simulation(plan_of(), [Scripted(think_s=0.05), Scripted(think_s=0.05)])
    asked: list[float] = []
    sent = run.play.sent

    def noted(bot: int, now: float) -> None:
        asked.append(now)
        sent(bot, now)

    run.play.sent = noted  # type: ignore[method-assign]

    # Both bots are asked at 0 and answer into the break; what follows has to wait.
    run.at(0.03, lambda: run.host_clock.hold(run.now))
    run.at(30.0, lambda: run.host_clock.resume(run.now))
    run.run()
    run.verify()
    assert run.faults == []
    assert not [now for now in asked if 0.03 < now < 30.0]
    assert [now for now in asked if now >= 30.0]


def test_a_bot_that_is_silent_in_a_break_has_its_time_afterwards_and_no_more() -> None:
    run = Simulation(plan_of(), [Scripted(think_s=100.0), Scripted()])
    run.at(0.05, lambda: run.host_clock.hold(run.now))
    run.at(10.0, lambda: run.host_clock.resume(run.now))
    run.run()
    first = run.faults[0]
    assert first.kind == "timeout"
    assert first.began == pytest.approx(0.0)
    assert 10.0 < (first.ended or 0.0) < 10.2 + SETTLE_S


def in_parts(asks: pb.Asks) -> list[list[pb.Answer]]:
    """Each answer in a message of its own, and the last one twice."""
    answers = [[house_answer(ask)] for ask in asks.asks]
    return [*answers, answers[-1]]


@given(
    thinks=st.tuples(st.floats(0.001, 0.09), st.floats(0.001, 2.0)),
    share=st.floats(0.0, 1.0),
    late=st.floats(0.0, 4.0),
    breaks=st.lists(st.tuples(st.floats(0.0, 10.0), st.floats(0.0, 3.0)), max_size=4),
    parts=st.booleans(),
    thinkers=st.sampled_from([None, 1]),
)
def test_whatever_the_host_does_the_pass_ends_and_who_is_in_time_has_no_fault(
    thinks: tuple[float, float],
    share: float,
    late: float,
    breaks: list[tuple[float, float]],
    parts: bool,
    thinkers: int | None,
) -> None:
    plan = replace(plan_of(thinkers=thinkers, freeze=thinkers is not None), in_flight=3)
    other = Scripted(think_s=thinks[1], max_batch=3, answer=in_parts if parts else None)
    run = Reported(plan, [Scripted(think_s=thinks[0]), other], share=share, late_s=late)

    for began, length in breaks:
        run.at(began, lambda: run.host_clock.hold(run.now))
        run.at(began + length, lambda: run.host_clock.resume(run.now))
    run.run()
    run.verify()
    assert {fault.bot for fault in run.faults} <= {1}
    for fault in run.faults:
        if fault.kind is FaultKind.TIMEOUT:
            assert fault.began is not None
            assert fault.ended is not None
            assert fault.began < fault.ended
            assert run.host_clock.taken(fault.began, fault.ended) < fault.ended - fault.began


def test_a_start_is_given_back_what_the_host_took() -> None:
    for share, expected in ((0.0, ["refused_start"]), (0.8, [])):
        run = Reported(plan_of(), honest(2), share=share)
        run.play.hello(1, pb.Hello(max_batch=8), 0.0)
        run.play.awaited(0, 0.0)
        for beat in range(1, 350):
            while run._heap[0][0] <= beat / 100:
                run.step()
            run.play.tick(beat / 100)
        assert kinds(run) == expected
        if expected:
            assert run.faults[0].began == 0.0
            assert run.faults[0].ended is not None
        else:
            assert run.play.hello(0, pb.Hello(max_batch=8), run.now) is not None


@given(
    st.lists(st.tuples(st.floats(0, 20), st.floats(0.01, 5), st.floats(-1, 9)), max_size=12),
    st.lists(st.floats(0, 30), min_size=2, max_size=2).map(sorted),
    st.floats(0, 30),
    st.floats(0, 30),
)
def test_no_clock_gets_back_more_than_has_passed_whatever_is_told(
    told: list[tuple[float, float, float]], window: list[float], hold: float, resume: float
) -> None:
    clock = HostClock()
    for began, length, taken in told:
        clock.report(30.0, began, began + length, taken)
    if hold < resume:
        clock.hold(hold)
        clock.resume(resume)
    a, b = window
    middle = (a + b) / 2
    assert 0.0 <= clock.taken(a, b) <= b - a + 1e-9
    assert clock.taken(a, middle) + clock.taken(middle, b) >= clock.taken(a, b) - 1e-9


@asynccontextmanager
async def referee_process(plan: Any, folder: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    folders = [folder / str(bot) for bot in range(len(plan.bots))]
    for each in folders:
        each.mkdir()
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "referee",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    first = {"plan": to_json(plan), "folders": [[str(each) for each in folders]], "mode": 0o600}
    tell(child, first)
    try:
        yield child
    finally:
        child.kill()
        await child.wait()


def tell(child: asyncio.subprocess.Process, message: dict[str, Any]) -> None:
    assert child.stdin is not None
    child.stdin.write(json.dumps(message).encode() + b"\n")


async def hear(child: asyncio.subprocess.Process) -> dict[str, Any]:
    assert child.stdout is not None
    heard: dict[str, Any] = json.loads(await child.stdout.readline())
    return heard if heard["type"] not in ("lag", "asked") else await hear(child)


@pytest.mark.anyio
@pytest.mark.timeout(60)
async def test_the_referee_process_starts_nobody_in_a_break_and_goes_on_after_it() -> None:
    plan = plan_of(thinkers=1)
    host = {"type": "host", "from": 0.0, "to": 0.1, "foreign_ms": 0.0}
    with tempfile.TemporaryDirectory(prefix="bh") as name:
        async with referee_process(plan, Path(name)) as child:
            assert (await hear(child))["bots"] == [0]
            tell(child, {**host, "hold": True})
            assert await hear(child) == {"type": "hold", "on": True}
            async with grpc.aio.insecure_channel(f"unix:{name}/0/{SOCKET_NAME}") as channel:
                call = channel.stream_stream(METHOD, None, None)(None)
                await call.write(pb.FromBot(hello=pb.Hello()).SerializeToString())
                data: Any = await call.read()
                assert pb.ToBot.FromString(data).HasField("welcome")
                tell(child, {**host, "hold": True})
                tell(child, {**host, "hold": False})
                assert await hear(child) == {"type": "hold", "on": False}
                assert (await hear(child))["bots"] == [1]
