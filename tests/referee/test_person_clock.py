"""A person at the table thinks by a clock of their own, and bots by theirs."""

from dataclasses import replace

import pytest

from referee.plan import PlannedBot, TimeControl, one_pass
from tests.referee.simulation import Scripted, Simulation, make_plan


@pytest.mark.parametrize(("think_s", "in_time"), [(0.05, True), (0.5, False), (20.0, False)])
def test_a_bot_is_late_by_its_own_clock_while_a_person_thinks_for_half_a_minute(
    think_s: float, in_time: bool
) -> None:
    plan = make_plan(3, time=TimeControl(move_ms=100, bank_ms=0), in_flight=1, max_faults=99)
    person = PlannedBot(name="a person", person=True, time=TimeControl(move_ms=60_000, bank_ms=0))
    plan = replace(plan, bots=(plan.bots[0], person, plan.bots[2]), passes=one_pass(3, 1))
    bots = [Scripted(), Scripted(think_s=30.0, max_batch=1, events=True), Scripted(think_s=think_s)]
    run = Simulation(plan, bots).run()
    run.verify()
    assert {fault.bot for fault in run.faults} == (set() if in_time else {2})
    assert {fault.kind.value for fault in run.faults} == (set() if in_time else {"timeout"})
    assert bots[1].asks > 0
