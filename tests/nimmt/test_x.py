"""X nimmt!: the worked examples (X1-X7) and the readings X-1 to X-10."""

import pytest

from nimmt import KeyedBoard, get, heads, house_choice
from nimmt.choices import Ask
from nimmt.events import Move
from nimmt.x import XNimmtState
from tests.nimmt.support import KEY, Case, finish, house, x_table

X1 = {0: 18, 1: 22, 2: 60}
X2 = {0: 59, 1: 81, 2: 94}
X3 = {0: 43, 1: 66, 2: 89}


def example_table() -> XNimmtState:
    hands = [(18, 59, 43, 1), (22, 81, 66, 2), (60, 94, 89, 3)]
    return x_table([[97], [12], [33]], hands)


def test_example_x1_cards_go_to_the_row_with_the_closest_lower_end() -> None:
    Case(example_table(), [X1], {"rows": [(97,), (12, 18, 22), (33, 60)]}).run()


def test_example_x2_the_fourth_card_of_the_middle_row_takes_three() -> None:
    state = example_table()
    Case(state, [X1, X2], {"pending": {0: Ask("x_card")}, "taken": (12, 18, 22)}).run()
    rows = [(97,), (59,), (33, 60, 81, 94)]
    Case(state, [{0: 12}], {"rows": rows, "x_rows": [(12,), (), ()]}).run()


def test_example_x3_the_low_card_takes_the_row_that_holds_one_card() -> None:
    state = example_table()
    Case(state, [X1, X2, {0: 12}, X3], {"pending": {0: Ask("row")}}).run()
    Case(state, [{0: 1}], {"taken": (59,), "pending": {0: Ask("x_card")}}).run()
    Case(
        state,
        [{0: 59}],
        {"rows": [(97,), (43, 66, 89), (33, 60, 81, 94)], "x_rows": [(12, 59), (), ()]},
    ).run()
    assert state.hands[0] == (1, 18, 22)


def test_example_x4_one_of_three_taken_cards_goes_to_the_x_row_and_two_to_the_hand() -> None:
    state = x_table([[97], [12, 18, 22], [33]], [(30, 90), (40, 91)], [(5,), ()])
    Case(
        state,
        [{0: 30, 1: 40}, {0: 18}],
        {"x_rows": [(5, 18), ()], "hands": [(12, 22, 90), (91,)]},
    ).run()


def test_example_x5_two_lower_cards_send_the_x_row_to_the_x_pile() -> None:
    state = x_table([[10, 20], [95], [96]], [(30, 90), (97, 91)], [(40, 50), ()])
    Case(
        state,
        [{0: 30, 1: 97}, {0: 20}],
        {"x_rows": [(20,), ()], "x_piles": [(40, 50), ()], "hands": [(10, 90), (91,)]},
    ).run()
    # The hand counts once, the broken X row twice.
    assert state.points == [heads([10, 90]) + 2 * heads([40, 50]), heads([91])]


def test_example_x6_the_hand_counts_once_and_the_x_pile_twice() -> None:
    # Hand: 11 has five heads. X pile: 22, 10 and 1 have nine. The X row counts nothing.
    state = x_table([[40], [50], [60]], [(11, 71), (61,)], [(55, 66), ()], [(22, 10, 1), ()])
    state.apply({0: 71, 1: 61})
    assert state.scores == [(23, 0)]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_example_x7_three_rows_and_eight_cards_each_the_rest_stays_in_the_box(
    players: int,
) -> None:
    state = get("x-nimmt").start(players, KeyedBoard(KEY))
    zones = state.view(None).zones
    assert sum(len(cards) for cards in zones.values()) == 3 + 8 * players
    assert [len(zones[f"hand:{seat}"]) for seat in range(players)] == [8] * players
    assert [len(zones[f"row:{row}"]) for row in range(3)] == [1, 1, 1]


@pytest.mark.parametrize(("row", "holds"), [(0, 2), (1, 3), (2, 4)])
def test_reading_x_1_the_third_fourth_or_fifth_card_takes(row: int, holds: int) -> None:
    rows = [[96], [97], [98]]
    rows[row] = [10]
    state = x_table(rows, [(50, 1), (99, 2)])
    state.rows[row] = tuple(range(10, 10 + holds - 1))
    state.apply({0: 50, 1: 99})
    assert not state.taken
    assert len(state.rows[row]) == holds
    state = x_table(rows, [(50, 1), (99, 2)])
    state.rows[row] = full = tuple(range(10, 10 + holds))
    state.apply({0: 50, 1: 99})
    assert state.taken == full
    assert state.rows[row] == (50,)


def test_reading_x_2_a_card_that_breaks_the_x_row_may_be_chosen_although_another_fits() -> None:
    state = x_table([[55, 60], [95], [96]], [(70, 90), (97, 91)], [(57,), ()])
    state.apply({0: 70, 1: 97})
    assert state.legal(0) == (55, 60)
    state.apply({0: 55})
    assert state.x_rows[0] == (55,)
    assert state.x_piles[0] == (57,)


def test_reading_x_3_the_breaking_card_starts_the_new_x_row() -> None:
    state = x_table([[10], [95], [96]], [(5, 90), (97, 91)], [(40, 50), ()], [(30,), ()])
    state.apply({0: 5, 1: 97})
    state.apply({0: 0})
    state.apply({0: 10})
    assert state.x_piles[0] == (30, 40, 50)
    assert state.x_rows[0] == (10,)


def test_reading_x_4_cards_gained_in_the_last_turn_keep_a_player_in_the_round() -> None:
    state = x_table([[10, 20], [95], [96]], [(30,), (97, 91)])
    state.apply({0: 30, 1: 97})
    state.apply({0: 10})
    assert state.round_no == 0
    assert state.hands[0] == (20,)


def test_reading_x_4_a_take_of_one_card_leaves_the_hand_empty_and_ends_the_round() -> None:
    state = x_table([[10], [95], [96]], [(5,), (97, 91)])
    state.apply({0: 5, 1: 97})
    state.apply({0: 0})
    state.apply({0: 10})
    assert state.scores == [(0, heads([91]))]
    assert state.round_no == 1


def test_reading_x_4_an_empty_hand_does_not_end_the_turn() -> None:
    state = x_table([[10], [20], [30]], [(11,), (21, 91)])
    events = state.apply({0: 11, 1: 21})
    placed = [event for event in events if isinstance(event, Move) and event.why == "place"]
    assert [event.cards for event in placed] == [(11,), (21,)]


def test_reading_x_5_several_empty_hands_end_the_round_and_all_score() -> None:
    state = x_table([[10], [20], [30]], [(11,), (21,), (31, 55)], None, [(2,), (), ()])
    state.apply({0: 11, 1: 21, 2: 31})
    assert state.scores == [(2, 0, 7)]


def test_reading_x_6_the_x_card_is_chosen_before_the_next_card_is_placed() -> None:
    state = x_table([[10, 20], [95], [96]], [(30, 90), (97, 91)])
    state.apply({0: 30, 1: 97})
    assert dict(state.pending) == {0: Ask("x_card")}
    # The 97 still lies before its player, and the chooser sees it.
    assert state.rows == [(30,), (95,), (96,)]
    assert state.view(0).revealed == (30, 97)
    assert state.view(0).taken == (10, 20)
    assert state.view(1).taken == ()
    state.apply({0: 10})
    assert state.rows == [(30,), (95,), (96, 97)]


def test_reading_x_7_the_row_of_a_low_card_is_chosen_first_with_all_cards_revealed() -> None:
    state = x_table([[50], [60], [70]], [(5, 90), (51, 91), (61, 92)])
    state.apply({0: 5, 1: 51, 2: 61})
    assert dict(state.pending) == {0: Ask("row")}
    assert state.legal(0) == (0, 1, 2)
    assert state.view(0).revealed == (5, 51, 61)
    assert state.rows == [(50,), (60,), (70,)]


def test_reading_x_8_x_rows_are_open_and_only_the_own_x_pile_can_be_looked_at() -> None:
    state = x_table([[50], [60], [70]], [(5, 90), (51, 91)], [(1, 2), (3,)], [(8, 9), (10, 11, 12)])
    view = state.view(0)
    assert view.x_rows == ((1, 2), (3,))
    assert view.x_pile == (8, 9)
    assert view.x_pile_sizes == (2, 3)
    assert state.view(1).x_pile == (10, 11, 12)


def test_reading_x_9_a_tie_after_two_rounds_is_shared() -> None:
    state = x_table([[10], [20], [30]], [(11,), (21,)])
    state.round_no = 1
    state.totals = (7, 7)
    state.apply({0: 11, 1: 21})
    assert state.result is not None
    assert state.result.places == (1, 1)


def test_reading_x_10_a_single_taken_card_goes_to_the_x_row_and_may_break_it() -> None:
    state = x_table([[10], [95], [96]], [(5, 90), (97, 91)], [(40,), ()])
    state.apply({0: 5, 1: 97})
    state.apply({0: 0})
    assert state.forced(0) == 10
    state.apply({0: 10})
    assert state.hands[0] == (90,)
    assert (state.x_rows[0], state.x_piles[0]) == ((10,), (40,))


def test_a_game_is_two_rounds_with_a_new_deal_each() -> None:
    state = finish(get("x-nimmt").start(3, KeyedBoard(KEY)), house)
    assert len(state.scores) == 2
    assert state.deals[0] != state.deals[1]
    assert state.result is not None
    assert state.result.points == tuple(
        first + second for first, second in zip(*state.scores, strict=True)
    )


def test_taken_cards_may_be_played_from_the_next_turn_on() -> None:
    state = x_table([[10, 20], [95], [96]], [(30,), (97, 91)])
    state.apply({0: 30, 1: 97})
    state.apply({0: 10})
    assert state.legal(0) == (20,)


def test_the_house_keeps_the_lowest_taken_card_and_takes_the_cheapest_row() -> None:
    state = x_table([[55], [60], [70]], [(5, 90), (91, 92)])
    state.apply({0: 5, 1: 91})
    assert house_choice("row", state.view(0), state.legal(0)) == 1
    state = x_table([[55, 57], [95], [96]], [(58, 90), (91, 92)])
    state.apply({0: 58, 1: 91})
    assert house_choice("x_card", state.view(0), state.legal(0)) == 55
