"""Playouts of 6 nimmt! in pure Python; `six_rollouts.c` is the same, number for number.

A low card takes the cheapest row; all else is up to the policies. A seat that plays uniformly plays
its hand in a random order that is drawn with the guess; the candidate changes places with the card
that would have come first, so that all other turns are the same for all candidates.
"""

from bisect import bisect

from nimmt.cards import HEADS
from nimmt.choices import CARD, DRAFT, ROW, Choice
from nimmt.core.policies import UNIFORM, Ends, Players, levels_of
from nimmt.core.position import Position
from nimmt.generator import Generator

ROWS = 4
HAND_SIZE = 10


class SixGuess:
    """What might be hidden, and one playout from there for each candidate."""

    def __init__(
        self, position: Position, dealt: list[int], rng: Generator, players: Players
    ) -> None:
        self.position = position
        self.players = players
        self.policies = players.policies(position.seat, position.players)
        self.uniform = players.uniform
        if position.kind == DRAFT:
            self.pool = position.pool[:]
            rng.shuffle(self.pool)
            self.order = [[*range(HAND_SIZE)] for _ in position.hands]
            for order in self.order:
                rng.shuffle(order)
            return
        cards = iter(dealt)
        self.order = []
        for hand in position.hands:
            order = [card or next(cards) for card in hand]
            # A hand that was dealt just now is in a random order already.
            if any(hand):
                rng.shuffle(order)
            self.order.append(order)
        self._read_rows()
        if self.uniform:
            self.turns = self._turns(self.order)
        else:
            self.hidden = _bits(position.unseen) | _bits([c for hand in self.order for c in hand])

    def _read_rows(self) -> None:
        rows = sorted(self.position.rows, key=lambda row: row[-1])
        self.ends = Ends(
            [row[-1] for row in rows],
            [5 - len(row) for row in rows],
            [sum([HEADS[card] for card in row]) for row in rows],
        )

    @staticmethod
    def _turns(order: list[list[int]]) -> list[list[int]]:
        """The cards of each turn as card * 16 + seat, ascending."""
        coded = [[card << 4 | seat for card in hand] for seat, hand in enumerate(order)]
        return [sorted(turn) for turn in zip(*coded, strict=True)]

    def run(self, first: Choice, rng: Generator) -> list[int]:
        """The points of the round when it goes on with this candidate."""
        assert isinstance(first, int)
        position = self.position
        points = position.points[:]
        card = first if position.kind == CARD else 0
        if position.kind == DRAFT:
            order, ends, hidden = self._finish_draft(first)
            turns = self._turns(order) if self.uniform else []
        else:
            order, ends = self.order, self.ends.copy()
            if self.uniform:
                turns = self._with_first(card) if card else self.turns
            else:
                hidden = self.hidden
        if position.kind == ROW:
            _place_turn(position, ends, first, points)
        if self.uniform:
            _place_all(ends, turns, points)
        else:
            hands = [hand[:] for hand in order]
            self._play_looking(hands, ends, hidden, card, rng, points)
        return points

    def _finish_draft(self, first: int) -> tuple[list[list[int]], Ends, int]:
        """Random picks to the end of the draft, beginning with the candidate."""
        position = self.position
        pool = self.pool[:]
        at = pool.index(first)
        pool[at], pool[0] = pool[0], first
        hands = [hand[:] for hand in position.hands]
        picks = len(pool) - ROWS
        for i in range(picks):
            hands[(position.seat + i) % position.players].append(pool[i])
        rows = sorted(pool[picks:])
        ends = Ends(rows, [4] * ROWS, [HEADS[card] for card in rows])
        order = [[hand[i] for i in order] for hand, order in zip(hands, self.order, strict=True)]
        return order, ends, _bits([card for hand in order for card in hand])

    def _with_first(self, card: int) -> list[list[int]]:
        seat = self.position.seat
        own = self.order[seat]
        if card == own[0]:
            return self.turns
        changed = own.index(card)
        turns = self.turns[:]
        for turn, old, new in ((0, own[0], card), (changed, card, own[0])):
            codes = turns[turn][:]
            codes[codes.index(old << 4 | seat)] = new << 4 | seat
            codes.sort()
            turns[turn] = codes
        return turns

    def _play_looking(
        self,
        hands: list[list[int]],
        ends: Ends,
        hidden: int,
        first: int,
        rng: Generator,
        points: list[int],
    ) -> None:
        """Turn by turn, as at least one seat looks at the rows."""
        position = self.position
        others = position.players - 1
        while hands[0]:
            codes = []
            for seat, hand in enumerate(hands):
                # Uniform play takes what comes first; a chosen card's place is closed up.
                at = 0
                policy = self.policies[seat]
                if first and seat == position.seat:
                    at = hand.index(first)
                elif first and seat in self.players.expected:
                    at = self.players.pick_expected(seat, hand, rng)
                elif policy.kind != UNIFORM:
                    at = policy.pick(levels_of(policy, ends, hand, hidden, others), rng)
                codes.append(hand.pop(at) << 4 | seat)
            for code in codes:
                hidden &= ~(1 << (code >> 4))
            codes.sort()
            _place_all(ends, [codes], points)
            first = 0


def _bits(cards: list[int]) -> int:
    """A set of cards as the bits of a number."""
    found = 0
    for card in cards:
        found |= 1 << card
    return found


def _place_all(ends: Ends, turns: list[list[int]], points: list[int]) -> None:
    tail, room, cost = ends.tail, ends.room, ends.cost
    for turn in turns:
        for code in turn:
            card = code >> 4
            at = bisect(tail, card) - 1
            if at < 0:
                # Only the lowest card of a turn gets here; its row becomes the lowest one.
                _take_low(ends, cost.index(min(cost)), code, points)
                continue
            tail[at] = card
            if room[at]:
                room[at] -= 1
                cost[at] += HEADS[card]
            else:
                points[code & 15] += cost[at]
                room[at] = 4
                cost[at] = HEADS[card]


def _take_low(ends: Ends, at: int, code: int, points: list[int]) -> None:
    points[code & 15] += ends.cost.pop(at)
    del ends.tail[at], ends.room[at]
    ends.tail.insert(0, code >> 4)
    ends.room.insert(0, 4)
    ends.cost.insert(0, HEADS[code >> 4])


def _place_turn(position: Position, ends: Ends, row: int, points: list[int]) -> None:
    """The low card takes its row, and the other cards of the turn follow."""
    low, *others = sorted([card << 4 | seat for seat, card in enumerate(position.laid)])
    _take_low(ends, ends.tail.index(position.rows[row][-1]), low, points)
    _place_all(ends, [others], points)
