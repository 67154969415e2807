"""Playouts of 11 nimmt! in pure Python; `eleven_rollouts.c` is the same, number for number.

Whoever can play does, with bull cards all that fits on as many piles; who cannot play takes a pile.
Which pile and which card is up to the policies. A hand is a set of cards as the bits of a number.
"""

from nimmt.cards import HEADS, heads
from nimmt.choices import STEAL, Choice, Play, Take
from nimmt.core.policies import GAP, LEVELS, UNIFORM, Players, Policy
from nimmt.core.position import Position
from nimmt.generator import Generator

BULL_FROM = 3
WINDOW = 10
TEN = (1 << WINDOW) - 1
_GAPS = tuple([tuple([g + 1 for g in range(WINDOW) if fits >> g & 1]) for fits in range(TEN + 1)])
"""The gaps of the cards in a window, by its ten bits."""


def window(hand: int, top: int) -> int:
    """Ten bits: bit k says whether the hand holds the card k + 1 above the top; 1 follows 100."""
    if top <= 90:
        return hand >> (top + 1) & TEN
    before = 100 - top
    low = hand >> (top + 1) & ((1 << before) - 1)
    return low | (hand >> 1 & ((1 << (WINDOW - before)) - 1)) << before


class ElevenGuess:
    """What might be hidden, and one playout from there for each candidate."""

    def __init__(
        self, position: Position, dealt: list[int], rng: Generator, players: Players
    ) -> None:
        self.position = position
        self.policies = players.policies(position.seat, position.players)
        cards = iter(dealt)
        hands = [[card or next(cards) for card in hand] for hand in position.hands]
        self.hands = [sum([1 << card for card in hand]) for hand in hands]
        self.points = [heads(hand) for hand in hands]
        self.draw = [card or next(cards) for card in position.draw]

    def run(self, first: Choice, rng: Generator) -> list[int]:
        """The points of the round when it goes on with this candidate."""
        position = self.position
        run = _Run(self, rng)
        seat = position.seat
        over = run.first(seat, first)
        while not over:
            seat = (seat + 1) % position.players
            over = run.turn(seat, self.policies[seat])
        return run.points


class _Pile:
    """A pile: its top, how many cards it has, their heads, and which they are."""

    __slots__ = ("bits", "heads", "length", "top")

    def __init__(self, cards: list[int]) -> None:
        self.top = cards[-1]
        self.length = len(cards)
        self.heads = heads(cards)
        self.bits = sum([1 << card for card in cards])


class _Run:
    """The moving parts of one playout. Every step says whether the round is over."""

    __slots__ = ("draw", "hands", "held", "piles", "points", "pool", "position", "rng")

    def __init__(self, guess: ElevenGuess, rng: Generator) -> None:
        self.position = position = guess.position
        self.rng = rng
        self.hands = guess.hands[:]
        self.points = guess.points[:]
        self.piles = [_Pile(cards) for cards in position.piles.values()]
        self.draw = guess.draw[::-1]
        self.held = position.bull_cards[:]
        self.pool = position.bull_pool

    def first(self, seat: int, choice: Choice) -> bool:
        if self.position.kind == STEAL:
            assert isinstance(choice, int)
            self.steal(seat, choice)
            return self.reveal()
        numbers = list(self.position.piles)
        if isinstance(choice, Take):
            return self.take(seat, numbers.index(choice.pile))
        assert isinstance(choice, Play)
        for number, cards in sorted(choice.cards.items()):
            pile = self.piles[numbers.index(number)]
            top = pile.top
            for card in sorted(cards, key=lambda card: (card - top) % 100):
                self.lay(seat, pile, card)
        return not self.hands[seat]

    def turn(self, seat: int, policy: Policy) -> bool:
        hand = self.hands[seat]
        fits = []
        for pile in self.piles:
            # This is asked of every pile in every turn, so the common case is written out.
            top = pile.top
            found = hand >> (top + 1) & TEN if top <= 90 else window(hand, top)
            if found:
                fits.append((pile, found))
        if not fits:
            return self.take(seat, self._pick_take(policy))
        if not self.held[seat]:
            pile, found = fits[self._pick_pile(policy, fits)]
            self.lay(seat, pile, self._pick_card(policy, pile.top, found))
            return not self.hands[seat]
        for _ in range(self.held[seat]):
            if not fits:
                break
            pile, found = fits[self._pick_pile(policy, fits)]
            top = pile.top
            for gap in _GAPS[found]:
                self.lay(seat, pile, (top + gap - 1) % 100 + 1)
            hand = self.hands[seat]
            # The piles that are left, as far as the cards left in the hand still fit.
            left = [(other, window(hand, other.top)) for other, _ in fits if other is not pile]
            fits = [(other, found) for other, found in left if found]
        return not self.hands[seat]

    def _pick_pile(self, policy: Policy, fits: list[tuple[_Pile, int]]) -> int:
        if policy.kind == UNIFORM:
            return self.rng.below(len(fits))
        levels = [min(_levels(policy, pile.top, _GAPS[found])) for pile, found in fits]
        return policy.pick(levels, self.rng)

    def _pick_card(self, policy: Policy, top: int, fits: int) -> int:
        gaps = _GAPS[fits]
        if policy.kind == UNIFORM:
            gap = gaps[self.rng.below(len(gaps))]
        else:
            gap = gaps[policy.pick(_levels(policy, top, gaps), self.rng)]
        return (top + gap - 1) % 100 + 1

    def _pick_take(self, policy: Policy) -> int:
        if policy.kind == UNIFORM:
            return self.rng.below(len(self.piles))
        levels = [min(pile.heads, LEVELS - 1) for pile in self.piles]
        return policy.pick(levels, self.rng)

    def lay(self, seat: int, pile: _Pile, card: int) -> None:
        self.hands[seat] &= ~(1 << card)
        pile.bits |= 1 << card
        pile.top = card
        pile.length += 1
        pile.heads += HEADS[card]
        self.points[seat] -= HEADS[card]

    def take(self, seat: int, index: int) -> bool:
        pile = self.piles.pop(index)
        self.hands[seat] |= pile.bits
        self.points[seat] += pile.heads
        if pile.length >= BULL_FROM:
            if self.pool:
                self.pool -= 1
                self.held[seat] += 1
            else:
                others = [0 if other == seat else n for other, n in enumerate(self.held)]
                if most := max(others):
                    self.steal(seat, others.index(most))
        return self.reveal()

    def steal(self, seat: int, victim: int) -> None:
        self.held[victim] -= 1
        self.held[seat] += 1

    def reveal(self) -> bool:
        self.piles.append(_Pile([self.draw.pop()]))
        if self.draw:
            self.piles.append(_Pile([self.draw.pop()]))
        return not self.draw


def _levels(policy: Policy, top: int, gaps: tuple[int, ...]) -> list[int]:
    """Near, or dear, is good."""
    if policy.feature == GAP:
        return [gap - 1 for gap in gaps]
    return [7 - HEADS[(top + gap - 1) % 100 + 1] for gap in gaps]
