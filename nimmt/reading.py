"""What the others' choices say about their hands: whoever lays a bad card has no better one.

A `Reader` goes with a `Memory`. It holds every choice of the others against a model of how people
choose, and makes hints of them, by which rollouts guess the hidden cards.
"""

from collections.abc import Sequence

from nimmt.cards import HEADS, HIGHEST
from nimmt.choices import WINDOW
from nimmt.core.hints import MOST_BASE, MOST_HINTS, MOST_WEIGHT, Hint
from nimmt.core.policies import LEVELS, RISK_STEPS, RISKS, Policy
from nimmt.events import HAND, PILE, ROW, Event, Move, Reveal, RoundStart, Turn
from nimmt.search import Memory
from nimmt.table import Table

ROW_HOLDS = {"six-nimmt": (5, 5, 5, 5), "x-nimmt": (2, 3, 4)}
HANDS = frozenset(HAND)
PILES = frozenset(PILE)


class Model:
    """How likely a seat is to choose a card: by a policy, and some doubt in it.

    `doubt` is the share of the best that even the worst card keeps, and so does a take in 11 nimmt!
    of a seat that could play.
    """

    def __init__(self, policy: Policy, doubt: float) -> None:
        self.policy = policy
        top = policy.weights[0]
        weights = [doubt + (1 - doubt) * weight / top for weight in policy.weights]
        self.weights = [max(1, round(MOST_WEIGHT * weight)) for weight in weights]
        self.take = max(1, round(MOST_WEIGHT * doubt))

    def weigh(self, level: int, card: int) -> int:
        """The weight of a card by the level of its feature."""
        counts = self.policy.shape[min(level, LEVELS - 1)] + self.policy.prior[card]
        return self.weights[min(counts, LEVELS - 1)]


class Reader:
    """Follows the others' choices in a round. Give it every event before the memory sees it."""

    def __init__(self, memory: Memory, model: Model) -> None:
        self.memory = memory
        self.model = model
        self.choices: list[list[Hint]] = []
        self._seat = 0
        self._tops: list[int] = []

    def hints(self) -> list[Hint]:
        """What is known by now, by seat ascending; nothing of hands that are open."""
        zones = self.memory.table.zones
        return [
            Hint(seat, min(hint.base, MOST_BASE), hint.weights)
            for seat, made in enumerate(self.choices)
            if 0 in zones.get(HAND[seat], ())
            for hint in made[-MOST_HINTS:]
        ]

    def see(self, event: Event) -> None:
        """Take in what happens next."""
        table = self.memory.table
        match event:
            case RoundStart():
                self.choices = [[] for _ in range(table.players)]
            case Reveal(cards):
                if any(0 in table.zones.get(zone, ()) for zone in HANDS):
                    weights = self._card_weights()
                    for seat, card in enumerate(cards):
                        self._chose(seat, [card], weights)
            case Turn(_, seat) if seat is not None:
                # A turn may lay cards in several moves, all by the tops that lie here now.
                self._seat = seat
                self._tops = [cards[-1] for zone, cards in table.zones.items() if zone in PILES]
            case Move("play", cards, _, _):
                self._chose(self._seat, cards, self._turn_weights(), self.model.take)
            case Move("take", _, src, _) if src in PILES:
                self._chose(self._seat, (), self._turn_weights(), self.model.take)

    def _chose(
        self, seat: int, cards: Sequence[int], weights: Sequence[int], besides: int = 0
    ) -> None:
        """A seat laid these cards; `besides` is the weight of what else it could do."""
        if seat == self.memory.seat:
            return
        known = [card for card in self.memory.table.zones.get(HAND[seat], ()) if card]
        shown = [card for card in cards if card not in known]
        # A card that was hidden until now lay in the hand at every choice before.
        for hint in self.choices[seat]:
            hint.base += sum([hint.weights[card] for card in shown])
        held = sum([weights[card] for card in (*known, *shown)])
        self.choices[seat].append(Hint(seat, max(1, besides + held), weights))

    def _card_weights(self) -> list[int]:
        """6 nimmt!, X nimmt!: how likely each card is to be laid now; 0 for cards that lie open."""
        weights = [0] * (HIGHEST + 1)
        levels = slot_risks(self.memory.rules.name, self.memory.table, self.memory.highest)
        for card, level in levels.items():
            weights[card] = self.model.weigh(level, card)
        return weights

    def _turn_weights(self) -> list[int]:
        """11 nimmt!: how likely each card is to be laid now, by its smallest gap; 0 where it does
        not fit."""
        weights = [0] * (HIGHEST + 1)
        for top in self._tops:
            for step in range(WINDOW):
                card = (top + step) % 100 + 1
                weights[card] = max(weights[card], self.model.weights[step])
        return weights


def slot_risks(name: str, table: Table, highest: int) -> dict[int, int]:
    """The slot risk of every card that may lie in a hand, in quarters of a head, by what everyone
    sees: as policies reckon it, but for a seat's own cards."""
    zones = table.zones
    found = [
        (zones.get(zone, ()), holds) for zone, holds in zip(ROW, ROW_HOLDS[name], strict=False)
    ]
    rows = sorted((row[-1], holds - len(row), _heads(row)) for row, holds in found if row)
    seen = {card for zone, cards in zones.items() if zone not in HANDS for card in cards}
    hidden = highest - len(seen) - len(zones.get(HAND[0], ()))
    chance = 8 * (table.players - 1) / max(1, hidden)
    levels: dict[int, int] = {}
    level = 255 * min(cost for _, _, cost in rows) >> 6
    at, between = -1, 0
    for card in range(1, highest + 1):
        if at + 1 < len(rows) and card == rows[at + 1][0]:
            at, between = at + 1, 0
        elif card not in seen:
            if at >= 0:
                _, room, cost = rows[at]
                level = RISKS[room][min(int(between * chance), RISK_STEPS - 1)] * cost >> 6
            levels[card] = level
            between += 1
    return levels


def _heads(cards: Sequence[int]) -> int:
    return sum([HEADS[card] for card in cards])
