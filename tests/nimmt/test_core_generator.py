"""The generator: the same numbers in C and Python, fair, and the same for ever."""

from collections import Counter
from ctypes import c_uint8

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nimmt import get
from nimmt.core.library import load
from nimmt.generator import Generator, SeededBoard
from tests.nimmt.core_support import needs_core

words = st.integers(0, 2**64 - 1)


@needs_core
@given(words, words, words, st.lists(st.integers(0, 128), max_size=60))
def test_c_and_python_give_the_same_numbers(
    seed: int, first: int, second: int, bounds: list[int]
) -> None:
    library = load(False)
    assert library is not None
    numbers = (c_uint8 * len(bounds))()
    last = library.nimmt_random(
        seed, first, second, (c_uint8 * len(bounds))(*bounds), len(bounds), numbers
    )
    rng = Generator.stream(seed, first, second)
    assert [rng.below(n) for n in bounds] == list(numbers)
    assert rng.bits() == last


def test_the_numbers_are_fixed_for_ever() -> None:
    rng = Generator(20261118)
    assert [rng.below(104) for _ in range(8)] == [68, 7, 81, 0, 90, 4, 45, 15]
    assert hex(rng.bits()) == "0x99c9554ea15c624"
    cards = list(range(10))
    Generator.stream(1, 2, 3).shuffle(cards)
    assert cards == [0, 2, 8, 7, 5, 1, 6, 4, 9, 3]


@pytest.mark.parametrize("n", [2, 3, 7, 10, 64, 104])
def test_every_number_comes_as_often_as_any_other(n: int) -> None:
    rng = Generator(n)
    draws = 400 * n
    counts = Counter(rng.below(n) for _ in range(draws))
    assert set(counts) == set(range(n))
    # Chi-squared with n - 1 degrees of freedom, at five standard deviations.
    squares = sum((count - 400) ** 2 / 400 for count in counts.values())
    assert abs(squares - (n - 1)) < 5 * (2 * (n - 1)) ** 0.5


def test_a_shuffle_is_the_numbers_one_by_one() -> None:
    rng, same = Generator(5), Generator(5)
    cards = list(range(40))
    rng.shuffle(cards, 25)
    expected = list(range(40))
    for i in range(25):
        j = i + same.below(40 - i)
        expected[i], expected[j] = expected[j], expected[i]
    assert cards == expected
    assert rng.bits() == same.bits()


def test_a_copy_goes_on_as_the_first_does() -> None:
    rng = Generator(3)
    rng.below(10)
    other = rng.copy()
    assert [rng.below(9) for _ in range(20)] == [other.below(9) for _ in range(20)]


def test_a_seeded_board_deals_what_the_rules_ask_for() -> None:
    for name, players in (("six-nimmt", 10), ("x-nimmt", 4), ("eleven-nimmt", 7)):
        rules = get(name)
        deals = [SeededBoard(1, board).deal(rules, players, 0) for board in (0, 0, 1)]
        rules.check_deal(players, deals[0])
        assert deals[0] == deals[1] != deals[2]
