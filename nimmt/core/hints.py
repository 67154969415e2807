"""Guesses of hidden cards by what the others have chosen; `hints.h` is the same in C, number for
number.

A chain of deals: hidden cards change places, and a change that makes the choices less likely is
accepted by its share, so that in the long run deals come by how likely they are.
"""

from collections.abc import Sequence
from ctypes import Array
from dataclasses import dataclass, field

from nimmt.core.layout import CHint
from nimmt.core.position import Position
from nimmt.generator import Generator

MOST_HINTS = 16
"""Of a seat; older ones say less, as most of the cards of then have been seen since."""
MOST_WEIGHT = 1 << 24
MOST_BASE = 64 * MOST_WEIGHT
BURN_IN_SWEEPS = 12
"""At the start of a chain, one proposal for each hidden card."""


@dataclass(slots=True)
class Hint:
    """A choice of another seat that all saw. With these cards in its hand it had the chance
    1 / (base + the sum of their weights), times what is the same for all."""

    seat: int
    base: int
    """Of what it could choose for sure, the choice itself among it; 1 or more."""
    weights: Sequence[int] = field(repr=False)
    """By card, 0 to 2^24: how much the seat prefers it, had it held it."""


def pack_hints(hints: Sequence[Hint]) -> "Array[CHint]":
    """Hints as the core reads them."""
    packed = (CHint * max(1, len(hints)))()
    for target, hint in zip(packed, hints, strict=False):
        target.seat, target.base = hint.seat, hint.base
        target.weight[:] = hint.weights
    return packed


class Chain:
    """Deals of the hidden cards, one after another."""

    def __init__(self, position: Position, hints: Sequence[Hint], seed: int) -> None:
        self.rng = Generator.stream(seed, 0, 1)
        self.cards = position.unseen[:]
        self.rng.shuffle(self.cards)
        self.hidden = position.hidden
        self.hints: list[list[Sequence[int]]] = [[] for _ in position.hands]
        self.totals: list[list[float]] = [[] for _ in position.hands]
        self.owner: list[int] = []
        self.spans: list[tuple[int, int]] = []
        for seat, hand in enumerate(position.hands):
            first = len(self.owner)
            self.owner += [seat] * hand.count(0)
            self.spans.append((first, len(self.owner)))
        for hint in hints:
            first, last = self.spans[hint.seat]
            held = sum([hint.weights[card] for card in self.cards[first:last]])
            self.hints[hint.seat].append(hint.weights)
            self.totals[hint.seat].append(float(hint.base + held))
        for _ in range(BURN_IN_SWEEPS):
            self._sweep()

    def next_deal(self, rng: Generator) -> list[int]:
        """The hidden cards of the hands by seat, then of the draw deck. Their order within a hand
        or the deck is as likely as any other."""
        self._sweep()
        dealt: list[int] = []
        for first, last in self.spans:
            hand = self.cards[first:last]
            rng.shuffle(hand)
            dealt += hand
        rest = self.cards[len(dealt) :]
        rng.shuffle(rest, self.hidden - len(dealt))
        return dealt + rest

    def _sweep(self) -> None:
        for _ in self.owner:
            self._propose()

    def _propose(self) -> None:
        in_hands = len(self.owner)
        i, j = self.rng.below(in_hands), self.rng.below(len(self.cards))
        one, other = self.owner[i], self.owner[j] if j < in_hands else None
        if one == other:
            return
        ours, theirs = self.cards[i], self.cards[j]
        changed = [(one, self._exchanged(one, ours, theirs))]
        if other is not None:
            changed.append((other, self._exchanged(other, theirs, ours)))
        old = 1.0
        now = 1.0
        for seat, totals in changed:
            product = 1.0
            for before, after in zip(self.totals[seat], totals, strict=True):
                old *= before
                product *= after
            now *= product
        if now > old and self.rng.random() * now >= old:
            return
        for seat, totals in changed:
            self.totals[seat] = totals
        self.cards[i], self.cards[j] = theirs, ours

    def _exchanged(self, seat: int, out: int, into: int) -> list[float]:
        """The sums of a seat's hints after one card of its hand is exchanged."""
        return [
            total - weights[out] + weights[into]
            for total, weights in zip(self.totals[seat], self.hints[seat], strict=True)
        ]
