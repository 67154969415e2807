"""Random deals and a random player for the reference games. No rule is decided here."""

import random
from typing import Any

from .asking import Question
from .cards import Deal, Options


def random_deal(
    rules: str, options: Options, players: int, number: int, rng: random.Random, start_seat: int
) -> Deal:
    """A deal of one round. Chance does not look at `number`, the round."""
    advanced = rules == "six-nimmt" and options.get("advanced", False)
    highest = 10 * players + 4 if advanced else 104 if rules == "six-nimmt" else 100
    deck = list(range(1, highest + 1))
    rng.shuffle(deck)
    if advanced:
        picks = int(options.get("opening_picks", 0))
        return {
            "start_seat": start_seat,
            "opening": [deal_off(deck, picks) for _ in range(players)],
        }
    size = 8 if rules == "x-nimmt" else 10
    hands = [deal_off(deck, size) for _ in range(players)]
    if rules == "eleven-nimmt":
        pile = deal_off(deck, 1)
        return {"hands": hands, "piles": [pile], "draw": deck, "start_seat": start_seat}
    rows = 3 if rules == "x-nimmt" else 4
    return {"hands": hands, "rows": [deal_off(deck, 1) for _ in range(rows)]}


def deal_off(deck: list[int], count: int) -> list[int]:
    """The first cards of a deck, which loses them."""
    cards = deck[:count]
    del deck[:count]
    return cards


def random_choice(
    question: Question,
    rng: random.Random,
    *,
    take: float = 0.2,
    big_piles: float = 0.5,
    many: float = 0.6,
) -> object:
    """Any legal choice can come out. `take`: chance to take although a card fits. `big_piles`:
    chance that a taker keeps to piles of three and more. `many`: chance of each further card
    and of each further pile when bull cards allow it."""
    legal = question["legal"]
    if question["kind"] != "turn":
        return rng.choice(legal)
    if not legal["plays"] or rng.random() < take:
        return {"take": random_pile(question, rng, big_piles)}
    return {"play": random_play(legal, rng, many)}


def random_pile(question: Question, rng: random.Random, big_piles: float) -> int:
    """A pile to take, perhaps only out of those that bring a bull card."""
    takes: list[int] = question["legal"]["takes"]
    big = [pile for pile in takes if len(question["situation"]["piles"][pile]) >= 3]
    return rng.choice(big if big and rng.random() < big_piles else takes)


def random_play(legal: dict[str, Any], rng: random.Random, many: float) -> dict[str, list[int]]:
    """Cards on one pile, or with bull cards on several; a card that fits twice is played once."""
    names = list(legal["plays"])
    rng.shuffle(names)
    plays: dict[str, list[int]] = {}
    used: set[int] = set()
    for name in names:
        if len(plays) == legal["max_piles"] or (plays and rng.random() >= many):
            break
        free = [card for card in legal["plays"][name] if card not in used]
        if free:
            first = rng.choice(free)
            cards = [
                card for card in free if card == first or (legal["several"] and rng.random() < many)
            ]
            plays[name] = cards
            used.update(cards)
    return plays
