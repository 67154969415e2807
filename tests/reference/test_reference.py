"""What holds for all three reference games: deals, questions, places, conservation."""

import random
from typing import Any

import pytest

from . import play, random_choice, random_deal
from .cards import places_of
from .scripts import Script, dealer

VARIANTS: list[tuple[str, dict[str, Any], int]] = [
    *[("six-nimmt", {"rounds": 2}, players) for players in range(2, 11)],
    *[("six-nimmt", {"rounds": 2, "advanced": True}, players) for players in range(2, 7)],
    ("six-nimmt", {"limit": 20}, 3),
    ("six-nimmt", {"rounds": 1, "advanced": True, "opening_picks": 10}, 4),
    *[("eleven-nimmt", {}, players) for players in range(2, 8)],
    ("eleven-nimmt", {"next_start": "most"}, 3),
    *[("x-nimmt", {}, players) for players in range(2, 5)],
]


@pytest.mark.parametrize(("rules", "options", "players"), VARIANTS)
def test_the_recorded_choices_play_the_same_game_again(
    rules: str, options: dict[str, Any], players: int
) -> None:
    rng = random.Random(f"{rules} {options} {players}")
    deals = dealer(rules, options, players, rng)
    game = play(rules, options, players, deals, lambda q: random_choice(q, rng, take=0.3))
    recorded = iter([d for done in game["rounds"] for d in done["decisions"]])

    def again(question: dict[str, Any]) -> object:
        decision = next(recorded)
        assert (question["seat"], question["kind"]) == (decision["seat"], decision["kind"])
        # A player who scribbles on the question must not be able to change the game.
        for value in question["situation"].values():
            if isinstance(value, list):
                value.clear()
        choice: object = decision["choice"]
        return choice

    same = play(rules, options, players, [done["deal"] for done in game["rounds"]], again)
    assert same == game
    assert game["points"] == game["rounds"][-1]["final"]["totals"]


@pytest.mark.parametrize(("rules", "options", "players"), VARIANTS)
def test_no_card_is_lost_or_doubled(rules: str, options: dict[str, Any], players: int) -> None:
    rng = random.Random(players)
    held = {"six-nimmt": 10 * players + 4, "eleven-nimmt": 100, "x-nimmt": 8 * players + 3}[rules]

    def choose(question: dict[str, Any]) -> object:
        situation = question["situation"]
        lists = ("hands", "rows", "bull_piles", "piles", "x_rows", "x_piles")
        cards = [c for name in lists for group in situation.get(name, []) for c in group]
        cards += situation.get("draw", []) + situation.get("open_cards", [])
        assert len(set(cards)) == len(cards)
        if question["kind"] in ("draft", "card", "turn"):
            assert len(cards) == held
        return random_choice(question, rng)

    play(rules, options, players, dealer(rules, options, players, rng), choose)


def test_equal_points_share_a_place() -> None:
    assert places_of([0, 6, 1, 0]) == [1, 4, 3, 1]
    assert places_of([5, 5, 5]) == [1, 1, 1]


@pytest.mark.parametrize(
    ("rules", "options", "change"),
    [
        ("eleven-nimmt", {}, {"start_seat": 1}),
        ("eleven-nimmt", {}, {"draw": [1, 2, 3]}),
        ("eleven-nimmt", {}, {"rows": []}),
        ("six-nimmt", {"advanced": True}, {"start_seat": 1}),
        ("six-nimmt", {"advanced": True}, {"opening": [[1], [2], [3]]}),
        ("six-nimmt", {}, {"rows": [[1], [1], [2], [3]]}),
        ("six-nimmt", {}, {"rows": [[1, 2], [3], [4], [5]]}),
        ("x-nimmt", {}, {"rows": [[101], [102], [103]]}),
    ],
)
def test_a_deal_against_the_rules_is_refused(
    rules: str, options: dict[str, Any], change: dict[str, Any]
) -> None:
    deal = random_deal(rules, options, 3, 0, random.Random(1), 0) | change
    with pytest.raises(ValueError, match=r"deal|dealt|expected"):
        play(rules, options, 3, [deal], Script({}))


def test_more_deals_than_rounds_are_refused() -> None:
    deals = [random_deal("six-nimmt", {}, 2, number, random.Random(1), 0) for number in (0, 1)]
    with pytest.raises(ValueError, match="2 deals given"):
        play("six-nimmt", {"rounds": 1}, 2, deals, Script({}))


def test_the_random_player_covers_every_sort_of_turn() -> None:
    rng = random.Random(3)
    seen: set[str] = set()

    def choose(question: dict[str, Any]) -> object:
        choice = random_choice(question, rng, take=0.4, big_piles=0.9)
        if question["kind"] == "steal":
            seen.add("steal")
        elif isinstance(choice, dict) and "take" in choice:
            seen.add("voluntary take" if question["legal"]["plays"] else "needed take")
        elif isinstance(choice, dict):
            plays = choice["play"]
            most = max(len(cards) for cards in plays.values())
            seen.add(f"{'several' if len(plays) > 1 else 'one'} by {'many' if most > 1 else 'one'}")
        return choice

    for _ in range(10):
        play("eleven-nimmt", {}, 3, dealer("eleven-nimmt", {}, 3, rng), choose)
    assert seen == {
        "steal",
        "voluntary take",
        "needed take",
        "one by one",
        "one by many",
        "several by one",
        "several by many",
    }
