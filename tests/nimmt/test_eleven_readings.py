"""11 nimmt!: the readings 11-1 to 11-26."""

from random import Random

import pytest

from nimmt import IllegalChoice, KeyedBoard, Play, RulesError, Take, TurnOptions, get, heads
from nimmt.choices import Ask
from nimmt.eleven import ElevenNimmtState
from nimmt.events import BullCard, Move
from tests.nimmt.support import KEY, AnyChoice, eleven_table, steps


def options(state: ElevenNimmtState) -> TurnOptions:
    [seat] = state.pending
    legal = state.legal(seat)
    assert isinstance(legal, TurnOptions)
    return legal


def next_starter(totals: list[int], start_seat: int, last: list[int], rule: str = "fewest") -> int:
    """Who starts after a round that brings `last` heads on top of these totals."""
    hands = [(34,), *([card] for card in last[1:])]
    assert last[0] == 0, "seat 0 plays its only card, so it scores nothing"
    state = eleven_table({0: [33]}, hands, next_start=rule)
    state.totals = tuple(totals)
    state.start_seat = start_seat
    state.apply({0: Play({0: [34]})})
    assert state.start_seat == next(iter(state.pending))
    return state.start_seat


def test_reading_11_1_the_player_with_the_fewest_points_starts_the_next_round() -> None:
    assert next_starter([20, 9, 30], 0, [0, 1, 1]) == 1


def test_reading_11_1_the_older_text_lets_the_one_with_the_most_start() -> None:
    assert next_starter([20, 9, 30], 0, [0, 1, 1], "most") == 2


def test_reading_11_2_the_totals_count_not_the_last_round() -> None:
    # Seat 0 has nothing in this round; in total seat 2 has the fewest.
    assert next_starter([20, 9, 2], 0, [0, 1, 1]) == 2


@pytest.mark.parametrize(("previous", "expected"), [(0, 1), (1, 1), (2, 2), (3, 1)])
def test_reading_11_3_a_tie_goes_clockwise_from_the_last_starter(
    previous: int, expected: int
) -> None:
    assert next_starter([20, 4, 4, 20], previous, [0, 1, 1, 1]) == expected


@pytest.mark.parametrize("players", range(2, 8))
def test_reading_11_4_seat_0_starts_the_first_round(players: int) -> None:
    state = get("eleven-nimmt").start(players, KeyedBoard(KEY))
    assert dict(state.pending) == {0: Ask("turn")}
    assert state.start_seat == 0


def test_reading_11_5_when_the_deck_runs_out_all_count_their_hands() -> None:
    state = eleven_table({0: [31, 33]}, [(50, 55), (60,)], draw=(99,))
    state.apply({0: Take(0)})
    # The taker's hand includes the pile just taken.
    assert state.scores == [(heads([50, 55, 31, 33]), heads([60]))]


def test_reading_11_6_the_round_ends_with_the_take_that_removes_the_last_card() -> None:
    state = eleven_table({0: [31], 1: [40]}, [(50, 55), (60,)], draw=(98, 99, 100))
    state.apply({0: Take(0)})
    assert state.scores == []
    assert state.draw == (100,)
    state.apply({1: Take(1)})
    assert len(state.scores) == 1


def test_reading_11_7_the_last_card_is_revealed_and_the_bull_card_given_before_the_end() -> None:
    state = eleven_table({0: [31, 32, 33]}, [(50, 55), (60,)], draw=(99,))
    events = state.apply({0: Take(0)})
    opened = Move("open", (99,), "draw", "pile:1")
    assert BullCard(0, None) in events
    assert events.index(BullCard(0, None)) < events.index(opened)
    assert sum(isinstance(event, Move) and event.why == "open" for event in events) == 1


def test_reading_11_7_the_take_that_empties_the_deck_still_records_its_steal() -> None:
    state = eleven_table(
        {0: [31, 32, 33]}, [(50, 55), (60,), (70,)], draw=(99,), bull_cards=[2, 4, 4]
    )
    state.apply({0: Take(0)})
    assert dict(state.pending) == {0: Ask("steal")}
    assert state.scores == []
    events = state.apply({0: 2})
    assert events[0] == BullCard(0, 2)
    assert len(state.scores) == 1


def test_reading_11_8_a_pile_may_be_taken_although_a_card_could_be_played() -> None:
    state = eleven_table({0: [31]}, [(32, 60), (70, 71)])
    assert options(state).plays
    state.apply({0: Take(0)})
    assert state.hands[0] == (31, 32, 60)


def test_reading_11_9_nobody_may_pass() -> None:
    state = eleven_table({0: [31]}, [(32, 60), (70, 71)])
    for choice in (None, Play({}), Play({0: []}), ()):
        with pytest.raises(IllegalChoice):
            state.apply({0: choice})  # type: ignore[dict-item]


def test_reading_11_10_a_take_is_forced_only_when_nothing_fits_on_any_pile() -> None:
    # 20 fits on no pile by being too high for one; it is lower than the other.
    state = eleven_table({0: [31], 1: [5]}, [(20, 60), (70, 71)])
    assert options(state).plays == {}
    assert options(state).takes == (0, 1)
    assert state.forced(0) is None
    alone = eleven_table({3: [31]}, [(20, 60), (70, 71)])
    assert alone.forced(0) == Take(3)
    fits = eleven_table({0: [31], 1: [15]}, [(20, 60), (70, 71)])
    assert options(fits).plays == {1: (20,)}


def test_reading_11_11_one_bull_card_allows_one_pile_only() -> None:
    state = eleven_table({0: [33], 1: [50]}, [(34, 35, 51), (1, 2)], bull_cards=[1, 0])
    assert options(state).max_piles == 1
    with pytest.raises(IllegalChoice, match="1 to 1 piles"):
        state.apply({0: Play({0: [34, 35], 1: [51]})})
    state.apply({0: Play({0: [34, 35]})})


@pytest.mark.parametrize(
    "play",
    [
        {0: [34], 1: [51, 52]},
        {0: [34, 35]},
        {0: [35], 1: [52]},
        {0: [34, 35], 1: [51, 52]},
        {1: [51]},
    ],
    ids=str,
)
def test_reading_11_12_two_bull_cards_allow_any_cards_on_up_to_two_piles(
    play: dict[int, list[int]],
) -> None:
    state = eleven_table(
        {0: [33], 1: [50], 2: [80]}, [(34, 35, 51, 52, 99), (1, 2)], bull_cards=[2, 0]
    )
    state.apply({0: Play(play)})
    assert state.piles[0] == (33, *play.get(0, []))
    assert state.piles[1] == (50, *play.get(1, []))


def test_reading_11_13_cards_are_measured_from_the_old_top_no_chain() -> None:
    state = eleven_table({0: [33], 1: [90]}, [(43, 53, 99), (1, 2)], bull_cards=[2, 0])
    assert options(state).plays[0] == (43,)
    with pytest.raises(IllegalChoice, match="only hand cards"):
        state.apply({0: Play({0: [43, 53]})})


def test_reading_11_14_ascending_order_goes_over_the_hundred() -> None:
    state = eleven_table({0: [96]}, [(3, 50, 99), (1, 2)], bull_cards=[1, 0])
    state.apply({0: Play({0: [3, 99]})})
    assert state.piles[0] == (96, 99, 3)
    assert state.canonical(1, Take(0)) == Take(0)


def test_reading_11_15_not_all_fitting_cards_must_be_played() -> None:
    state = eleven_table({0: [33]}, [(34, 36, 40, 99), (1, 2)], bull_cards=[1, 0])
    state.apply({0: Play({0: [34, 40]})})
    assert state.hands[0] == (36, 99)


@pytest.mark.parametrize(("size", "bull_cards"), [(1, 0), (2, 0), (3, 1), (4, 1)])
def test_reading_11_16_three_cards_or_more_bring_a_bull_card_also_in_a_free_take(
    size: int, bull_cards: int
) -> None:
    state = eleven_table({0: range(31, 31 + size)}, [(31 + size, 60), (70, 71)])
    assert options(state).plays
    state.apply({0: Take(0)})
    assert state.bull_cards == [bull_cards, 0]
    assert state.bull_pool == 10 - bull_cards


def steal_table(*bull_cards: int) -> ElevenNimmtState:
    hands = [(50 + 2 * seat, 51 + 2 * seat) for seat in range(len(bull_cards))]
    return eleven_table({0: [31, 32, 33]}, hands, bull_cards=bull_cards)


def test_reading_11_17_steal_from_others_when_taker_has_most() -> None:
    state = steal_table(5, 3, 2)
    state.apply({0: Take(0)})
    assert state.legal(0) == (1,)
    state.apply({0: 1})
    assert state.bull_cards == [6, 2, 2]


def test_reading_11_17_steal_from_others_when_taker_is_tied_for_most() -> None:
    state = steal_table(4, 4, 2)
    state.apply({0: Take(0)})
    assert state.legal(0) == (1,)


def test_reading_11_17_nothing_happens_when_no_other_has_any() -> None:
    state = steal_table(10, 0, 0)
    events = state.apply({0: Take(0)})
    assert not [event for event in events if isinstance(event, BullCard)]
    assert dict(state.pending) == {1: Ask("turn")}
    assert state.bull_cards == [10, 0, 0]


def test_reading_11_18_the_taker_chooses_among_those_with_the_most() -> None:
    state = steal_table(2, 4, 4)
    state.apply({0: Take(0)})
    assert dict(state.pending) == {0: Ask("steal")}
    assert state.legal(0) == (1, 2)
    assert state.forced(0) is None
    with pytest.raises(IllegalChoice, match=r"one of \(1, 2\)"):
        state.apply({0: 0})
    state.apply({0: 2})
    assert state.bull_cards == [3, 4, 3]


def test_reading_11_18_the_new_piles_come_only_after_the_steal() -> None:
    state = steal_table(2, 4, 4)
    state.apply({0: Take(0)})
    assert state.piles == {}
    events = state.apply({0: 1})
    assert [type(event).__name__ for event in events] == ["BullCard", "Move", "Move", "Turn"]
    assert list(state.piles) == [1, 2]


def test_reading_11_19_a_steal_is_a_duty_with_one_candidate_it_is_forced() -> None:
    state = steal_table(1, 6, 3)
    state.apply({0: Take(0)})
    assert state.forced(0) == 1
    with pytest.raises(IllegalChoice):
        state.apply({0: None})  # type: ignore[dict-item]


def test_reading_11_20_nobody_ever_holds_more_than_ten_bull_cards() -> None:
    state = get("eleven-nimmt").start(2, KeyedBoard(KEY))
    assert isinstance(state, ElevenNimmtState)
    for _ in steps(state, AnyChoice(Random(3), take=0.9, hoard=1.0)):
        assert sum(state.bull_cards) + state.bull_pool == 10
        assert max(state.bull_cards) <= 10


def test_reading_11_21_bull_cards_return_to_the_pool_between_rounds() -> None:
    state = eleven_table({0: [33]}, [(34,), (30,)], bull_cards=[3, 2])
    state.apply({0: Play({0: [34]})})
    assert state.round_no == 1
    assert (state.bull_cards, state.bull_pool) == ([0, 0], 10)


def test_reading_11_22_a_new_bull_card_can_be_used_from_the_next_own_turn() -> None:
    state = eleven_table({0: [31, 32, 33]}, [(62, 63), (64, 70)])
    state.apply({0: Take(0)})
    assert dict(state.pending) == {1: Ask("turn")}
    state.apply({1: Play({1: [64]})})
    assert options(state).many
    assert options(state).max_piles == 1


def test_reading_11_23_a_view_shows_tops_only() -> None:
    state = eleven_table({0: [31, 32, 33], 4: [70, 77]}, [(62, 63), (64, 70)])
    assert state.view(0).piles == ((0, 33), (4, 77))
    assert not {31, 32, 70} & {number for pile in state.view(0).piles for number in pile}


def test_reading_11_24_the_round_ends_at_once_after_a_play_of_several_cards() -> None:
    state = eleven_table(
        {0: [33], 1: [50]}, [(1, 2), (34, 35, 51), (60, 62)], bull_cards=[0, 2, 0], seat=1
    )
    state.apply({1: Play({0: [34, 35], 1: [51]})})
    assert state.scores == [(2, 0, heads([60, 62]))]


def test_reading_11_25_hand_sizes_and_bull_cards_are_open() -> None:
    state = eleven_table({0: [33]}, [(1, 2, 3), (34,)], bull_cards=[0, 2])
    view = state.view(0)
    assert view.hand_sizes == (3, 1)
    assert (view.bull_cards, view.bull_pool) == ((0, 2), 8)


def test_reading_11_26_a_tie_at_the_end_is_shared() -> None:
    state = eleven_table({0: [33]}, [(34,), (30,)])
    state.round_no = 1
    state.totals = (8, 5)
    state.apply({0: Play({0: [34]})})
    assert state.result is not None
    assert state.result.points == (8, 8)
    assert state.result.places == (1, 1)


def test_another_starter_than_fewest_or_most_does_not_exist() -> None:
    with pytest.raises(RulesError, match="'fewest' or 'most', got 'youngest'"):
        get("eleven-nimmt", {"next_start": "youngest"})
