"""Worked examples and readings of six-nimmt, on the reference engine alone."""

import random
from collections.abc import Callable

import pytest

from . import Deal, Question, heads, play, random_choice, six
from .cards import heads_of
from .scripts import Script, cheapest_row, filled, sample, scribe_for
from .six import Table

ROWS = [[12], [37], [43], [58]]


def example() -> tuple[Script, dict[str, object]]:
    """Three turns of the rulebook's four players; the seats and the other cards are invented."""
    played = [[14, 21, 3], [15, 26, 9], [44, 30, 68], [61, 36, 93]]
    spare = [card for card in range(70, 105) if card not in (68, 93)]
    script = Script({(seat, "card"): list(cards) for seat, cards in enumerate(played)})
    script.choices[0, "row"] = [1]
    return script, {"hands": filled(played, 10, spare), "rows": ROWS}


def test_the_rulebook_example_lays_out_as_printed() -> None:
    script, deal = example()
    game = play("six-nimmt", {"rounds": 1}, 4, [deal], script)
    after = [question["situation"] for question in script.asked("card")]
    assert after[1]["rows"] == [[12, 14, 15], [37], [43, 44], [58, 61]]
    assert after[1]["bull_piles"] == [[], [], [], []]
    assert after[2]["rows"] == [[30, 36], [37], [43, 44], [58, 61]]
    assert after[2]["bull_piles"] == [[], [], [12, 14, 15, 21, 26], []]
    assert after[2]["points"] == [0, 0, 6, 0]
    assert after[3]["rows"] == [[30, 36], [3, 9], [43, 44], [58, 61, 68, 93]]
    assert after[3]["bull_piles"] == [[37], [], [12, 14, 15, 21, 26], []]
    assert [len(hand) for hand in after[3]["hands"]] == [7, 7, 7, 7]
    decisions = game["rounds"][0]["decisions"]
    assert [d["kind"] for d in decisions[8:13]] == ["card", "card", "card", "card", "row"]
    cards = [d for d in decisions if d["kind"] == "card"]
    assert [d["forced"] for d in cards] == [False] * 36 + [True] * 4


def test_the_low_card_is_chosen_for_after_the_reveal() -> None:
    script, deal = example()
    play("six-nimmt", {"rounds": 1}, 4, [deal], script)
    question = script.asked("row")[0]
    assert question["legal"] == [0, 1, 2, 3]
    assert question["situation"]["revealed"] == [3, 9, 68, 93]
    assert [heads_of(row) for row in question["situation"]["rows"]] == [4, 1, 6, 2]


def test_a_card_goes_to_the_closest_end_even_if_that_row_is_full() -> None:
    scribe, _ = scribe_for({})
    table = Table([[]], [[1], [2], [41], [31, 33, 35, 38, 42]], [[]])
    six.place_card(scribe, table, 0, 45)
    assert table.rows == [[1], [2], [41], [45]]
    assert table.bull_piles == [[31, 33, 35, 38, 42]]


def test_a_low_card_can_take_away_the_row_another_player_counted_on() -> None:
    scribe, _ = scribe_for({(1, "card"): [62], (0, "card"): [29], (0, "row"): [0]})
    rows = [[61], [70, 80], [90], [34, 36, 38, 40, 47]]
    table = Table([[29], [62]], rows, [[], []])
    six.play_turn(scribe, table)
    assert table.rows == [[29], [70, 80], [90], [62]]
    assert [heads_of(pile) for pile in table.bull_piles] == [1, 7]


@pytest.mark.parametrize("row", [0, 1, 2, 3])
def test_any_row_may_be_taken_with_a_low_card(row: int) -> None:
    scribe, _ = scribe_for({(0, "row"): [row]})
    rows = [[61], [70, 80], [90], [34, 36, 38, 40, 47]]
    table = Table([[]], [list(cards) for cards in rows], [[]])
    six.place_card(scribe, table, 0, 29)
    assert table.bull_piles == [rows[row]]
    assert table.rows[row] == [29]


def test_heads_follow_the_card_table() -> None:
    assert [heads(card) for card in (5, 15, 25)] == [2, 2, 2]
    assert [heads(card) for card in (10, 20, 30, 50, 100)] == [3, 3, 3, 3, 3]
    assert [heads(card) for card in (11, 22, 33, 99)] == [5, 5, 5, 5]
    assert [heads(card) for card in (55, 51, 56, 1, 104)] == [7, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("highest", "total"),
    [(104, 171), (100, 167), (24, 38), (34, 55), (44, 72), (54, 85), (64, 103)],
)
def test_decks_hold_the_known_number_of_heads(highest: int, total: int) -> None:
    assert heads_of(range(1, highest + 1)) == total


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_the_draft_goes_round_from_the_start_seat_and_leaves_the_rows(players: int) -> None:
    script = Script({})
    options = {"rounds": 2, "advanced": True}
    opening: list[list[int]] = [[] for _ in range(players)]
    deals: list[Deal] = [{"start_seat": seat, "opening": opening} for seat in (0, 1)]
    game = play("six-nimmt", options, players, deals, script)
    highest = 10 * players + 4
    for number, done in enumerate(game["rounds"]):
        picks = done["decisions"][: 10 * players]
        assert [d["seat"] for d in picks] == [(number + i) % players for i in range(10 * players)]
        assert [d["choice"] for d in picks] == list(range(1, highest - 3))
        assert not any(d["forced"] for d in picks)
    assert script.questions[0]["legal"] == list(range(1, highest + 1))
    first_card = script.asked("card")[0]["situation"]
    assert first_card["rows"] == [[card] for card in range(highest - 3, highest + 1)]
    assert first_card["open_cards"] == []


def test_opening_picks_are_part_of_the_hand_before_the_draft() -> None:
    script = Script({})
    options = {"rounds": 1, "advanced": True, "opening_picks": 4}
    deal = {"start_seat": 0, "opening": [[24, 1, 3, 5], [2, 4, 6, 23]]}
    game = play("six-nimmt", options, 2, [deal], script)
    assert script.questions[0]["legal"] == list(range(7, 23))
    assert len(script.asked("draft")) == len(script.asked("draft", 1)) == 6
    assert script.asked("card")[0]["legal"] == [1, 3, 5, 7, 9, 11, 13, 15, 17, 24]
    assert game["rounds"][0]["final"]["hands"] == [[], []]


def test_a_total_of_exactly_the_limit_plays_on() -> None:
    def choose(question: dict[str, object]) -> object:
        return Script({})(question)

    deal = {"hands": filled([[], []], 10, range(1, 21)), "rows": [[25], [40], [60], [80]]}
    top = max(play("six-nimmt", {"rounds": 1}, 2, [deal], choose)["points"])
    assert top > 1
    assert len(play("six-nimmt", {"limit": top - 1}, 2, [deal], choose)["rounds"]) == 1
    assert len(play("six-nimmt", {"limit": top}, 2, [deal, deal], choose)["rounds"]) == 2
    standard = six.complete_options({})
    assert not six.is_over(standard, 2, 9, [66, 0])
    assert six.is_over(standard, 2, 1, [67, 0])


@pytest.mark.parametrize(
    ("options", "players"),
    [
        ({"limit": 66, "rounds": 1}, 4),
        ({"opening_picks": 1}, 4),
        ({"advanced": True, "opening_picks": 11}, 4),
        ({"rounds": 0}, 4),
        ({"strict": True}, 4),
        ({}, 11),
        ({}, 1),
        ({"advanced": True}, 7),
    ],
)
def test_options_and_player_counts_outside_the_rules_are_refused(
    options: dict[str, object], players: int
) -> None:
    with pytest.raises(ValueError, match=r"expected|needs|options are"):
        play("six-nimmt", options, players, [], Script({}))


@pytest.mark.parametrize(
    ("key", "bad"),
    [((0, "card"), 15), ((0, "card"), "14"), ((0, "row"), 4), ((0, "row"), True)],
)
def test_illegal_choices_raise(key: tuple[int, str], bad: object) -> None:
    script, deal = example()
    script.choices[key] = [*script.choices[key][:2], bad] if key[1] == "card" else [bad]
    with pytest.raises(ValueError, match="expected one of"):
        play("six-nimmt", {"rounds": 1}, 4, [deal], script)


@pytest.mark.parametrize(
    ("players", "choose", "mean", "deviation"),
    [
        (2, cheapest_row, 8.2, 5.4),
        (4, cheapest_row, 12.1, 8.0),
        (6, cheapest_row, 13.6, 9.2),
        (10, cheapest_row, 14.65, 10.0),
        (4, random_choice, 13.4, 8.6),
    ],
)
def test_random_rounds_cost_the_known_number_of_heads(
    players: int,
    choose: Callable[[Question, random.Random], object],
    mean: float,
    deviation: float,
) -> None:
    games = sample("six-nimmt", {"rounds": 1}, players, 200, choose)
    points = [p for game in games for p in game["points"]]
    found = sum(points) / len(points)
    spread = (sum((p - found) ** 2 for p in points) / len(points)) ** 0.5
    assert found == pytest.approx(mean, abs=1.0)
    assert spread == pytest.approx(deviation, abs=1.0)


def test_random_games_pass_the_limit_after_the_known_number_of_rounds() -> None:
    games = sample("six-nimmt", {}, 4, 60, cheapest_row)
    assert sum(len(game["rounds"]) for game in games) / 60 == pytest.approx(4.5, abs=0.6)
    for game in games:
        before = [t - p for t, p in zip(game["points"], game["rounds"][-1]["points"], strict=True)]
        assert max(before) <= 66 < max(game["points"])
