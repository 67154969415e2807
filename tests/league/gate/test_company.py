"""The panel of a gate: dealt evenly, named in the verdict, and told when the company decides."""

from collections import Counter
from itertools import islice

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from league.gate.company import GateStep, deal, gate_company

SD = 6.0


@given(st.integers(1, 12), st.integers(1, 9), st.integers(0, 1000))
def test_all_of_the_panel_are_dealt_equally_often(pool: int, seats: int, seed: int) -> None:
    panel = [f"b{i}" for i in range(pool)]
    hands = list(islice(deal(panel, seats, str(seed)), 40))
    assert all(len(hand) == seats for hand in hands)
    if pool >= seats:
        assert all(len(set(hand)) == seats for hand in hands)
    dealt = Counter(one for hand in hands for one in hand)
    assert set(dealt) == set(panel)
    assert max(dealt.values()) - min(dealt.values()) <= 2
    assert hands == list(islice(deal(panel, seats, str(seed)), 40)), "the same seed, the same hands"


def steps(rng: np.random.Generator, gains: dict[str, float], count: int) -> list[GateStep]:
    """Tables of three dealt from the panel; the gain is the sum of what each opponent gives."""
    made = []
    for hand in islice(deal(sorted(gains), 3, "1"), count):
        mean = sum(gains[one] for one in hand)
        blocks = tuple(float(x) for x in rng.normal(mean, SD, 20))
        made.append(GateStep(opponents=hand, differences=blocks))
    return made


def test_a_gain_that_comes_from_one_opponent_is_told() -> None:
    rng = np.random.default_rng(1)
    found = gate_company(steps(rng, {"a": 6.0, "b": 0.0, "c": 0.0, "d": 0.0, "e": -6.0}, 20))
    assert found.depends
    assert found.opponents[0].opponent == "a"
    assert found.opponents[-1].opponent == "e"
    assert found.opponents[0].gain > 1 > -1 > found.opponents[-1].gain
    assert "depends on the company" in found.words
    assert all(name in found.words for name in "abcde")


def test_luck_alone_is_seldom_taken_for_company() -> None:
    alarms = 0
    for seed in range(200):
        rng = np.random.default_rng([seed, 2])
        alarms += gate_company(steps(rng, dict.fromkeys("abcde", 0.3), 12)).depends
    assert alarms <= 8, "one per cent is asked for; two hundred runs know it to 0.7"


def test_without_results_nothing_is_said() -> None:
    assert gate_company([]).words == ""
    alone = gate_company([GateStep(opponents=("a", "b"), differences=(1.0, 2.0))])
    assert alone.words == "Against these, gain in points per round beside each: a, b."
    assert not alone.depends
