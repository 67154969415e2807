"""What becomes of a match on an unfit host: time back, then a break, then void; never a charge."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nimmt
import store
from league.ladder import LadderPlan
from league.matches import HostUnfit, Player, SandboxStage, Slot, plan_for, play_match
from league.matches.fair import FairMatch
from league.matches.host import HostGuard
from league.matches.stage import VoidMatch
from league.settings import LeagueSettings
from league.worker import tick
from referee.faults import FaultKind
from referee.plan import MatchPlan, PlannedBot, TimeControl, one_pass
from referee.result import BotRecord, FaultRecord, MatchResult
from sandbox.api import CommandProgram
from sandbox.health import Span
from sandbox.host_sampler import HostSampler
from sandbox.limits import fair_limits
from sandbox.owner import Owner
from sandbox.process import ProcessSandbox
from store import Store
from tests.league.arena import add_version, open_ladder
from tests.league.world import play_due, wait_for
from tests.sandbox.busy import CORE, MadeUpHost, UnknowingSandbox
from tests.sandbox.machine import Machine, watched

FIELD = ("gap", "lowest", "random", "second")
ROOT = Path(__file__).resolve().parents[3]
QUICK = replace(fair_limits(), fit_seconds=0.3)
NEVER_HELD = replace(QUICK, lost_share=0.97, canary_ask=1000.0)
PLAN = LadderPlan(rules="six-nimmt", options={"rounds": 1}, table=4, boards=4, move_ms=60_000)
needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")
THINKER = """
import time
time.sleep({start})
from botkit import Bot, run

class Thinker(Bot):
    def choose_card(self, view):
        time.sleep({seconds})
        return min(self.legal)

    def choose_row(self, view):
        return min(self.legal)

run(Thinker, max_batch=1)
"""


def bot(seconds: float = 0.0, start: float = 0.0) -> CommandProgram:
    code = THINKER.format(seconds=seconds, start=start)
    return CommandProgram(argv=(sys.executable, "-c", code), cwd=ROOT)


def make_plan(move_ms: int = 10_000, start_ms: int = 60_000, **more: Any) -> MatchPlan:
    return MatchPlan(
        match="fair",
        rules="six-nimmt",
        options={"rounds": 1},
        bots=(PlannedBot(name="bot/0"), PlannedBot(name="bot/1")),
        passes=one_pass(2, 2),
        key=nimmt.key_from_seed(1).hex(),
        time=TimeControl(move_ms=move_ms, bank_ms=0, start_ms=start_ms),
        in_flight=1,
        **more,
    )


@contextmanager
def slot_on(host: MadeUpHost, limits: Any = QUICK, **more: Any) -> Iterator[Slot]:
    """A slot on a machine whose one core is as busy as the test says."""
    sampler = HostSampler(cores=host.read, limits=limits, canary=host)
    sampler.start()
    try:
        while sampler.is_fit([CORE]).reason.startswith("the host has been watched"):
            time.sleep(0.02)
        with sampler.table([CORE]) as table:
            yield Slot(cores=(CORE,), table=table, **more)
    finally:
        sampler.stop()


def fault(kind: str, began: float | None, ended: float | None, bot: int = 0) -> dict[str, Any]:
    return {"kind": kind, "bot": bot, "began": began, "ended": ended}


@given(
    kind=st.sampled_from([FaultKind.TIMEOUT, FaultKind.REFUSED_START]),
    late=st.integers(0, 9),
    foreign=st.floats(0.8, 1.0),
)
def test_starts_and_timeouts_on_an_unfit_host_are_void_whoever_was_late(
    kind: FaultKind, late: int, foreign: float
) -> None:
    machine = Machine()
    slot = Slot(cores=machine.cores, table=watched(machine))
    machine.go(2.0)
    during = machine.go(3.0, foreign=foreign)
    with pytest.raises(HostUnfit, match="the host was unfit: others took") as found:
        FairMatch(slot).excuse(fault(kind, *during, bot=late))
    assert found.value.evidence is not None
    assert found.value.evidence["host"]["foreign_share"] == pytest.approx(foreign, abs=0.05)
    told = FairMatch(replace(slot, void=False)).excuse(fault(kind, *during, bot=late))
    assert told is not None
    assert told.startswith("others took")


@given(kind=st.sampled_from([FaultKind.TIMEOUT, FaultKind.REFUSED_START]), own=st.floats(0.0, 1.0))
def test_what_a_bot_does_on_a_calm_host_is_its_own(kind: FaultKind, own: float) -> None:
    machine = Machine()
    slot = Slot(cores=machine.cores, table=watched(machine))
    machine.go(10.0, foreign=1.0)
    machine.go(0.5)
    during = machine.go(3.0, own=own)
    assert FairMatch(slot).excuse(fault(kind, *during)) is None


@pytest.mark.parametrize("kind", sorted(set(FaultKind) - {"timeout", "refused_start"}))
def test_a_fault_that_is_not_one_of_time_has_no_excuse(kind: str) -> None:
    machine = Machine()
    slot = Slot(cores=machine.cores, table=watched(machine))
    during = machine.go(3.0, foreign=1.0)
    assert FairMatch(slot).excuse(fault(kind, *during)) is None
    assert FairMatch(slot).excuse(fault(FaultKind.REFUSED_START, None, None)) is None


@pytest.mark.heavy
@pytest.mark.anyio
@needs_proc
@pytest.mark.timeout(300)
async def test_a_bot_is_given_back_what_others_took_and_the_match_counts() -> None:
    with slot_on(MadeUpHost(0.95), NEVER_HELD) as slot:
        plan = make_plan(move_ms=250)
        result = await play_match(plan, UnknowingSandbox(), [bot(0.4), bot()], slot=slot)
    assert result.complete
    assert [one.faults for one in result.bots] == [(), ()]
    assert result.given_ms > 0
    assert result.held_s == 0
    assert result.not_measured is None


@pytest.mark.anyio
@needs_proc
@pytest.mark.timeout(300)
async def test_an_unfit_host_holds_the_match_and_it_goes_on_when_the_host_is_fit() -> None:
    host = MadeUpHost(1.0)
    seen: list[dict[str, Any]] = []

    def on_event(message: dict[str, Any]) -> None:
        seen.append(message)
        if message["type"] == "hold" and message["on"]:
            host.calm_down()

    with slot_on(host, patience_s=200.0) as slot:
        result = await play_match(
            make_plan(), ProcessSandbox(), [bot(), bot()], on_event, slot=slot
        )
    assert result.complete
    assert result.held_s > 0
    assert [one.faults for one in result.bots] == [(), ()]
    assert [message["on"] for message in seen if message["type"] == "hold"][:2] == [True, False]


@pytest.mark.anyio
@needs_proc
@pytest.mark.timeout(300)
async def test_a_match_that_is_held_for_too_long_is_void() -> None:
    with (
        slot_on(MadeUpHost(1.0), patience_s=1.0) as slot,
        pytest.raises(HostUnfit, match="nobody could be asked for"),
    ):
        await play_match(make_plan(), ProcessSandbox(), [bot(), bot()], slot=slot)


@pytest.mark.heavy(but="timeout-0")
@pytest.mark.anyio
@needs_proc
@pytest.mark.timeout(300)
@pytest.mark.parametrize("late", [0, 1])
@pytest.mark.parametrize(
    ("clocks", "slow"),
    [({"move_ms": 100}, {"seconds": 30.0}), ({"start_ms": 2000}, {"start": 60.0})],
    ids=["timeout", "refused_start"],
)
async def test_lateness_while_others_had_the_core_voids_a_real_match(
    late: int, clocks: dict[str, int], slow: dict[str, float], request: pytest.FixtureRequest
) -> None:
    bots = [bot(**slow) if seat == late else bot() for seat in range(2)]
    kind = request.node.callspec.id.split("-")[0]
    with (
        slot_on(MadeUpHost(0.85), hold=False) as slot,
        pytest.raises(HostUnfit, match=f"others took .* during a {kind}"),
    ):
        await play_match(make_plan(**clocks), UnknowingSandbox(), bots, slot=slot)


@pytest.mark.anyio
@needs_proc
@pytest.mark.timeout(300)
async def test_a_slow_bot_on_a_calm_host_is_charged() -> None:
    with slot_on(MadeUpHost(0.0)) as slot:
        plan = make_plan(move_ms=200, max_faults=1)
        result = await play_match(plan, ProcessSandbox(), [bot(1.0), bot()], slot=slot)
    assert [found.kind for found in result.bots[0].faults] == [FaultKind.TIMEOUT]
    assert result.given_ms == 0


@pytest.mark.anyio
@pytest.mark.timeout(300)
async def test_without_cores_a_match_is_played_and_marked() -> None:
    result = await play_match(make_plan(), ProcessSandbox(), [bot(), bot()])
    assert result.complete
    assert result.not_measured == "host not measured: nobody watches it"
    sampler = HostSampler(cores=dict)
    with sampler.table(()) as table:
        result = await play_match(
            make_plan(), ProcessSandbox(), [bot(), bot()], slot=Slot(table=table)
        )
    assert result.complete
    assert result.not_measured is not None
    assert result.not_measured.startswith("host not measured")


@needs_proc
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores cannot be chosen here")
def test_a_referee_is_kept_off_the_bots_cores_or_counted_as_the_tables_own() -> None:
    machine = Machine()
    table = watched(machine)
    free = min(os.sched_getaffinity(0))
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        Slot(cores=machine.cores, others=(free,), table=table).take_in_referee(child.pid)
        assert os.sched_getaffinity(child.pid) == {free}
        assert table.used() == 0.0, "it uses other cores"
        Slot(cores=machine.cores, table=table).take_in_referee(child.pid)
        wait_for(lambda: (table.used() or 0.0) > 0.0)
    finally:
        child.kill()
        child.wait()
        assert child.stdin is not None
        child.stdin.close()


@pytest.mark.parametrize(
    ("slot", "contained", "thinkers", "freeze"),
    [
        (Slot(), False, None, False),
        (Slot(cores=(1, 2)), False, None, False),
        (Slot(), True, 1, True),
        (Slot(cores=(1, 2)), True, 2, True),
        (Slot(cores=(1, 2), table=watched(Machine((1, 2)))), False, 2, False),
    ],
)
def test_no_more_bots_think_than_a_slot_has_cores(
    slot: Slot, contained: bool, thinkers: int | None, freeze: bool
) -> None:
    plan = plan_for(slot, make_plan(), contained=contained)
    assert (plan.thinkers, plan.freeze) == (thinkers, freeze)
    own = plan_for(slot, make_plan(thinkers=1), contained=False)
    assert own.thinkers == 1, "who asked for it gets it"


@pytest.mark.timeout(300)
@needs_proc
def test_an_unfit_host_never_brings_a_match_nearer_to_stuck(
    database: Store, chosen: LeagueSettings
) -> None:
    """More attempts than make a match stuck, on a host that stays busy; then it calms down."""
    for name in FIELD:
        add_version(database, f"owner-of-{name}/{name}", "sample:lowest")
    open_ladder(database, PLAN)
    [bell] = tick.tick(database, chosen).matches[:1]
    owner, attempts = Owner(), store.attempts.MAX_FAILURES + 1
    host = MadeUpHost(1.0)
    with slot_on(host, patience_s=0.5) as slot:
        stage = SandboxStage(ProcessSandbox, owner, slot=slot)
        player = Player(database, chosen, stage, "here", Event())
        for _ in range(attempts):
            assert player.play(bell.match_id) is not None, "it waits again"
        host.calm_down()
        player.stage = SandboxStage(ProcessSandbox, owner, slot=replace(slot, patience_s=200.0))
        player.play(bell.match_id)
    owner.close()
    with database.read() as session:
        match = store.present(session, store.Match, bell.match_id)
        tried = store.match_lists.attempts(session, bell.match_id)
    assert (match.state, match.failures) == (store.MatchState.DONE, 0)
    void = [one for one in tried if one.state is store.AttemptState.VOID]
    assert len(void) == attempts
    for one in void:
        assert not one.charged
        assert one.reason.startswith("the host was unfit: our own small bot took 0.50 s")
        assert one.evidence is not None
        assert one.evidence["host"]["foreign_share"] > 0.5  # type: ignore[index]
    [done] = [one for one in tried if one.state is store.AttemptState.DONE]
    assert done.evidence is not None
    assert done.evidence["host"]["measured"] is True  # type: ignore[index]


def test_a_match_without_a_watch_is_stored_as_not_measured(
    database: Store, chosen: LeagueSettings
) -> None:
    open_ladder(database)
    assert play_due(database, chosen, most=1) == 1
    with database.read() as session:
        [match] = store.match_lists.matches(session, states=[store.MatchState.DONE])
        [attempt] = store.match_lists.attempts(session, match.id)
    assert attempt.evidence is not None
    assert "given_ms" in attempt.evidence["host"]  # type: ignore[operator]


def quiet(*faults: FaultRecord) -> BotRecord:
    return BotRecord(asks=0, timeouts=0, median_ms=None, worst_ms=None, think_s=0.0, faults=faults)


async def played_beside(silences: list[Span], fault: FaultRecord) -> MatchResult:
    """A match with one fault, on a machine whose engine was silent at those times."""

    class Watch:
        def __init__(self, *_: object) -> None:
            pass

        async def __aenter__(self) -> "Watch":
            return self

        async def __aexit__(self, *_: object) -> None:
            return None

        def silences(self) -> list[Span]:
            return silences

    class NoEngine:
        def close(self) -> None:
            pass

    late = MatchResult(
        games=(), bots=(quiet(fault),), complete=True, decisions=0, wall_s=1.0, lag_ms=0.0
    )

    async def playing() -> MatchResult:
        await asyncio.sleep(0)
        return late

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("league.matches.host.watch_host", Watch)
        return await HostGuard(NoEngine).watch(playing())  # type: ignore[arg-type]


def a_fault(kind: FaultKind, began: float | None = 100.0, ended: float | None = 110.0) -> Any:
    return FaultRecord(
        bot=0, pass_no=0, kind=kind, cause="late", out=False, began=began, ended=ended
    )


@pytest.mark.anyio
@pytest.mark.parametrize("kind", [FaultKind.TIMEOUT, FaultKind.REFUSED_START])
@pytest.mark.parametrize("silence", [(50.0, 101.0), (102.0, 108.0), (109.0, 150.0), (50.0, 150.0)])
async def test_lateness_while_the_engine_was_silent_is_void_and_uncharged(
    kind: FaultKind, silence: Span
) -> None:
    with pytest.raises(VoidMatch, match=f"the engine was silent .* during a {kind}") as found:
        await played_beside([(1.0, 30.0), silence], a_fault(kind))
    assert found.value.cause.is_the_workers
    assert found.value.evidence is not None
    assert found.value.evidence["fault_seconds"] == 10.0


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("silences", "fault"),
    [
        ([(10.0, 60.0), (120.0, 150.0)], a_fault(FaultKind.TIMEOUT)),
        ([(10.0, 60.0), (120.0, 150.0)], a_fault(FaultKind.REFUSED_START)),
        ([], a_fault(FaultKind.TIMEOUT)),
        ([(50.0, 150.0)], a_fault(FaultKind.CRASHED)),
        ([(50.0, 150.0)], a_fault(FaultKind.REFUSED_START, None, None)),
    ],
    ids=["late at another time", "started late", "no silence", "not of time", "time unknown"],
)
async def test_a_fault_at_another_time_than_the_engines_silence_counts(
    silences: list[Span], fault: FaultRecord
) -> None:
    result = await played_beside(silences, fault)
    assert result.bots[0].faults == (fault,)
