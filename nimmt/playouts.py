"""Random play to the end of a round, without validation or events: what search bots live on.

Cards are chosen uniformly at random; a low card takes the cheapest row. Each function reads a
state and leaves it alone, so many playouts can start from one state.
"""

from bisect import bisect
from collections.abc import Mapping
from random import Random
from typing import TYPE_CHECKING

from nimmt.cards import HEADS, heads
from nimmt.choices import HIGHEST, WINDOW, Choice, Play, Take, fitting

if TYPE_CHECKING:
    from nimmt.eleven import ElevenNimmtState
    from nimmt.rows import RowsState
    from nimmt.six import SixNimmtState
    from nimmt.x import XNimmtState


def six_playout(state: "SixNimmtState", rng: Random, first: Mapping[int, int]) -> list[int]:
    """Points of this round of 6 nimmt!, from a draft, a choice of cards or a choice of row."""
    hands = state.hands
    if state.pool:
        hands, rows = _random_draft(state, rng, first)
        first = {}
    else:
        rows = [state.rows[index] for index in state.order]
    # Rows stand by their ends, ascending: a card finds its row by bisection.
    tails = [row[-1] for row in rows]
    sizes = [len(row) for row in rows]
    costs = [sum([HEADS[card] for card in row]) for row in rows]
    points = state.points[:]
    turns = list(zip(*_orders(hands, rng, {} if state.to_place else first), strict=True))
    if state.to_place:
        low, *higher = _laid(state)
        row = first.get(low & 15)
        at = costs.index(min(costs)) if row is None else state.order.index(row)
        points[low & 15] += costs.pop(at)
        del tails[at], sizes[at]
        tails.insert(0, low >> 4)
        sizes.insert(0, 1)
        costs.insert(0, HEADS[low >> 4])
        turns.insert(0, tuple(higher))
    for laid in turns:
        for code in sorted(laid):
            card = code >> 4
            at = bisect(tails, card) - 1
            if at < 0:
                # Only the lowest card of a turn gets here; its row becomes the lowest one.
                at = costs.index(min(costs))
                points[code & 15] += costs.pop(at)
                del tails[at], sizes[at]
                tails.insert(0, card)
                sizes.insert(0, 1)
                costs.insert(0, HEADS[card])
                continue
            tails[at] = card
            if sizes[at] == 5:
                points[code & 15] += costs[at]
                sizes[at] = 1
                costs[at] = HEADS[card]
            else:
                sizes[at] += 1
                costs[at] += HEADS[card]
    return points


def _laid(state: "RowsState") -> list[int]:
    """The cards that lie in no row yet as card * 16 + seat, ascending."""
    return [card << 4 | state.revealed.index(card) for card in state.to_place]


def _orders(hands: list[tuple[int, ...]], rng: Random, first: Mapping[int, int]) -> list[list[int]]:
    """Each hand in a random order of play as card * 16 + seat, beginning with the fixed cards."""
    random = rng.random
    orders = []
    for seat, hand in enumerate(hands):
        # Sorting by random numbers is the fastest fair shuffle of a short list in Python.
        order = sorted([card << 4 | seat for card in hand], key=lambda _: random())
        if seat in first:
            card = first[seat] << 4 | seat
            order.remove(card)
            order.insert(0, card)
        orders.append(order)
    return orders


def _random_draft(
    state: "SixNimmtState", rng: Random, first: Mapping[int, int]
) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """The hands after the draft, and the rows that the four cards left start, ascending."""
    hands = state.hands[:]
    pool = list(state.pool)
    rng.shuffle(pool)
    [seat] = state.pending
    if seat in first:
        pool.remove(first[seat])
        pool.append(first[seat])
    while len(pool) > 4:
        hands[seat] += (pool.pop(),)
        seat = (seat + 1) % state.players
    return hands, [(card,) for card in sorted(pool)]


def x_playout(state: "XNimmtState", rng: Random, first: Mapping[int, int]) -> list[int]:
    """Points of this round of X nimmt!; the X card is the lowest taken card that fits."""
    random = rng.random
    run = _XRun(state)
    hands = run.hands
    to_place = _laid(state)
    if state.taken:
        [seat] = state.pending
        run.gain(seat, [*state.taken], first.get(seat))
        first = {}
    elif to_place:
        low = to_place.pop(0)
        row = first.get(low & 15)
        run.place_low(low, None if row is None else state.order.index(row))
        first = {}
    while True:
        for laid in to_place:
            run.place(laid)
        if state.turn_is_done(hands):
            return run.points()
        to_place = []
        for seat, hand in enumerate(hands):
            if seat in first:
                hand.remove(first[seat])
                to_place.append(first[seat] << 4 | seat)
            else:
                to_place.append(hand.pop(int(random() * len(hand))) << 4 | seat)
        to_place.sort()
        first = {}


class _XRun:
    """The moving parts of one playout of X nimmt!. Rows stand by their ends, ascending."""

    __slots__ = ("ends", "hands", "holds", "piled", "rows", "x_heads", "x_last")

    def __init__(self, state: "XNimmtState") -> None:
        self.hands = [[*hand] for hand in state.hands]
        self.rows = [[*state.rows[index]] for index in state.order]
        self.ends = state.ends[:]
        self.holds = [index + 2 for index in state.order]
        self.x_last = [row[-1] if row else 0 for row in state.x_rows]
        self.x_heads = [heads(row) for row in state.x_rows]
        self.piled = [heads(pile) for pile in state.x_piles]

    def place(self, laid: int) -> None:
        card = laid >> 4
        at = bisect(self.ends, card) - 1
        if at < 0:
            self.place_low(laid, None)
            return
        self.ends[at] = card
        row = self.rows[at]
        if len(row) < self.holds[at]:
            row.append(card)
        else:
            self.rows[at] = [card]
            self.gain(laid & 15, row, None)

    def place_low(self, laid: int, at: int | None) -> None:
        rows = self.rows
        if at is None:
            costs = [sum([HEADS[card] for card in row]) for row in rows]
            at = costs.index(min(costs))
        taken = rows.pop(at)
        rows.insert(0, [laid >> 4])
        self.holds.insert(0, self.holds.pop(at))
        del self.ends[at]
        self.ends.insert(0, laid >> 4)
        self.gain(laid & 15, taken, None)

    def gain(self, seat: int, taken: list[int], chosen: int | None) -> None:
        last = self.x_last[seat]
        if chosen is None:
            # A row ascends, so the lowest card that fits is found by bisection, else the first.
            chosen = taken.pop(bisect(taken, last) % len(taken))
        else:
            taken.remove(chosen)
        self.hands[seat] += taken
        if chosen < last:
            self.piled[seat] += self.x_heads[seat]
            self.x_heads[seat] = 0
        self.x_last[seat] = chosen
        self.x_heads[seat] += HEADS[chosen]

    def points(self) -> list[int]:
        in_hand = [sum([HEADS[card] for card in hand]) for hand in self.hands]
        return [own + 2 * piled for own, piled in zip(in_hand, self.piled, strict=True)]


def eleven_playout(
    state: "ElevenNimmtState", rng: Random, first: Mapping[int, Choice]
) -> list[int]:
    """Points of this round of 11 nimmt!: whoever can play lays a random card, with bull cards all
    that fits on as many random piles; who cannot play takes a random pile."""
    run = _ElevenRun(state, rng)
    [seat] = state.pending
    choice = first.get(seat)
    if state.pending[seat].kind == "steal":
        run.steal(seat, choice if isinstance(choice, int) else None)
        over = run.reveal()
    elif isinstance(choice, Take):
        over = run.take(seat, list(state.piles).index(choice.pile))
    elif isinstance(choice, Play):
        numbers = list(state.piles)
        for number, cards in choice.cards.items():
            run.lay(seat, run.piles[numbers.index(number)], list(cards))
        over = not run.hands[seat]
    else:
        over = run.turn(seat)
    while not over:
        seat = (seat + 1) % state.players
        over = run.turn(seat)
    return [sum([HEADS[card] for card in hand]) for hand in run.hands]


class _ElevenRun:
    """The moving parts of one playout of 11 nimmt!. Every step says whether the round is over."""

    __slots__ = ("draw", "hands", "held", "piles", "pool", "random")

    def __init__(self, state: "ElevenNimmtState", rng: Random) -> None:
        self.random = rng.random
        self.hands = [list(hand) for hand in state.hands]
        self.piles = [list(cards) for cards in state.piles.values()]
        self.draw = list(reversed(state.draw))
        self.held = state.bull_cards[:]
        self.pool = state.bull_pool

    def turn(self, seat: int) -> bool:
        hand = self.hands[seat]
        held = len(hand)
        fits = []
        for pile in self.piles:
            # This is asked of every pile in every turn, so the common case is written out.
            top = pile[-1]
            upto = top + WINDOW
            if upto <= HIGHEST:
                low = bisect(hand, top)
                if low < held and hand[low] <= upto:
                    fits.append((pile, hand[low : bisect(hand, upto, low)]))
            elif cards := fitting(hand, top):
                fits.append((pile, cards))
        if not fits:
            return self.take(seat, int(self.random() * len(self.piles)))
        pile, cards = fits[int(self.random() * len(fits))]
        if not self.held[seat]:
            card = cards[int(self.random() * len(cards))]
            pile.append(card)
            hand.remove(card)
            return not hand
        self.lay(seat, pile, cards)
        for _ in range(self.held[seat] - 1):
            fits = [(p, [c for c in cs if c in hand]) for p, cs in fits if p is not pile]
            fits = [(p, cs) for p, cs in fits if cs]
            if not fits:
                break
            pile, cards = fits[int(self.random() * len(fits))]
            self.lay(seat, pile, cards)
        return not hand

    def lay(self, seat: int, pile: list[int], cards: list[int]) -> None:
        pile += cards
        hand = self.hands[seat]
        for card in cards:
            hand.remove(card)

    def take(self, seat: int, index: int) -> bool:
        taken = self.piles.pop(index)
        hand = self.hands[seat]
        hand += taken
        hand.sort()
        if len(taken) >= 3:
            if self.pool:
                self.pool -= 1
                self.held[seat] += 1
            else:
                self.steal(seat, None)
        return self.reveal()

    def steal(self, seat: int, victim: int | None) -> None:
        others = [0 if other == seat else n for other, n in enumerate(self.held)]
        if victim is None:
            victim = others.index(max(others))
        if self.held[victim]:
            self.held[victim] -= 1
            self.held[seat] += 1

    def reveal(self) -> bool:
        draw = self.draw
        self.piles.append([draw.pop()])
        if draw:
            self.piles.append([draw.pop()])
        return not draw
