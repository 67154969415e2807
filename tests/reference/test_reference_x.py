"""Worked examples and readings of x-nimmt, on the reference engine alone."""

import random
from itertools import chain

import pytest

from . import play, random_choice, x
from .scripts import Script, dealer, filled, sample, scribe_for
from .x import Table


def table(hands: list[list[int]], rows: list[list[int]]) -> Table:
    """A table in the middle of a round, with empty X rows and X piles."""
    return Table(hands, rows, [[] for _ in hands], [[] for _ in hands])


def test_the_rulebook_example_lays_out_as_printed() -> None:
    # Seat 0 plays the lowest card of every turn; the start cards and other cards are invented.
    played = [[18, 59, 43], [22, 81, 66], [60, 94, 89]]
    spare = [card for card in range(1, 101) if card not in (12, 33, 97)]
    deal = {"hands": filled(played, 8, spare), "rows": [[97], [12], [33]]}
    script = Script({(seat, "card"): list(cards) for seat, cards in enumerate(played)})
    script.choices[0, "row"] = [1]
    script.choices[0, "x_card"] = [18]
    play("x-nimmt", {}, 3, dealer("x-nimmt", {}, 3, random.Random(1), deal), script)
    after = [question["situation"] for question in script.asked("card")]
    assert after[1]["rows"] == [[97], [12, 18, 22], [33, 60]]
    assert after[2]["rows"] == [[97], [59], [33, 60, 81, 94]]
    assert after[2]["x_rows"] == [[18], [], []]
    assert {12, 22} <= set(after[2]["hands"][0])
    assert [len(hand) for hand in after[2]["hands"]] == [8, 6, 6]
    assert after[3]["rows"] == [[97], [43, 66, 89], [33, 60, 81, 94]]
    assert after[3]["x_rows"] == [[18, 59], [], []]
    assert [len(hand) for hand in after[3]["hands"]] == [7, 5, 5]
    first, second = script.asked("x_card")[:2]
    assert (first["legal"], second["legal"]) == ([12, 18, 22], [59])
    assert first["situation"]["revealed"] == [59, 81, 94]
    assert script.asked("row")[0]["legal"] == [0, 1, 2]


@pytest.mark.parametrize(("row", "holds"), [(0, 2), (1, 3), (2, 4)])
def test_the_filling_card_takes_and_is_not_taken(row: int, holds: int) -> None:
    for lying in range(1, holds + 1):
        laid = table([[]], [[90], [91], [92]])
        cards = list(range(10, 10 + lying))
        laid.rows[row] = list(cards)
        x.place_card(scribe_for({})[0], laid, 0, 50)
        if lying < holds:
            assert laid.rows[row] == [*cards, 50]
            assert laid.x_rows == [[]]
        else:
            assert laid.rows[row] == [50]
            assert laid.x_rows == [[10]]
            assert laid.hands == [cards[1:]]


def test_one_of_three_taken_cards_goes_to_the_x_row_and_two_to_the_hand() -> None:
    laid = table([[1]], [])
    x.keep_taken(scribe_for({(0, "x_card"): [30]})[0], laid, 0, [20, 30, 40])
    assert (laid.x_rows, laid.hands, laid.x_piles) == ([[30]], [[1, 20, 40]], [[]])


def test_a_lower_x_card_sends_the_whole_x_row_to_the_pile_and_starts_anew() -> None:
    laid = table([[]], [])
    laid.x_rows, laid.x_piles = [[30, 50]], [[7]]
    x.keep_taken(scribe_for({(0, "x_card"): [20]})[0], laid, 0, [20, 40])
    assert (laid.x_rows, laid.hands, laid.x_piles) == ([[20]], [[40]], [[7, 30, 50]])


def test_a_breaking_x_card_may_be_chosen_although_another_fits() -> None:
    laid = table([[]], [])
    laid.x_rows = [[30]]
    x.keep_taken(scribe_for({(0, "x_card"): [20]})[0], laid, 0, [20, 60])
    assert (laid.x_rows, laid.hands, laid.x_piles) == ([[20]], [[60]], [[30]])


def test_a_single_taken_card_is_forced_and_may_still_break_the_x_row() -> None:
    laid = table([[]], [])
    laid.x_rows = [[30]]
    scribe, _ = scribe_for({})
    x.keep_taken(scribe, laid, 0, [20])
    assert scribe.decisions == [{"seat": 0, "kind": "x_card", "choice": 20, "forced": True}]
    assert (laid.x_rows, laid.hands, laid.x_piles) == ([[20]], [[]], [[30]])


def test_the_hand_counts_once_the_x_pile_twice_and_the_x_row_nothing() -> None:
    laid = table([[15, 20]], [])
    laid.x_piles, laid.x_rows = [[55, 5]], [[77, 88]]
    assert laid.points() == [23]


@pytest.mark.parametrize(("rows", "left"), [([10, 11], [11]), ([10], [])])
def test_only_the_cards_after_the_whole_turn_decide_who_is_out(
    rows: list[int], left: list[int]
) -> None:
    laid = table([[5], [60, 61]], [rows, [91], [92]])
    scribe, _ = scribe_for({(0, "row"): [0]})
    x.play_turn(scribe, laid)
    assert laid.hands == [left, [61]]
    assert laid.x_rows == [[10], []]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_round_deals_eight_cards_each_and_three_rows(players: int) -> None:
    [game] = sample("x-nimmt", {}, players, 1, random_choice)
    assert len(game["rounds"]) == 2
    for done in game["rounds"]:
        final = done["final"]
        lying = final["hands"] + final["rows"] + final["x_rows"] + final["x_piles"]
        dealt = done["deal"]["hands"] + done["deal"]["rows"]
        assert sum(map(len, dealt)) == 3 + 8 * players
        assert sorted(chain(*lying)) == sorted(chain(*dealt))
        assert any(not hand for hand in final["hands"])


@pytest.mark.parametrize(
    ("players", "turns", "takes"), [(2, 11.4, 9.3), (3, 10.8, 13.1), (4, 10.4, 16.7)]
)
def test_random_rounds_have_the_known_length_and_takes(
    players: int, turns: float, takes: float
) -> None:
    games = sample("x-nimmt", {}, players, 100, random_choice)
    rounds = [done for game in games for done in game["rounds"]]
    kinds = [decision["kind"] for done in rounds for decision in done["decisions"]]
    assert kinds.count("card") / players / 200 == pytest.approx(turns, abs=0.7)
    assert kinds.count("x_card") / 200 == pytest.approx(takes, abs=1.2)
    shared = sum(done["final"]["hands"].count([]) > 1 for done in rounds) / 200
    assert 0.005 <= shared <= 0.16
