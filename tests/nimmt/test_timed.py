"""A search that looks at a clock: it keeps to its time, and uses it."""

from collections.abc import Sequence
from random import Random

import pytest

from nimmt import KeyedBoard, get, key_from_seed, timed
from nimmt.choices import Choice
from nimmt.core import Position, Rollouts
from nimmt.search import Memory
from nimmt.timed import LONGEST, TimedSearch


class Machine:
    """A clock, and rollouts that take their time by it: on the eighth of them the machine is busy.

    Of two choices the earlier is always the better one.
    """

    def __init__(self, cost: float, busy: float = 1.0) -> None:
        self.cost = cost
        self.busy = busy
        self.now = 100.0
        self.calls = 0

    def clock(self) -> float:
        return self.now

    def rollouts(
        self, position: Position, choices: Sequence[Choice], budget: int, seed: int, **_: object
    ) -> Rollouts:
        self.calls += 1
        self.now += budget * self.cost * (self.busy if self.calls == 8 else 1.0)
        made = Rollouts.empty(choices, position.players)
        made.counts = [budget // len(choices)] * len(choices)
        made.sums = [made.counts[0] * int(choice) for choice in choices if isinstance(choice, int)]
        return made


def search(machine: Machine, seconds: float, monkeypatch: pytest.MonkeyPatch) -> Rollouts:
    """The first card of a game."""
    rules = get("six-nimmt")
    state = rules.start(4, KeyedBoard(key_from_seed(1)))
    memory = Memory(rules, 4, 0)
    for event in state.opening:
        memory.see(event)
    memory.look()
    monkeypatch.setattr(timed, "rollouts", machine.rollouts)
    hand = sorted(state.view(0).hand)
    return TimedSearch(machine.clock).search(memory.position("card"), hand, seconds, Random(1))


@pytest.mark.parametrize("cost", [4e-7, 3e-6, 3e-5])
def test_it_uses_its_time_and_no_more(cost: float, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(cost)
    found = search(machine, 0.05, monkeypatch)
    assert 0.035 < machine.now - 100 <= 0.05 + 20 * cost
    assert found.best == 0
    # Ten, five, three, two: whoever is in a later stage was in all before.
    assert found.counts == sorted(found.counts, reverse=True)
    assert [found.counts.count(count) for count in sorted(set(found.counts))] == [5, 2, 1, 2]


def test_a_machine_that_gets_busy_costs_one_short_portion(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(3e-6, busy=5)
    search(machine, 0.05, monkeypatch)
    assert machine.now - 100 <= 0.05 + 5 * LONGEST


def test_on_a_machine_that_is_far_too_slow_every_choice_is_tried_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine = Machine(0.01)
    assert search(machine, 0.05, monkeypatch).counts == [2] * 10
    assert machine.calls == 1
