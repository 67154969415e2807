"""Illegal input of any type: IllegalChoice says got and expected, and the state is untouched."""

import sys
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nimmt import IllegalChoice, Play, State, Take
from nimmt.choices import Choice
from tests.nimmt.support import (
    TABLES,
    VARIANTS,
    AnyChoice,
    Variant,
    choices_for,
    label,
    snapshot,
)


class Hostile:
    """Raises whatever is asked of it."""

    def _refuse(self, *_: object) -> Any:
        raise RuntimeError("hostile")

    __eq__ = __repr__ = __str__ = __len__ = __iter__ = __int__ = __index__ = __bool__ = _refuse
    __lt__ = __gt__ = __contains__ = __getitem__ = __float__ = _refuse
    __hash__ = None  # type: ignore[assignment]


class HostileKey(Hostile):
    """Has the hash of a seat, so that a dict asks it whether it is equal."""

    def __hash__(self) -> int:  # type: ignore[override]
        return 0


class SneakyInt(int):
    """An integer that claims to be every integer."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash(int(self))


def deep(levels: int) -> list[Any]:
    nested: list[Any] = []
    for _ in range(levels):
        nested = [nested]
    return nested


HUGE = 10**5000
PLAIN = [
    None,
    True,
    False,
    0.0,
    1.0,
    float("nan"),
    float("inf"),
    -1,
    105,
    10**30,
    HUGE,
    -HUGE,
    SneakyInt(3),
    Decimal(3),
    Fraction(3),
    3 + 0j,
    "",
    "3",
    b"3",
    "x" * 100_000,
    [],
    [3],
    (3,),
    {},
    {3},
    {"take": 0},
    {"play": {"0": [3]}},
    range(10**30),
    object(),
    int,
    Hostile(),
    deep(10_000),
    (0,),
]
# What no type allows, and a bot may send all the same.
take: Any = Take
play: Any = Play
TURNS = [
    take(None),
    take(True),
    take(0.0),
    take(-1),
    take(HUGE),
    take(Hostile()),
    play(None),
    play({}),
    play([(0, [3])]),
    play({HUGE: [3]}),
    play({0: HUGE}),
    play({0: [HUGE]}),
    play({0: []}),
    play({0: "3"}),
    play({0: b"3"}),
    play({0: range(10**30)}),
    play({0: Hostile()}),
    play({0: [Hostile()]}),
    play({0: [None]}),
    play({0: [True]}),
    play({0: [3.0]}),
    play({0: [SneakyInt(3)]}),
    play({HostileKey(): [3]}),
    play({"0": [3]}),
    play({True: [3]}),
    play({0: deep(10_000)}),
    play({pile: [3] for pile in range(100)}),
]


def moments(variant: Variant, players: int, wanted: int = 12) -> Iterator[State]:
    """States of one game, among them one of every kind of decision that comes up."""
    rng = Random(f"{variant.label} {players}")
    choose = AnyChoice(rng, take=0.5, hoard=1.0)
    state = variant.start(players)
    seen: set[str] = set()
    while state.pending:
        kinds = {ask.kind for ask in state.pending.values()}
        if kinds - seen or (len(seen) < wanted and rng.random() < 0.02):
            seen |= kinds
            yield state
        state.apply(choices_for(state, choose))
    yield state


def refuses(state: State, choices: Any) -> IllegalChoice:
    """The state refuses the choices and is as it was; the message can be printed."""
    before = snapshot(state)
    with pytest.raises(IllegalChoice) as caught:
        state.apply(choices)
    assert snapshot(state) == before
    message = str(caught.value)
    assert "got" in message
    assert "expected" in message
    assert len(message) < 1500
    return caught.value


@pytest.mark.parametrize("variant", VARIANTS, ids=label)
def test_garbage_as_one_choice_is_refused_and_changes_nothing(variant: Variant) -> None:
    players = variant.players[-1]
    rng = Random(1)
    for state in moments(variant, players):
        for garbage in [*PLAIN, *TURNS]:
            if not state.pending:
                break
            choices: dict[int, Any] = dict(choices_for(state, AnyChoice(rng)))
            seat = rng.choice(list(choices))
            choices[seat] = garbage
            assert refuses(state, choices).seat == seat


@pytest.mark.parametrize("variant", VARIANTS, ids=label)
def test_wrong_seats_are_refused_and_change_nothing(variant: Variant) -> None:
    players = variant.players[0]
    for state in moments(variant, players):
        good: dict[Any, Any] = dict(choices_for(state, AnyChoice(Random(1))))
        bad: list[Any] = [
            {},
            None,
            3,
            "choices",
            [],
            [0],
            list(good.items()),
            {**good, players: 1},
            {**good, -1: 1},
            {**good, "0": 1},
            {**good, None: 1},
            {**good, HUGE: 1},
            {str(seat): choice for seat, choice in good.items()},
            {seat + players: choice for seat, choice in good.items()},
            {HostileKey(): 1},
            Hostile(),
            object(),
        ]
        if len(good) > 1:
            bad.append({0: good[0]})
        if good and len(good) < players:
            bad.append({(seat + 1) % players: choice for seat, choice in good.items()})
        for choices in bad:
            assert refuses(state, choices).seat is None


@pytest.mark.parametrize("variant", VARIANTS, ids=label)
def test_a_seat_named_by_an_equal_number_is_that_seat(variant: Variant) -> None:
    """Python holds 0, 0.0 and False for one key; the events must still name the seat."""
    for state in moments(variant, variant.players[0]):
        good = choices_for(state, AnyChoice(Random(1)))
        if good:
            twin = state.copy()
            odd: Any = {float(seat): choice for seat, choice in good.items()}
            assert repr(twin.copy().apply(odd)) == repr(twin.apply(good))


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.integers() | st.text(), inner),
    max_leaves=8,
)
turns = st.builds(Take, anything) | st.builds(
    Play, anything | st.dictionaries(st.integers(0, 5), st.lists(st.integers(0, 101)))
)


@given(st.sampled_from(TABLES), st.integers(0, 1000), anything | turns)
def test_any_answer_is_either_legal_or_refused(
    table: tuple[Variant, int], depth: int, answer: Any
) -> None:
    variant, players = table
    state = variant.start(players, depth)
    choose = AnyChoice(Random(depth))
    for _ in range(depth % 30):
        if state.pending:
            state.apply(choices_for(state, choose))
    for seat in state.pending:
        before = snapshot(state)
        try:
            canonical: Choice = state.canonical(seat, answer)
        except IllegalChoice:
            assert snapshot(state) == before
        else:
            assert state.canonical(seat, canonical) == canonical
            assert snapshot(state) == before


def test_a_finished_game_takes_no_more_choices() -> None:
    for variant in VARIANTS:
        *_, state = moments(variant, variant.players[0])
        assert state.result is not None
        for choices in ({}, {0: 1}, {0: Take(0)}):
            refuses(state, choices)


def test_a_seat_that_is_not_asked_has_no_answer() -> None:
    state = VARIANTS[6].start(3)
    with pytest.raises(IllegalChoice, match="not asked"):
        state.canonical(1, Take(0))


def test_an_error_names_seat_kind_got_and_expected() -> None:
    state = VARIANTS[0].start(2)
    hand = state.legal(0)
    with pytest.raises(IllegalChoice) as caught:
        state.apply({0: 0, 1: 1})
    error = caught.value
    assert (error.seat, error.kind, error.got) == (0, "card", "0")
    assert error.expected == f"one of {hand}"


def test_a_number_too_long_to_print_is_named_by_its_size() -> None:
    assert sys.get_int_max_str_digits() > 0
    state = VARIANTS[0].start(2)
    with pytest.raises(IllegalChoice, match=r"an integer of \d+ bits"):
        state.apply({0: HUGE, 1: 1})
