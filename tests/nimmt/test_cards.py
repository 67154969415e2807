"""The bullheads on the cards: one table for the three games."""

from collections import Counter

import pytest

from nimmt import bulls, heads
from nimmt.cards import HEADS


def test_example_v6_the_rulebook_names_these_cards() -> None:
    assert [bulls(card) for card in (5, 15, 25)] == [2, 2, 2]
    assert [bulls(card) for card in (10, 20, 30)] == [3, 3, 3]
    assert [bulls(card) for card in (11, 22, 33)] == [5, 5, 5]
    assert bulls(55) == 7


def test_a_five_inside_a_number_counts_only_at_its_end() -> None:
    assert [bulls(card) for card in range(50, 60)] == [3, 1, 1, 1, 1, 7, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("highest", "counts", "total"),
    [
        (104, {1: 76, 2: 9, 3: 10, 5: 8, 7: 1}, 171),
        (100, {1: 72, 2: 9, 3: 10, 5: 8, 7: 1}, 167),
    ],
)
def test_each_deck_has_the_heads_of_the_table(
    highest: int, counts: dict[int, int], total: int
) -> None:
    deck = range(1, highest + 1)
    assert Counter(bulls(card) for card in deck) == counts
    assert heads(deck) == total


@pytest.mark.parametrize(("players", "total"), [(2, 38), (3, 55), (4, 72), (5, 85), (6, 103)])
def test_each_advanced_deck_has_the_heads_of_the_table(players: int, total: int) -> None:
    assert heads(range(1, 10 * players + 5)) == total


def test_the_lookup_table_says_what_the_function_says() -> None:
    assert list(HEADS) == [0, *(bulls(card) for card in range(1, 105))]


def test_a_face_down_card_shows_no_heads() -> None:
    assert heads([0, 0, 55]) == 7
