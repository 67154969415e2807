"""Helpers of the reference's own tests: scripted players and completed deals."""

import random
from collections.abc import Callable, Iterable
from typing import Any

from . import Deal, Dealer, Question, play, random_deal
from .asking import Scribe
from .cards import heads_of


class Script:
    """Gives prepared choices by seat and kind, then simple legal ones; keeps every question."""

    def __init__(self, choices: dict[tuple[int, str], list[Any]]) -> None:
        self.choices = {key: list(values) for key, values in choices.items()}
        self.questions: list[Question] = []

    def __call__(self, question: Question) -> object:
        self.questions.append(question)
        prepared = self.choices.get((question["seat"], question["kind"]))
        if prepared:
            return prepared.pop(0)
        legal = question["legal"]
        if question["kind"] != "turn":
            return min(legal)
        for pile, cards in legal["plays"].items():
            return {"play": {pile: cards[:1]}}
        return {"take": legal["takes"][0]}

    def asked(self, kind: str, seat: int = 0) -> list[Question]:
        """The questions of one kind to one seat."""
        return [q for q in self.questions if q["kind"] == kind and q["seat"] == seat]


def scribe_for(choices: dict[tuple[int, str], list[Any]]) -> tuple[Scribe, Script]:
    """A scribe for a table that a test has laid out in the middle of a round."""
    script = Script(choices)
    return Scribe(script, dict), script


def filled(hands: list[list[int]], size: int, spare: Iterable[int]) -> list[list[int]]:
    """The hands, each filled up to its size with spare cards that no hand names."""
    named = {card for hand in hands for card in hand}
    rest = iter([card for card in spare if card not in named])
    return [hand + [next(rest) for _ in range(size - len(hand))] for hand in hands]


def dealer(
    rules: str,
    options: dict[str, Any],
    players: int,
    rng: random.Random,
    first: Deal | None = None,
) -> Dealer:
    """Random deals with the start seat that the game asks for, perhaps after a given first."""

    def deal(number: int, known: dict[str, Any]) -> Deal:
        if number == 0 and first is not None:
            return first
        return random_deal(rules, options, players, number, rng, known["start_seat"])

    return deal


def sample(
    rules: str,
    options: dict[str, Any],
    players: int,
    games: int,
    choose: Callable[[Question, random.Random], object],
) -> list[dict[str, Any]]:
    """Random games with a fixed seed."""
    rng = random.Random(f"{rules} {players} {games}")
    deals = dealer(rules, options, players, rng)
    return [play(rules, options, players, deals, lambda q: choose(q, rng)) for _ in range(games)]


def cheapest_row(question: Question, rng: random.Random) -> object:
    """A random card, and the row with the fewest heads for a low card."""
    if question["kind"] == "row":
        rows = question["situation"]["rows"]
        return min(question["legal"], key=lambda row: heads_of(rows[row]))
    return rng.choice(question["legal"])
