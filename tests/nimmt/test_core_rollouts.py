"""Rollouts: the same numbers compiled and pure, and means like those of the reference engine."""

import ctypes
import importlib
import threading
import time
from collections import Counter
from random import Random
from statistics import fmean, stdev

import pytest

from nimmt import KeyedBoard, State, TurnOptions, get, key_from_seed
from nimmt.choices import KINDS, Choice
from nimmt.core import CoreError, Policy, Rollouts, engine, playouts, rollouts
from nimmt.core.build import fingerprint
from nimmt.core.hints import Hint
from nimmt.core.library import open_library
from nimmt.core.policies import SLOT_RISK
from nimmt.search import Memory
from tests.nimmt.core_support import needs_core, positions
from tests.nimmt.support import TABLES, VARIANTS, Variant, label

POLICIES = [
    Policy.uniform(),
    Policy.greedy("gap", 0.2),
    Policy.softmax("cost", 1.5),
    Policy.softmax("slot_risk", 2.0),
    Policy.greedy("slot_risk", 0.0),
    Policy.softmax("gap", 30.0),
    Policy.softmax(
        "slot_risk",
        8.0,
        shape=[min(127, 2 * n) for n in range(128)],
        prior=[n % 40 for n in range(105)],
    ),
]


def random_hints(memory: Memory, rng: Random) -> list[Hint]:
    """Up to three choices of every other seat, with any meaning."""
    return [
        Hint(
            seat,
            rng.randint(1, 2**24),
            [rng.choice((0, rng.randint(0, 2**24))) for _ in range(105)],
        )
        for seat in range(memory.table.players)
        for _ in range(rng.randint(0, 3))
        if seat != memory.seat
    ]


def random_expected(memory: Memory, rng: Random) -> dict[int, list[int]]:
    """For some of the other seats, how likely each card is."""
    return {
        seat: [rng.randint(1, 2**24) for _ in range(105)]
        for seat in range(memory.table.players)
        if seat != memory.seat and rng.random() < 0.7
    }


def candidates(state: State, seat: int, most: int = 9) -> list[Choice]:
    legal = state.legal(seat)
    found = legal.sensible() if isinstance(legal, TurnOptions) else legal
    return list(found)[:most]


def opening(name: str, players: int, seed: int = 1) -> tuple[State, Memory]:
    """The first decision of a game as its first seat knows it."""
    rules = get(name)
    state = rules.start(players, KeyedBoard(key_from_seed(seed)))
    memory = Memory(rules, players, next(iter(state.pending)))
    for event in state.opening:
        memory.see(event)
    memory.look()
    return state, memory


def compare(state: State, memory: Memory, kind: str, rng: Random) -> None:
    """One search with some policies, compiled and pure."""
    eleven = state.rules.name == "eleven-nimmt"
    policies = [p for p in POLICIES if p.feature != SLOT_RISK or not eleven]
    seed, halving = rng.getrandbits(64), rng.random() < 0.5
    own, others = rng.choice(policies), rng.choice(policies)
    hints = random_hints(memory, rng) if rng.random() < 0.5 else []
    expected = random_expected(memory, rng) if kind == "card" and rng.random() < 0.5 else {}
    both = [
        memory.rollouts(
            kind, candidates(state, memory.seat), 40, seed,
            own=own, others=others, hints=hints, expected=expected, halving=halving, pure=pure,
        )
        for pure in (True, False)
    ]  # fmt: skip
    assert both[0] == both[1]


@needs_core
@pytest.mark.parametrize(("variant", "players"), TABLES, ids=label)
def test_the_same_seed_gives_the_same_numbers_compiled_and_pure(
    variant: Variant, players: int
) -> None:
    rng = Random(players)
    compared = 0
    for state, memory, kind in positions(variant, players, rng):
        if rng.random() < 0.1 or not compared:
            compare(state, memory, kind, rng)
            compared += 1
    assert compared


@needs_core
def test_they_agree_on_every_kind_of_decision() -> None:
    rng = Random(2)
    compared: Counter[str] = Counter()
    while len(compared) < len(KINDS):
        variant, players = rng.choice(TABLES)
        for state, memory, kind in positions(variant, players, rng):
            if compared[kind] < 5:
                compare(state, memory, kind, rng)
                compared[kind] += 1
        compared = +compared
    assert set(compared) == set(KINDS)


@pytest.mark.parametrize("name", ["six-nimmt", "x-nimmt", "eleven-nimmt"])
@pytest.mark.parametrize("players", [2, 4])
def test_means_agree_with_the_playouts_of_the_reference_within_their_errors(
    name: str, players: int
) -> None:
    state, memory = opening(name, players)
    choices = candidates(state, memory.seat, 3)
    kind = state.pending[memory.seat].kind
    found = memory.rollouts(kind, choices, 3 * 1500, 7)
    rng = Random(3)
    for i, choice in enumerate(choices):
        values = []
        for _ in range(600):
            points = memory.guess(kind, rng).playout(rng, {memory.seat: choice})
            own = points[memory.seat]
            values.append(own - (sum(points) - own) / (players - 1))
        error = (found.error(i) ** 2 + stdev(values) ** 2 / len(values)) ** 0.5
        assert abs(found.mean(i) - fmean(values)) < 4 * error


def test_means_errors_and_differences_are_those_of_the_values() -> None:
    state, memory = opening("six-nimmt", 3)
    choices = candidates(state, 0, 4)
    found = rollouts(memory.position("card"), choices, 400, 5)
    values = [
        [
            points[0] - (points[1] + points[2]) / 2
            for points in playouts(memory.position("card"), choice, 100, 5)
        ]
        for choice in choices
    ]
    for i, own in enumerate(values):
        assert found.counts[i] == 100
        assert found.mean(i) == pytest.approx(fmean(own))
        assert found.error(i) == pytest.approx(stdev(own) / 10)
        for j, other in enumerate(values):
            gains = [a - b for a, b in zip(own, other, strict=True)]
            assert found.difference(i, j) == pytest.approx((fmean(gains), stdev(gains) / 10))
    assert found.best == min(range(4), key=found.mean)


def test_halving_spends_most_on_those_that_are_hard_to_tell_apart() -> None:
    state, memory = opening("six-nimmt", 4)
    choices = candidates(state, 0, 10)
    found = memory.rollouts("card", choices, 4000, 2, halving=True)
    # Four stages of a thousand rollouts, with 10, 5, 3 and 2 candidates.
    assert sorted(found.counts) == [100] * 5 + [300] * 2 + [633] + [1133] * 2
    plain = memory.rollouts("card", choices, 40_000, 3)
    assert plain.mean(found.best) <= sorted(plain.mean(i) for i in range(10))[2]


def test_rollouts_in_parts_add_up() -> None:
    state, memory = opening("x-nimmt", 3)
    choices = candidates(state, 0, 4)
    whole = Rollouts.empty(choices, 3)
    whole.add(memory.rollouts("card", choices, 40, 1))
    part = memory.rollouts("card", [choices[1], choices[3]], 20, 2)
    whole.add(part, among=[1, 3])
    assert whole.counts == [10, 20, 10, 20]
    first = memory.rollouts("card", choices, 40, 1)
    assert whole.pair_sums[3][1] == first.pair_sums[3][1] + part.pair_sums[1][0]
    assert whole.played == 60


def longest_stop_during_a_call() -> float:
    """How long at most another thread stood still while the core ran, as a share of the call."""
    state, memory = opening("six-nimmt", 4)
    choices = candidates(state, 0, 10)
    took: list[float] = []

    def call() -> None:
        begin = time.perf_counter()
        memory.rollouts("card", choices, 400_000, 1)
        took.append(time.perf_counter() - begin)

    worker = threading.Thread(target=call)
    last, longest = time.perf_counter(), 0.0
    worker.start()
    while worker.is_alive():
        now = time.perf_counter()
        last, longest = now, max(longest, now - last)
    return max(longest, time.perf_counter() - last) / took[0]


@needs_core
def test_other_threads_go_on_while_the_core_runs() -> None:
    assert longest_stop_during_a_call() < 0.5


@needs_core
def test_a_core_that_keeps_the_interpreter_would_be_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = engine().path
    assert path is not None
    # The same library, loaded so that each call holds the lock of the interpreter.
    monkeypatch.setattr(ctypes, "CDLL", ctypes.PyDLL)
    locked = open_library(path, fingerprint() or "")
    # The package has a function of the name of this module.
    module = importlib.import_module("nimmt.core.rollouts")
    monkeypatch.setattr(module, "load", lambda pure=None: locked)
    assert longest_stop_during_a_call() > 0.5


@pytest.mark.parametrize("pure", [True, pytest.param(False, marks=needs_core)])
def test_it_refuses_what_makes_no_sense(pure: bool) -> None:
    _, memory = opening("six-nimmt", 4)
    hand = memory.position("card").hands[0]
    with pytest.raises(CoreError, match="got 0 candidates, expected 1 to 128"):
        memory.rollouts("card", [], 10, 1, pure=pure)
    with pytest.raises(CoreError, match="got a budget of 1, expected 2"):
        memory.rollouts("card", hand[:2], 1, 1, pure=pure)
    stranger = next(card for card in range(1, 105) if card not in hand)
    with pytest.raises(CoreError, match="legal"):
        memory.rollouts("card", [stranger], 10, 1, pure=pure)
    state, memory = opening("eleven-nimmt", 4)
    with pytest.raises(CoreError, match="no slots"):
        memory.rollouts(
            "turn", candidates(state, memory.seat), 10, 1,
            others=Policy.softmax("slot_risk"), pure=pure,
        )  # fmt: skip
    position = memory.position("turn")
    position.unseen = position.unseen[:3]
    with pytest.raises(CoreError, match="hidden cards and 3 that they may be"):
        rollouts(position, candidates(state, memory.seat), 10, 1, pure=pure)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Policy.greedy("luck"), "got the feature 'luck', expected one of gap"),
        (lambda: Policy.greedy("gap", 1.5), "expected a share from 0 to 1"),
        (lambda: Policy.softmax("gap", 0), "expected a number above 0"),
    ],
)
def test_a_policy_says_what_it_expected(make: object, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        make()  # type: ignore[operator]


def test_a_greedy_seat_lays_the_card_with_the_smallest_gap() -> None:
    """By hand: with two cards left each, what both seats will do is known."""
    variant = VARIANTS[2]
    state, memory = opening("six-nimmt", 2)
    position = memory.position("card")
    position.hands = [[50, 12], [60, 31]]
    position.rows = [[10], [30], [48], [59]]
    position.unseen = []
    careful = Policy.greedy("gap", 0)
    assert variant.rules == state.rules.name
    [points] = playouts(position, 12, 1, 1, own=careful, others=careful)
    assert points == [0, 0]
    # Told to lay 9, which no row takes, it takes the cheapest row: 48 has one head.
    position.hands = [[9, 12], [60, 31]]
    [points] = playouts(position, 9, 1, 1, own=careful, others=careful)
    assert points == [1, 0]
