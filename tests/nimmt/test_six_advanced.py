"""6 nimmt!, advanced game: its example (V7) and the readings A-1 to A-5."""

import pytest

from nimmt import KeyedBoard, RulesError, get
from nimmt.choices import Ask
from nimmt.six import SixNimmtState
from tests.nimmt.support import KEY, finish, house

ADVANCED = {"advanced": True, "rounds": 2}


def drafting(players: int, **options: int) -> SixNimmtState:
    state = get("six-nimmt", {**ADVANCED, **options}).start(players, KeyedBoard(KEY))
    assert isinstance(state, SixNimmtState)
    return state


def draft_order(state: SixNimmtState) -> list[int]:
    """Draft the lowest card again and again; returns the seats in the order of their picks."""
    order = []
    while state.pool:
        [seat] = state.pending
        order.append(seat)
        state.apply({seat: state.pool[0]})
    return order


def play_round(state: SixNimmtState) -> None:
    round_no = state.round_no
    while state.pending and state.round_no == round_no:
        state.apply({seat: min(state.legal(seat)) for seat in state.pending})


@pytest.mark.parametrize(("players", "highest"), [(2, 24), (3, 34), (4, 44), (5, 54), (6, 64)])
def test_example_v7_the_deck_fits_the_table_and_four_cards_are_left(
    players: int, highest: int
) -> None:
    state = drafting(players)
    assert state.pool == tuple(range(1, highest + 1))
    draft_order(state)
    assert [len(hand) for hand in state.hands] == [10] * players
    # The lowest cards were drafted, so the four highest are left, in ascending order.
    assert state.rows == [(highest - 3,), (highest - 2,), (highest - 1,), (highest,)]


def test_reading_a_1_the_draft_begins_one_seat_further_on_each_round() -> None:
    state = drafting(3, rounds=5)
    starts = []
    for _ in range(5):
        starts.append(next(iter(state.pending)))
        assert state.start_seat == starts[-1]
        draft_order(state)
        play_round(state)
    assert starts == [0, 1, 2, 0, 1]


def test_reading_a_2_the_draft_goes_plainly_around_the_table() -> None:
    assert draft_order(drafting(4)) == [0, 1, 2, 3] * 10


def test_reading_a_3_everybody_sees_every_hand_and_the_open_cards() -> None:
    state = drafting(2)
    state.apply({0: 17})
    state.apply({1: 3})
    for seat in (0, 1):
        view = state.view(seat)
        assert view.hands == ((17,), (3,))
        assert view.pool == tuple(card for card in range(1, 25) if card not in (3, 17))


def test_reading_a_4_the_small_deck_and_the_draft_come_together() -> None:
    assert dict(drafting(2).pending) == {0: Ask("draft")}
    basic = get("six-nimmt", {"advanced": False}).start(2, KeyedBoard(KEY))
    assert set(basic.pending.values()) == {Ask("card")}
    with pytest.raises(RulesError, match="no option 'draft'"):
        get("six-nimmt", {"advanced": True, "draft": False})


@pytest.mark.parametrize("players", [1, 7, 10])
def test_reading_a_5_the_advanced_game_is_for_two_to_six(players: int) -> None:
    with pytest.raises(RulesError, match=f"2 to 6 players, got {players}"):
        drafting(players)


@pytest.mark.parametrize("picks", [1, 9, 10])
def test_opening_picks_are_dealt_and_the_rest_is_drafted(picks: int) -> None:
    state = drafting(3, opening_picks=picks)
    assert [len(hand) for hand in state.hands] == [picks] * 3
    assert draft_order(state) == [0, 1, 2] * (10 - picks)
    assert sorted(card for zone in (*state.hands, *state.rows) for card in zone) == list(
        range(1, 35)
    )


def test_every_round_has_its_own_draft() -> None:
    state = finish(drafting(2), house)
    assert [start for _, start in state.deals] == [0, 1]
