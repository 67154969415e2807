"""6 nimmt!: the worked examples of the rulebook (V1-V5) and every reading of the basic game."""

from random import Random

import pytest

from nimmt import KeyedBoard, RulesError, get, heads, house_choice
from nimmt.choices import Ask
from nimmt.events import Move, Reveal
from nimmt.six import SixNimmtState
from nimmt.table import Table
from tests.nimmt.support import KEY, AnyChoice, Case, completed_deal, given, six_table, steps

FIRST_PLAY = {0: 14, 1: 15, 2: 44, 3: 61}
SECOND_PLAY = {0: 21, 1: 26, 2: 30, 3: 36}
THIRD_PLAY = {0: 3, 1: 9, 2: 68, 3: 93}


def example_table() -> SixNimmtState:
    hands = [(3, 14, 21, 99), (9, 15, 26, 100), (30, 44, 68, 101), (36, 61, 93, 102)]
    return six_table([[12], [37], [43], [58]], hands)


def test_example_v1_four_cards_find_their_rows() -> None:
    Case(
        example_table(),
        [FIRST_PLAY],
        {
            "rows": [(12, 14, 15), (37,), (43, 44), (58, 61)],
            "bull_piles": [(), (), (), ()],
            "points": [0, 0, 0, 0],
        },
    ).run()


def test_example_v2_the_sixth_card_takes_the_five_before_it() -> None:
    Case(
        example_table(),
        [FIRST_PLAY, SECOND_PLAY],
        {
            "rows": [(30, 36), (37,), (43, 44), (58, 61)],
            "bull_piles": [(), (), (12, 14, 15, 21, 26), ()],
            "points": [0, 0, 6, 0],
        },
    ).run()


def test_example_v3_the_low_card_takes_the_row_of_its_choice() -> None:
    state = example_table()
    Case(state, [FIRST_PLAY, SECOND_PLAY, THIRD_PLAY], {"pending": {0: Ask("row")}}).run()
    assert [heads(row) for row in state.rows] == [4, 1, 6, 2]
    Case(
        state,
        [{0: 1}],
        {
            "rows": [(30, 36), (3, 9), (43, 44), (58, 61, 68, 93)],
            "bull_piles": [(37,), (), (12, 14, 15, 21, 26), ()],
            "points": [1, 0, 6, 0],
        },
    ).run()


def test_example_v4_the_closest_row_end_counts_although_its_row_is_full() -> None:
    rows = [[10], [20], [39, 41], [7, 8, 9, 40, 42]]
    Case(
        six_table(rows, [[45, 1], [50, 2]]),
        [{0: 45, 1: 50}],
        {"rows": [(10,), (20,), (39, 41), (45, 50)], "bull_piles": [(7, 8, 9, 40, 42), ()]},
    ).run()


def test_example_v5_a_low_card_opens_the_trap_for_a_later_card() -> None:
    rows = [[61], [70, 80], [90], [34, 36, 38, 40, 47]]
    Case(
        six_table(rows, [[29, 1], [62, 2]]),
        [{0: 29, 1: 62}, {0: 0}],
        {"rows": [(29,), (70, 80), (90,), (62,)], "points": [1, 7]},
    ).run()


def ends_with(total: int, limit: int) -> bool:
    """Whether a game is over after a round that brings seat 1 to this total."""
    state = six_table([[10], [20], [30], [40]], [[50], [51]], limit=limit)
    state.totals = (0, total)
    state.apply({0: 50, 1: 51})
    return state.result is not None


def test_reading_6_1_the_game_ends_above_the_limit_not_at_it() -> None:
    assert not ends_with(66, limit=66)
    assert ends_with(67, limit=66)
    assert not ends_with(30, limit=30)
    assert ends_with(31, limit=30)


def test_reading_6_1_a_total_of_exactly_66_is_reached_by_play_and_the_game_goes_on() -> None:
    # Seat 0 has 59 and takes a row of 7 heads: 66 is not more than 66.
    state = six_table([[55], [60], [70], [80]], [[1], [99]], limit=66)
    state.totals = (59, 0)
    state.apply({0: 1, 1: 99})
    state.apply({0: 0})
    assert state.totals == (66, 0)
    assert state.result is None
    assert state.round_no == 1


def test_reading_6_1_a_fixed_number_of_rounds_replaces_the_limit() -> None:
    state = get("six-nimmt", {"rounds": 3}).start(2, KeyedBoard(KEY))
    for _ in steps(state, AnyChoice(Random(1))):
        if state.scores:
            state.totals = (state.totals[0] + 100, *state.totals[1:])
    assert len(state.scores) == 3


def test_reading_6_2_the_limit_is_looked_at_only_after_a_whole_round() -> None:
    state = six_table([[55], [60], [70], [80]], [[1, 98], [97, 99]], limit=66)
    state.totals = (66, 0)
    state.apply({0: 1, 1: 99})
    state.apply({0: 0})
    assert state.totals[0] + state.points[0] > 66
    assert dict(state.pending) == {0: Ask("card"), 1: Ask("card")}
    state.apply({0: 98, 1: 97})
    assert state.result is not None
    assert state.result.points == (73, 0)


def test_reading_6_3_the_row_is_chosen_after_the_reveal_by_one_who_sees_all_cards() -> None:
    state = six_table([[12], [37], [43], [58]], [[3, 99], [40, 98], [59, 97]])
    assert state.apply({0: 3, 1: 40, 2: 59}) == [Reveal((3, 40, 59))]
    view = state.view(0)
    assert dict(state.pending) == {0: Ask("row")}
    assert view.revealed == (3, 40, 59)
    # Nothing has been placed yet: the low card comes first.
    assert view.rows == ((12,), (37,), (43,), (58,))


def test_reading_6_3_only_the_lowest_card_can_be_low_so_one_row_choice_is_enough() -> None:
    state = six_table([[50], [60], [70], [80]], [[1, 99], [2, 98], [3, 97]])
    state.apply({0: 1, 1: 2, 2: 3})
    state.apply({0: 3})
    assert state.rows == [(50,), (60,), (70,), (1, 2, 3)]


@pytest.mark.parametrize("row", range(4))
def test_reading_6_4_any_row_may_be_taken_also_a_dear_or_full_one(row: int) -> None:
    rows = [[55, 66, 77, 88, 99], [31], [42, 44], [70]]
    state = six_table(rows, [[5, 100], [101, 102]])
    state.apply({0: 5, 1: 101})
    assert state.legal(0) == (0, 1, 2, 3)
    state.apply({0: row})
    assert state.bull_piles[0] == tuple(rows[row])
    assert state.points[0] == heads(rows[row])
    assert state.rows[row][0] == 5


def test_reading_6_5_the_card_just_laid_is_not_taken() -> None:
    state = six_table([[2, 3, 4, 6, 7], [60], [70], [80]], [[55, 99], [71, 98]])
    state.apply({0: 55, 1: 71})
    assert state.bull_piles[0] == (2, 3, 4, 6, 7)
    assert state.points == [5, 0]
    assert state.rows[0] == (55,)


def test_reading_6_6_the_lowest_total_is_shared() -> None:
    state = six_table([[10], [20], [30], [40]], [[50], [51], [52]], limit=66)
    state.totals = (9, 70, 9)
    state.apply({0: 50, 1: 51, 2: 52})
    assert state.result is not None
    assert state.result.places == (1, 3, 1)


def test_reading_6_7_what_lies_open_is_seen_and_other_hands_are_not() -> None:
    state = example_table()
    state.apply(FIRST_PLAY)
    state.apply(SECOND_PLAY)
    view = state.view(1)
    assert view.hand == (9, 100)
    assert view.bull_piles == ((), (), (12, 14, 15, 21, 26), ())
    assert view.points == (0, 0, 6, 0)
    assert view.hands == ()
    seen = {card for row in view.rows for card in row}
    assert seen == {30, 36, 37, 43, 44, 58, 61}


def test_reading_6_8_rows_stand_as_they_were_dealt() -> None:
    deal = completed_deal([[], []], [58, 12, 43, 37], 10)
    state = get("six-nimmt").start(2, given(deal))
    assert isinstance(state, SixNimmtState)
    assert state.view(0).rows == ((58,), (12,), (43,), (37,))


def test_reading_6_9_no_card_is_dealt_twice() -> None:
    rules = get("six-nimmt")
    for players in range(2, 11):
        deal = KeyedBoard(KEY, players).deal(rules, players, 0)
        cards = [card for group in (*deal.hands, deal.rows) for card in group]
        assert len(set(cards)) == len(cards) == 10 * players + 4
    hands = (tuple(range(1, 11)), (1, *range(12, 21)))
    with pytest.raises(RulesError, match="card 1 twice"):
        rules.start(2, given(deal._replace(hands=hands, rows=(30, 31, 32, 33))))


def test_ten_players_use_every_card() -> None:
    deal = KeyedBoard(KEY).deal(get("six-nimmt"), 10, 0)
    assert sorted(card for group in (*deal.hands, deal.rows) for card in group) == list(
        range(1, 105)
    )


def test_cards_are_placed_from_the_lowest_to_the_highest_whoever_played_them() -> None:
    state = six_table([[10], [90], [95], [97]], [[13, 1], [11, 2], [12, 3]])
    events = state.apply({0: 13, 1: 11, 2: 12})
    assert [event.src for event in events if isinstance(event, Move)] == [
        "play:1",
        "play:2",
        "play:0",
    ]


def test_the_house_lays_its_lowest_card_and_takes_the_cheapest_row() -> None:
    state = six_table([[55], [12], [43], [58]], [[3, 99], [40, 98]])
    assert house_choice("card", state.view(1), state.legal(1)) == 40
    state.apply({0: 3, 1: 98})
    # Three rows cost one head each: the lowest index of them.
    assert house_choice("row", state.view(0), state.legal(0)) == 1


def test_the_spectator_sees_the_cards_that_wait_to_be_placed() -> None:
    state = six_table([[12], [37], [43], [58]], [[3, 99], [40, 98]])
    state.apply({0: 3, 1: 40})
    table = state.view(None)
    assert isinstance(table, Table)
    assert (table.zones["play:0"], table.zones["play:1"]) == ((3,), (40,))
