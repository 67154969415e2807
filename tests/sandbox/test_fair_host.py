"""Whose time it was: busy hosts excuse, busy bots do not, and only at the time of the fault."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.canary import Sighting, late_canary
from sandbox.host_sampler import HostSampler, read_cores
from sandbox.host_time import CoreTimes, Sample, Timeline, judge, parse_stat
from sandbox.limits import fair_limits
from tests.sandbox.machine import Machine, watched

LIMITS = fair_limits()
shares = st.floats(0.0, 1.0)
CORES = st.sampled_from([(1,), (1, 3), (2, 3, 5, 7)])


@given(own=shares, cores=CORES, seconds=st.floats(0.3, 20.0))
def test_a_bot_that_makes_its_own_cores_busy_is_charged(
    own: float, cores: tuple[int, ...], seconds: float
) -> None:
    """Sixty-four threads, thrashing or sleeping: whatever it does, it is its own time."""
    machine = Machine(cores)
    table = watched(machine)
    machine.go(3.0, own=0.1)
    fault = machine.go(seconds, own=own)
    for verdict in (table.judge_ask(*fault), table.judge_start(*fault), table.is_fit()):
        assert verdict.fit, verdict.reason
        assert verdict.measured
    assert table.foreign_ms(*fault) == 0.0


@given(noise=st.floats(0.0, 0.02), seconds=st.floats(0.3, 20.0))
def test_a_slow_bot_on_a_calm_host_is_charged(noise: float, seconds: float) -> None:
    machine = Machine()
    table = watched(machine)
    fault = machine.go(seconds, own=0.9, foreign=noise)
    assert table.judge_ask(*fault).fit
    assert table.foreign_ms(*fault) == 0.0


@given(
    foreign=st.floats(0.8, 1.0),
    stolen=shares,
    own=shares,
    cores=CORES,
    seconds=st.floats(1.0, 20.0),
)
def test_foreign_load_and_steal_that_overlap_the_fault_excuse_it(
    foreign: float, stolen: float, own: float, cores: tuple[int, ...], seconds: float
) -> None:
    machine = Machine(cores)
    table = watched(machine)
    machine.go(2.0, own=0.5)
    rest = (1.0 - foreign) * own
    fault = machine.go(seconds, foreign=foreign * (1.0 - stolen), steal=foreign * stolen, own=rest)
    for verdict in (table.judge_ask(*fault), table.judge_start(*fault)):
        assert not verdict.fit
        assert verdict.share == pytest.approx(foreign, abs=0.05)
        assert "others took" in verdict.reason
    wall_ms = (fault[1] - fault[0]) * 1000
    expected = min(wall_ms, wall_ms * foreign * len(cores))
    assert table.foreign_ms(*fault) == pytest.approx(expected, abs=40 * len(cores))


@given(before=st.booleans(), gap=st.floats(0.2, 5.0), seconds=st.floats(0.5, 5.0))
def test_foreign_load_at_another_time_excuses_nothing(
    before: bool, gap: float, seconds: float
) -> None:
    machine = Machine()
    table = watched(machine)
    machine.go(1.0)
    if before:
        machine.go(10.0, foreign=1.0)
        machine.go(gap)
    fault = machine.go(seconds, own=1.0)
    if not before:
        machine.go(gap)
        machine.go(10.0, foreign=1.0)
    assert table.judge_ask(*fault).fit
    assert table.judge_start(*fault).fit
    assert table.foreign_ms(*fault) == 0.0


@given(st.lists(st.tuples(shares, shares, shares), min_size=1, max_size=30), shares, shares)
def test_no_more_time_is_given_back_than_has_passed_and_parts_add_up(
    life: list[tuple[float, float, float]], first: float, second: float
) -> None:
    machine = Machine((1, 2))
    table = watched(machine)
    began = machine.now
    for own, foreign, steal in life:
        whole = max(1.0, own + foreign + steal)
        machine.go(0.5, own=own / whole, foreign=foreign / whole, steal=steal / whole)
    cut = sorted([began + (machine.now - began) * part for part in (first, second)])
    points = [began, *cut, machine.now]
    parts = [table.foreign_ms(a, b) for a, b in pairwise(points)]
    for (a, b), ms in zip(pairwise(points), parts, strict=True):
        assert 0.0 <= ms <= (b - a) * 1000 + 1e-6
    assert sum(parts) <= (machine.now - began) * 1000 + 1e-6


@given(foreign=shares, seconds=st.floats(0.3, 20.0))
def test_a_bot_that_stalls_when_it_senses_load_is_charged(foreign: float, seconds: float) -> None:
    """It did not want the time that others had."""
    machine = Machine()
    table = watched(machine)
    machine.go(1.0, waited=0.0)
    fault = machine.go(seconds, foreign=foreign, waited=0.0)
    assert table.judge_ask(*fault).fit
    assert table.judge_start(*fault).fit
    assert table.foreign_ms(*fault) == 0.0


@given(others=st.integers(1, 20), seconds=st.floats(1.0, 20.0))
def test_a_bot_that_thinks_is_given_back_just_what_it_waited_for_beside_others(
    others: int, seconds: float
) -> None:
    """It shares its core evenly with others; only where they leave too little is a fault void."""
    machine = Machine()
    table = watched(machine)
    machine.go(1.0, waited=0.0)
    lost = others / (others + 1)
    began, ended = machine.go(seconds, own=1.0 - lost, foreign=lost, waited=lost)
    expected = (ended - began) * lost * 1000
    assert table.foreign_ms(began, ended) == pytest.approx(expected, abs=40)
    assert table.judge_ask(began, ended).fit == (lost <= LIMITS.lost_share)


@given(threads=st.integers(1, 64), foreign=st.floats(0.0, 0.03), seconds=st.floats(0.3, 20.0))
def test_a_bot_that_makes_itself_wait_with_threads_of_its_own_is_charged(
    threads: int, foreign: float, seconds: float
) -> None:
    machine = Machine()
    table = watched(machine)
    machine.go(1.0, waited=0.0)
    fault = machine.go(seconds, own=1.0 - foreign, foreign=foreign, waited=threads - 1.0)
    assert table.judge_ask(*fault).fit
    assert table.foreign_ms(*fault) == 0.0


@pytest.mark.parametrize(
    ("machine", "why"),
    [(Machine(blind=True), "no counters"), (Machine(cores=()), "no cores of its own")],
)
def test_what_cannot_be_measured_is_never_unfit(machine: Machine, why: str) -> None:
    table = watched(machine)
    fault = machine.go(3.0)
    for verdict in (table.judge_ask(*fault), table.judge_start(*fault), table.is_fit()):
        assert verdict.fit
        assert not verdict.measured
        assert verdict.reason.startswith("host not measured")
    assert why in table.judge_ask(*fault).reason
    assert table.foreign_ms(*fault) == 0.0


def test_a_bot_whose_time_is_unknown_makes_its_table_unmeasured_not_foreign() -> None:
    machine = Machine()
    table = watched(machine)
    table.add(lambda: None)
    fault = machine.go(3.0, foreign=1.0)
    assert not table.judge_ask(*fault).measured
    assert table.judge_ask(*fault).fit


def test_a_fault_from_before_the_watch_or_after_the_ring_is_not_judged() -> None:
    machine = Machine()
    table = watched(machine)
    machine.go(200.0, foreign=1.0)
    assert not table.judge_ask(0.0, 900.0).measured
    assert not table.judge_ask(machine.now - 199.0, machine.now - 190.0).measured
    assert not table.judge_ask(machine.now + 1.0, machine.now + 2.0).measured
    assert table.judge_ask(machine.now - 100.0, machine.now - 99.0).measured


def test_after_a_match_its_own_time_is_still_told_from_what_came_later() -> None:
    machine = Machine()
    table = watched(machine)
    fault = machine.go(2.0, own=1.0)
    machine.match.close()
    machine.go(3.0, foreign=1.0)
    assert table.judge_ask(*fault).fit
    assert table.judge_ask(*fault).measured
    assert table.judge_ask(fault[0], fault[1] + 0.5).fit
    assert not table.judge_ask(fault[1] + 1.0, fault[1] + 2.0).measured


def test_a_match_begins_on_a_host_that_was_calm_for_long_enough() -> None:
    machine = Machine()
    machine.sampler.sample()
    machine.go(1.0)
    early = machine.sampler.is_fit((1,))
    assert not early.fit
    assert "watched for 1.0 s of 2 s" in early.reason
    machine.go(2.0)
    assert machine.sampler.is_fit((1,)).fit
    machine.go(1.0, foreign=0.9)
    busy = machine.sampler.is_fit((1,))
    assert busy.fit, "what others take is given back"
    assert busy.reason == "others use 45% of core 1"
    machine.go(2.0, late=True)
    late = machine.sampler.is_fit((1,))
    assert not late.fit
    assert late.measured
    assert late.reason == "our own small bot took 0.50 s to answer (limit 0.12 s)"
    machine.go(2.6)
    assert machine.sampler.is_fit((1,)).fit
    machine.now += 10.0
    assert not machine.sampler.is_fit((1,)).measured


def test_a_core_that_goes_away_is_not_measured() -> None:
    machine = Machine((1, 2))
    table = watched(machine)
    machine.go(1.0)
    del machine.idle[2]
    machine.cores = (1,)
    fault = machine.go(2.0, foreign=1.0)
    assert not table.judge_ask(*fault).measured


def test_counters_that_run_backwards_are_no_evidence() -> None:
    """Kernels do that to idle time now and then, when a core sleeps or comes back."""
    timeline = Timeline(10)
    for at, idle, own in ((0.0, 10.0, 5.0), (1.0, 9.0, 4.0)):
        times = {1: CoreTimes(idle=idle, steal=0.0)}
        timeline.add(Sample(at=at, cores=times, used={"table": own}))
    span = timeline.between(0.0, 1.0, (1,), "table")
    assert span is not None
    assert (span.idle, span.own) == (0.0, 0.0)
    assert 0.0 <= span.share <= 1.0
    assert judge(span, (1,), LIMITS).measured


def test_a_canary_that_was_late_at_that_time_is_a_witness_for_starts() -> None:
    slow_start = Sighting(kind="start", began=10.0, ended=14.0)
    slow_answer = Sighting(kind="ask", began=20.0, ended=20.9)
    seen = [Sighting(kind="ask", began=5.0, ended=5.01), slow_start, slow_answer]
    assert late_canary(seen, 0.0, 9.0, LIMITS) is None
    assert "4.00 s to start" in (late_canary(seen, 13.0, 19.0, LIMITS) or "")
    assert late_canary(seen, 14.5, 19.0, LIMITS) is None
    assert "0.90 s to answer" in (late_canary(seen, 20.5, 30.0, LIMITS) or "")


def test_a_single_hiccup_of_the_canary_among_punctual_answers_says_nothing() -> None:
    late = Sighting(kind="ask", began=20.0, ended=20.9)
    quick = [Sighting(kind="ask", began=at, ended=at + 0.02) for at in (18.0, 19.0, 22.0)]
    assert late_canary([*quick[:1], late], 17.0, 21.0, LIMITS) is None
    assert late_canary([*quick, late], 17.0, 23.0, LIMITS) is None
    assert late_canary([*quick, late], 20.5, 21.0, LIMITS) is not None


def test_what_the_canary_has_not_answered_yet_says_nothing_until_it_is_late() -> None:
    late = Sighting(kind="ask", began=20.0, ended=20.9)
    begun = Sighting(kind="ask", began=21.9, ended=22.0, over=False)
    assert late_canary([begun], 20.0, 22.0, LIMITS) is None
    assert late_canary([late, begun], 20.0, 22.0, LIMITS) is not None
    assert late_canary(
        [Sighting(kind="ask", began=21.0, ended=22.0, over=False)], 20.0, 22.0, LIMITS
    )


def test_the_counters_of_this_machine_are_read() -> None:
    cores = read_cores()
    assert all(times.idle >= 0.0 for times in cores.values())
    sampler = HostSampler()
    sampler.sample()
    with sampler.table(tuple(cores)[:1]) as table:
        assert table.used() == 0.0


def test_lines_of_other_things_and_old_kernels_are_passed_over() -> None:
    assert parse_stat("cpu0 1 2 3 4\nsoftirq 1\n\ncpufreq 1 1 1 1 1 1 1 1", 100) == {}
