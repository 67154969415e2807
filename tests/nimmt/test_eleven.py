"""11 nimmt!: the worked examples (E1-E9), and how cards are played on piles."""

from typing import Any

import pytest

from nimmt import IllegalChoice, KeyedBoard, Play, Take, TurnOptions, bulls, get, house_choice
from nimmt.choices import Ask, fitting, gap
from nimmt.eleven import ElevenNimmtState
from tests.nimmt.support import KEY, Case, eleven_table, finish, house

EXAMPLE_HANDS = [(36, 92, 60), (46, 98, 61), (5, 62, 63), (88, 64, 65)]
EXAMPLE_DRAW = (23, 87, 19, 78, 70, 71, 72)


def example_table() -> ElevenNimmtState:
    return eleven_table({0: [31]}, EXAMPLE_HANDS, EXAMPLE_DRAW)


def options(state: ElevenNimmtState) -> TurnOptions:
    [seat] = state.pending
    legal = state.legal(seat)
    assert isinstance(legal, TurnOptions)
    return legal


E1: list[dict[int, Any]] = [{0: Play({0: [36]})}, {1: Play({0: [46]})}]
E2: list[dict[int, Any]] = [{2: Take(0)}]
E3: list[dict[int, Any]] = [
    {3: Play({2: [88]})},
    {0: Play({2: [92]})},
    {1: Play({2: [98]})},
    {2: Play({2: [5]})},
]


def test_example_e1_ten_cards_fit_and_the_tenth_is_still_allowed() -> None:
    assert fitting(tuple(range(1, 101)), 31) == tuple(range(32, 42))
    assert fitting(tuple(range(1, 101)), 36) == tuple(range(37, 47))
    Case(example_table(), E1, {"piles": {0: (31, 36, 46)}}).run()


def test_example_e2_who_cannot_play_takes_the_pile_and_two_more_are_opened() -> None:
    state = example_table()
    Case(state, E1).run()
    assert options(state) == TurnOptions({}, 1, False, (0,))
    Case(
        state,
        E2,
        {
            "piles": {1: (23,), 2: (87,)},
            "bull_cards": [0, 0, 1, 0],
            "bull_pool": 9,
            "draw": (19, 78, 70, 71, 72),
        },
    ).run()
    assert state.hands[2] == (5, 31, 36, 46, 62, 63)


def test_example_e3_the_numbers_go_on_with_one_after_a_hundred() -> None:
    Case(example_table(), E1 + E2 + E3, {"piles": {1: (23,), 2: (87, 88, 92, 98, 5)}}).run()


def test_example_e4_a_pile_of_one_card_brings_no_bull_card() -> None:
    state = example_table()
    Case(state, E1 + E2 + E3).run()
    assert options(state).plays == {}
    Case(
        state,
        [{3: Take(1)}],
        {
            "piles": {2: (87, 88, 92, 98, 5), 3: (19,), 4: (78,)},
            "bull_cards": [0, 0, 1, 0],
            "draw": (70, 71, 72),
        },
    ).run()


def test_example_e5_a_top_of_96_takes_97_to_100_and_1_to_6() -> None:
    assert fitting(tuple(range(1, 101)), 96) == (97, 98, 99, 100, 1, 2, 3, 4, 5, 6)


def test_example_e6_from_98_to_5_is_a_gap_of_seven() -> None:
    assert gap(5, 98) == 7


def test_example_e7_with_a_bull_card_all_that_fits_is_laid_in_ascending_order() -> None:
    state = eleven_table({0: [33]}, [(34, 38, 43, 44, 99), (1, 2)], bull_cards=[1, 0])
    assert options(state).plays == {0: (34, 38, 43)}
    state.apply({0: Play({0: [43, 34, 38]})})
    assert state.piles[0] == (33, 34, 38, 43)
    assert state.hands[0] == (44, 99)


def test_example_e8_a_card_left_in_hand_counts_its_heads() -> None:
    state = eleven_table({0: [33]}, [(34,), (30,)])
    state.apply({0: Play({0: [34]})})
    assert bulls(30) == 3
    assert state.scores == [(0, 3)]


@pytest.mark.parametrize("players", range(2, 8))
def test_example_e9_there_are_as_many_rounds_as_players(players: int) -> None:
    rules = get("eleven-nimmt")
    state = finish(
        rules.start(players, KeyedBoard(KEY)),
        house,
    )
    assert len(state.scores) == players


@pytest.mark.parametrize("players", range(2, 8))
def test_the_draw_deck_has_an_odd_number_of_cards(players: int) -> None:
    state = get("eleven-nimmt").start(players, KeyedBoard(KEY))
    assert isinstance(state, ElevenNimmtState)
    assert state.view(0).draw == 99 - 10 * players
    assert state.view(0).draw % 2 == 1


def test_a_window_is_ten_numbers_wide_on_every_top() -> None:
    deck = tuple(range(1, 101))
    for top in deck:
        fits = fitting(deck, top)
        assert [gap(card, top) for card in fits] == list(range(1, 11))


BAD_PLAYS = [
    (0, Play({0: [34, 35]}), "single card"),
    (0, Play({0: [34], 1: [51]}), "1 to 1 piles"),
    (1, Play({0: [34], 1: [51]}), "1 to 1 piles"),
    (2, Play({0: [34], 1: [51], 2: [71]}), "1 to 2 piles"),
    (1, Play({0: [44]}), "only hand cards"),
    (1, Play({0: [33]}), "only hand cards"),
    (1, Play({0: [36]}), "only hand cards"),
    (1, Play({0: [34, 34]}), "34 comes twice"),
    (2, Play({0: [43], 3: [43]}), "43 comes twice"),
    (1, Play({0: []}), "one or more cards"),
    (1, Play({}), "1 to 1 piles"),
    (1, Play({9: [34]}), "only hand cards"),
    (1, Take(9), "one of the piles"),
    (1, 34, "Take"),
]


@pytest.mark.parametrize(("held", "choice", "message"), BAD_PLAYS, ids=str)
def test_a_play_that_breaks_a_rule_is_refused(held: int, choice: Any, message: str) -> None:
    state = eleven_table(
        {0: [33], 1: [50], 2: [70], 3: [40]},
        [(34, 35, 43, 44, 51, 71), (1, 2)],
        bull_cards=[held, 0],
    )
    with pytest.raises(IllegalChoice, match=message):
        state.apply({0: choice})


def test_the_house_plays_the_smallest_gap_on_the_lowest_pile_number() -> None:
    state = eleven_table({0: [33], 4: [50], 7: [60]}, [(40, 52, 62), (1, 2)], bull_cards=[3, 0])
    assert house_choice("turn", state.view(0), state.legal(0)) == Play({4: (52,)})
    state = eleven_table({3: [33], 4: [50]}, [(1, 2), (5, 6)])
    assert house_choice("turn", state.view(0), state.legal(0)) == Take(3)


def test_a_number_of_a_pile_is_never_used_again() -> None:
    state = eleven_table({0: [31]}, [(90, 91), (92, 93)])
    state.apply({0: Take(0)})
    state.apply({1: Take(2)})
    assert list(state.piles) == [1, 3, 4]


def test_turns_go_clockwise() -> None:
    state = eleven_table({0: [31]}, [(32, 90), (33, 91), (34, 92)], seat=2)
    state.apply({2: Play({0: [34]})})
    assert dict(state.pending) == {0: Ask("turn")}
