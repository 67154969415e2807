"""The model behind docs/scale.md agrees with what arithmetic says where arithmetic can say it."""

import pytest

from bench.scale_model import Costs, Plan, simulate

COSTS = Costs(
    claim=0.004, beat=0.001, finish=0.03, sign=0.001, tick=0.1, tick_database=0.05, plan=0.0005,
    plan_database=0.0003, bell=0.0002, file=0.005,
)  # fmt: skip


def changed(**costs: float) -> Costs:
    from dataclasses import replace

    return replace(COSTS, **costs)


def test_a_league_with_room_plays_as_fast_as_its_slots() -> None:
    out = simulate(Plan(workers=50, match_seconds=30.0), COSTS)
    assert out.idle < 0.02
    assert out.matches == pytest.approx(50 * 900 / 30, rel=0.1)


def test_the_load_of_the_database_is_rate_times_cost() -> None:
    plan = Plan(workers=50, match_seconds=30.0, database_cores=2)
    out = simulate(plan, COSTS)
    [database] = [one for one in out.stations if one.name == "database"]
    each = COSTS.claim + COSTS.finish + COSTS.plan_database + 1.5 * COSTS.beat
    signs = plan.workers * plan.seconds / plan.sign_seconds * COSTS.sign
    ticks = plan.seconds / plan.tick_seconds * COSTS.tick_database
    expected = (out.matches * each + signs + ticks) / (2 * plan.seconds)
    assert database.load(plan.seconds) == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize(
    ("costs", "name", "a_second"),
    [(changed(finish=0.5), "database", 2 / 0.5), (changed(file=0.25), "file service", 1 / 0.25)],
)
def test_what_is_too_slow_sets_the_pace(costs: Costs, name: str, a_second: float) -> None:
    out = simulate(Plan(workers=200, match_seconds=10.0, database_cores=2), costs)
    assert out.fullest.name == name
    assert out.matches / out.seconds == pytest.approx(a_second, rel=0.15)


def test_a_clock_that_takes_too_long_lets_slots_run_dry() -> None:
    quick = simulate(Plan(workers=100, match_seconds=5.0), COSTS)
    slow = simulate(Plan(workers=100, match_seconds=5.0), changed(tick=30.0))
    assert quick.idle < 0.05
    assert slow.idle > 0.4
    assert slow.fullest.name == "clock"
