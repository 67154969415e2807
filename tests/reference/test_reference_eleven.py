"""Worked examples and readings of eleven-nimmt, on the reference engine alone."""

import random
from functools import partial
from typing import Any

import pytest

from . import eleven, heads, play, random_choice
from .cards import heads_of
from .eleven import Table
from .scripts import Script, dealer, filled, sample, scribe_for


def table(**changes: Any) -> Table:
    """Three seats with one pile, in the middle of a round."""
    laid: dict[str, Any] = {
        "hands": [[1, 2], [3, 4], [5, 6]],
        "piles": [[50, 51, 52]],
        "draw": [70, 71, 72, 73, 74],
        "bull_cards": [0, 0, 0],
    }
    return Table(**(laid | changes))


def test_the_rulebook_example_lays_out_as_printed() -> None:
    spare = [*range(57, 78), *range(79, 87), *range(1, 5), 16, 17, 18, 20, 21, 22]
    hands = filled([[36, 92], [46, 98], [5], [88]], 10, spare)
    used = {card for hand in hands for card in hand} | {31, 23, 87, 19, 78}
    draw = [23, 87, 19, 78] + [card for card in range(1, 101) if card not in used]
    script = Script(
        {
            (0, "turn"): [{"play": {"0": [36]}}, {"play": {"2": [92]}}],
            (1, "turn"): [{"play": {"0": [46]}}, {"play": {"2": [98]}}],
            (2, "turn"): [{"take": 0}, {"play": {"2": [5]}}],
            (3, "turn"): [{"play": {"2": [88]}}, {"take": 1}],
        }
    )
    deal = {"hands": hands, "piles": [[31]], "draw": draw, "start_seat": 0}
    play("eleven-nimmt", {}, 4, dealer("eleven-nimmt", {}, 4, random.Random(1), deal), script)
    turns = [question for question in script.questions if question["kind"] == "turn"]
    seen = [question["situation"] for question in turns]
    assert [question["seat"] for question in turns[:9]] == [0, 1, 2, 3, 0, 1, 2, 3, 0]
    assert [situation["piles"] for situation in seen[:3]] == [[[31]], [[31, 36]], [[31, 36, 46]]]
    assert turns[2]["legal"] == {"plays": {}, "max_piles": 1, "several": False, "takes": [0]}
    assert seen[3]["piles"] == [[], [23], [87]]
    assert seen[3]["bull_cards"] == [0, 0, 1, 0]
    assert seen[3]["pool"] == 9
    assert len(seen[3]["hands"][2]) == 13
    assert [len(seen[turn]["draw"]) for turn in (0, 3, 8)] == [59, 57, 55]
    assert seen[7]["piles"] == [[], [23], [87, 88, 92, 98, 5]]
    assert turns[7]["legal"]["plays"] == {}
    assert turns[7]["legal"]["takes"] == [1, 2]
    assert seen[8]["piles"] == [[], [], [87, 88, 92, 98, 5], [19], [78]]
    assert seen[8]["bull_cards"] == [0, 0, 1, 0]


@pytest.mark.parametrize(
    ("top", "window"),
    [
        (31, list(range(32, 42))),
        (36, list(range(37, 47))),
        (96, [97, 98, 99, 100, 1, 2, 3, 4, 5, 6]),
        (100, list(range(1, 11))),
        (33, list(range(34, 44))),
    ],
)
def test_ten_cards_fit_above_a_top_and_the_numbers_go_round(top: int, window: list[int]) -> None:
    laid = table(hands=[list(range(1, 101))], piles=[[top]])
    assert laid.fitting(0, 0) == window
    assert eleven.gap(5, 98) == 7


@pytest.mark.parametrize(
    ("bulls", "wish"),
    [
        (0, {"0": [34]}),
        (1, {"0": [34, 43]}),
        (1, {"1": [99, 3]}),
        (2, {"0": [34, 35, 43]}),
        (2, {"0": [34], "1": [99, 3]}),
        (3, {"0": [34], "1": [3]}),
    ],
)
def test_bull_cards_allow_several_cards_and_several_piles(
    bulls: int, wish: dict[str, list[int]]
) -> None:
    hand = [3, 34, 35, 43, 53, 60, 99]
    laid = table(hands=[hand, [7]], piles=[[33], [96], [37]], bull_cards=[bulls, 0])
    scribe, script = scribe_for({(0, "turn"): [{"play": wish}], (1, "turn"): [{"take": 2}]})
    laid.draw = [70]
    eleven.play_turns(scribe, laid, 0)
    for name, cards in wish.items():
        assert laid.piles[int(name)][1:] == cards
    assert script.questions[0]["legal"]["max_piles"] == max(1, bulls)
    assert laid.bull_cards == [bulls, 0]


@pytest.mark.parametrize(
    ("bulls", "choice"),
    [
        (0, {"play": {"0": [34, 35]}}),
        (0, {"play": {"0": [34], "1": [99]}}),
        (1, {"play": {"0": [34], "1": [99]}}),
        (1, {"play": {"0": [43, 53]}}),
        (2, {"play": {"0": [43], "2": [43]}}),
        (1, {"play": {"1": [3, 99]}}),
        (1, {"play": {"0": [34, 34]}}),
        (1, {"play": {"0": [36]}}),
        (1, {"play": {"0": []}}),
        (1, {"play": {}}),
        (1, {"play": {0: [34]}}),
        (1, {"play": {"3": [34]}}),
        (1, {"take": 3}),
        (1, {"take": "0"}),
        (1, {"take": False}),
        (1, {"take": 0, "play": {"0": [34]}}),
        (1, {}),
        (1, None),
    ],
)
def test_turns_against_the_rules_raise(bulls: int, choice: object) -> None:
    laid = table(hands=[[3, 34, 35, 43, 53, 99], [7]], piles=[[33], [96], [37], []])
    laid.bull_cards = [bulls, 0]
    scribe, _ = scribe_for({(0, "turn"): [choice]})
    with pytest.raises(ValueError, match=r"expected|twice|bull cards"):
        eleven.play_turns(scribe, laid, 0)


def test_the_take_that_empties_the_deck_ends_the_round_with_its_bull_card() -> None:
    laid = table(draw=[70], bull_cards=[5, 5, 0], pool=0)
    scribe, script = scribe_for({(2, "turn"): [{"take": 0}], (2, "steal"): [1]})
    eleven.play_turns(scribe, laid, 2)
    assert [d["kind"] for d in scribe.decisions] == ["turn", "steal"]
    assert [d["forced"] for d in scribe.decisions] == [True, False]
    assert script.questions[1]["legal"] == [0, 1]
    assert laid.bull_cards == [5, 4, 1]
    assert laid.piles == [[], [70]]
    assert sorted(laid.hands[2]) == [5, 6, 50, 51, 52]
    assert laid.points() == [heads_of([1, 2]), heads_of([3, 4]), 2 + 1 + 3 + 1 + 1]


def test_a_hand_emptied_by_a_play_ends_the_round_in_mid_lap() -> None:
    laid = table(hands=[[53, 60], [3], [30, 55]], bull_cards=[1, 0, 0])
    scribe, _ = scribe_for({(0, "turn"): [{"play": {"0": [53, 60]}}]})
    eleven.play_turns(scribe, laid, 0)
    assert len(scribe.decisions) == 1
    assert laid.points() == [0, 1, 3 + 7]


@pytest.mark.parametrize(
    ("taker", "bulls", "candidates"),
    [
        (2, [4, 4, 2], [0, 1]),
        (0, [4, 4, 2], [1]),
        (0, [5, 3, 2], [1]),
        (1, [5, 3, 2], [0]),
        (0, [6, 2, 2], [1, 2]),
        (0, [10, 0, 0], None),
    ],
)
def test_an_empty_pool_means_stealing_from_another_with_the_most(
    taker: int, bulls: list[int], candidates: list[int] | None
) -> None:
    laid = table(bull_cards=list(bulls), pool=0)
    scribe, script = scribe_for({})
    eleven.take_pile(scribe, laid, taker, 0)
    if candidates is None:
        assert scribe.decisions == []
        assert laid.bull_cards == bulls
        return
    assert [question["legal"] for question in script.questions] == [candidates]
    assert scribe.decisions[0]["forced"] == (len(candidates) == 1)
    assert laid.bull_cards[taker] == bulls[taker] + 1
    assert laid.bull_cards[candidates[0]] == bulls[candidates[0]] - 1
    assert laid.piles == [[], [70], [71]]


@pytest.mark.parametrize(
    ("hand", "piles", "forced"),
    [([1], [[50]], True), ([1], [[50], [70]], False), ([51, 1], [[50]], False)],
)
def test_a_turn_is_forced_only_with_one_pile_and_nothing_to_play(
    hand: list[int], piles: list[list[int]], forced: bool
) -> None:
    scribe, _ = scribe_for({(0, "turn"): [{"take": 0}]})
    assert eleven.ask_turn(scribe, table(hands=[hand, [2]], piles=piles), 0) == (0, {})
    assert scribe.decisions[0]["forced"] is forced


def test_two_cards_bring_no_bull_card_and_three_do() -> None:
    for pile, gained in ([50, 51], 0), ([50, 51, 52], 1), ([50, 51, 52, 53], 1):
        laid = table(piles=[pile])
        eleven.take_pile(scribe_for({})[0], laid, 0, 0)
        assert (laid.bull_cards[0], laid.pool) == (gained, 10 - gained)


def test_a_card_with_three_heads_costs_three_points() -> None:
    assert heads(40) == 3
    assert table(hands=[[40], [], []]).points() == [3, 0, 0]


@pytest.mark.parametrize(
    ("next_start", "totals", "previous", "expected"),
    [
        ("fewest", [9, 4, 7], 0, 1),
        ("most", [9, 4, 7], 1, 0),
        ("fewest", [4, 9, 4], 1, 2),
        ("fewest", [4, 9, 4], 2, 2),
        ("fewest", [4, 4, 9], 2, 0),
        ("most", [4, 9, 9], 0, 1),
        ("fewest", [5, 5, 5], 1, 1),
    ],
)
def test_the_next_start_seat_goes_by_the_totals(
    next_start: str, totals: list[int], previous: int, expected: int
) -> None:
    assert eleven.start_seat({"next_start": next_start}, 3, 1, totals, previous) == expected
    assert eleven.start_seat({"next_start": next_start}, 3, 0, [0, 0, 0], None) == 0


@pytest.mark.parametrize("players", [2, 3, 7])
@pytest.mark.parametrize("next_start", ["fewest", "most"])
def test_there_are_as_many_rounds_as_players(players: int, next_start: str) -> None:
    [game] = sample("eleven-nimmt", {"next_start": next_start}, players, 1, random_choice)
    assert len(game["rounds"]) == players
    for before, after in zip(game["rounds"], game["rounds"][1:], strict=False):
        totals = before["final"]["totals"]
        wanted = min(totals) if next_start == "fewest" else max(totals)
        assert totals[after["deal"]["start_seat"]] == wanted


def longest_play(question: dict[str, Any], rng: random.Random) -> object:
    """As many cards as one pile allows, a random pile for a taker."""
    if question["kind"] != "turn" or not question["legal"]["plays"]:
        return random_choice(question, rng, big_piles=0)
    plays = question["legal"]["plays"]
    pile = max(plays, key=lambda name: len(plays[name]))
    return {"play": {pile: plays[pile] if question["legal"]["several"] else plays[pile][:1]}}


@pytest.mark.parametrize(("players", "turns"), [(2, 31), (4, 44), (7, 66)])
def test_greedy_rounds_last_the_known_number_of_turns(players: int, turns: int) -> None:
    games = sample("eleven-nimmt", {}, players, 56 // players, longest_play)
    rounds = [done for game in games for done in game["rounds"]]
    found = sum(len(done["decisions"]) for done in rounds) / len(rounds)
    assert found == pytest.approx(turns, rel=0.2)
    assert sum(not done["final"]["draw"] for done in rounds) <= 1


@pytest.mark.parametrize(("players", "low", "high"), [(2, 0.3, 0.75), (4, 0.8, 1), (7, 0.95, 1)])
def test_the_deck_runs_out_when_half_of_the_turns_take(
    players: int, low: float, high: float
) -> None:
    taker = partial(random_choice, take=0.5, big_piles=0)
    games = sample("eleven-nimmt", {}, players, 56 // players, taker)
    finals = [done["final"] for game in games for done in game["rounds"]]
    assert low <= sum(not final["draw"] for final in finals) / len(finals) <= high
    standing = max(sum(1 for pile in final["piles"] if pile) for final in finals)
    assert standing == 50 - 5 * players


@pytest.mark.parametrize("players", [2, 4])
def test_takers_who_want_bull_cards_steal_often(players: int) -> None:
    taker = partial(random_choice, take=0.5, big_piles=1)
    games = sample("eleven-nimmt", {}, players, 40 // players, taker)
    kinds = [d["kind"] for game in games for done in game["rounds"] for d in done["decisions"]]
    assert kinds.count("steal") / 40 >= 1
