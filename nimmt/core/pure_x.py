"""Playouts of X nimmt! in pure Python; `x_rollouts.c` is the same, number for number.

A low card takes the cheapest row, the X card is the lowest taken card that fits, else the lowest;
which card is laid is up to the policies.
"""

from bisect import bisect

from nimmt.cards import HEADS, heads
from nimmt.choices import CARD, ROW, X_CARD, Choice
from nimmt.core.policies import UNIFORM, Ends, Players, levels_of
from nimmt.core.position import Position
from nimmt.generator import Generator


class XGuess:
    """What might be hidden, and one playout from there for each candidate."""

    def __init__(
        self, position: Position, dealt: list[int], rng: Generator, players: Players
    ) -> None:
        self.position = position
        self.players = players
        self.policies = players.policies(position.seat, position.players)
        cards = iter(dealt)
        self.hands = [[card or next(cards) for card in hand] for hand in position.hands]
        self.looks = not players.uniform
        self.start = _Run(position, self.hands)

    def run(self, first: Choice, rng: Generator) -> list[int]:
        """The points of the round when it goes on with this candidate."""
        assert isinstance(first, int)
        position = self.position
        run = self.start.copy()
        laid = sorted([(card, seat) for seat, card in enumerate(position.laid) if card])
        card = first if position.kind == CARD else 0
        if position.kind == X_CARD:
            run.gain(position.seat, position.taken, first)
        elif position.kind == ROW:
            low, seat = laid.pop(0)
            run.place_low(seat, low, run.ends.tail.index(position.rows[first][-1]))
        while True:
            for one, seat in laid:
                run.place(seat, one)
            if not all(run.hands):
                return run.points()
            laid = []
            for seat, hand in enumerate(run.hands):
                if card and seat == position.seat:
                    at = hand.index(card)
                elif card and seat in self.players.expected:
                    at = self.players.pick_expected(seat, hand, rng)
                else:
                    at = self._choose(run, seat, rng)
                laid.append((hand[at], seat))
                hand[at] = hand[-1]
                hand.pop()
            if self.looks:
                for one, _ in laid:
                    run.hidden &= ~(1 << one)
            laid.sort()
            card = 0

    def _choose(self, run: "_Run", seat: int, rng: Generator) -> int:
        policy = self.policies[seat]
        hand = run.hands[seat]
        if policy.kind == UNIFORM:
            return rng.below(len(hand))
        others = self.position.players - 1
        return policy.pick(levels_of(policy, run.ends, hand, run.hidden, others), rng)


class _Run:
    """The moving parts of one playout. Rows stand by their ends, ascending."""

    __slots__ = ("ends", "hands", "hidden", "holds", "piled", "rows", "x_heads", "x_last")

    def __init__(self, position: Position, hands: list[list[int]]) -> None:
        order = sorted(range(3), key=lambda row: position.rows[row][-1])
        self.rows = [position.rows[row][:] for row in order]
        self.holds = [row + 2 for row in order]
        self.ends = Ends(
            [row[-1] for row in self.rows],
            [hold - len(row) for hold, row in zip(self.holds, self.rows, strict=True)],
            [heads(row) for row in self.rows],
        )
        self.hands = [hand[:] for hand in hands]
        self.hidden = 0
        for card in position.unseen:
            self.hidden |= 1 << card
        for hand in hands:
            for card in hand:
                self.hidden |= 1 << card
        self.x_last = [row[-1] if row else 0 for row in position.x_rows]
        self.x_heads = [heads(row) for row in position.x_rows]
        self.piled = [heads(pile) for pile in position.x_piles]

    def copy(self) -> "_Run":
        made = object.__new__(_Run)
        made.rows = [row[:] for row in self.rows]
        made.holds = self.holds[:]
        made.ends = self.ends.copy()
        made.hands = [hand[:] for hand in self.hands]
        made.hidden = self.hidden
        made.x_last, made.x_heads = self.x_last[:], self.x_heads[:]
        made.piled = self.piled[:]
        return made

    def place(self, seat: int, card: int) -> None:
        ends = self.ends
        at = bisect(ends.tail, card) - 1
        if at < 0:
            self.place_low(seat, card, ends.cost.index(min(ends.cost)))
            return
        if ends.room[at]:
            self.rows[at].append(card)
            ends.tail[at] = card
            ends.room[at] -= 1
            ends.cost[at] += HEADS[card]
            return
        taken = self.rows[at]
        self.rows[at] = [card]
        ends.tail[at] = card
        ends.room[at] = self.holds[at] - 1
        ends.cost[at] = HEADS[card]
        self.gain(seat, taken, 0)

    def place_low(self, seat: int, card: int, at: int) -> None:
        ends = self.ends
        taken = self.rows.pop(at)
        hold = self.holds.pop(at)
        del ends.tail[at], ends.room[at], ends.cost[at]
        self.rows.insert(0, [card])
        self.holds.insert(0, hold)
        ends.tail.insert(0, card)
        ends.room.insert(0, hold - 1)
        ends.cost.insert(0, HEADS[card])
        self.gain(seat, taken, 0)

    def gain(self, seat: int, taken: list[int], chosen: int) -> None:
        """The cards of a taken row: one to the X row, the rest to the hand."""
        last = self.x_last[seat]
        if not chosen:
            # A row ascends, so the lowest card that fits is found by bisection, else the first.
            chosen = taken[bisect(taken, last) % len(taken)]
        self.hands[seat] += [card for card in taken if card != chosen]
        if chosen < last:
            self.piled[seat] += self.x_heads[seat]
            self.x_heads[seat] = 0
        self.x_last[seat] = chosen
        self.x_heads[seat] += HEADS[chosen]

    def points(self) -> list[int]:
        return [heads(hand) + 2 * piled for hand, piled in zip(self.hands, self.piled, strict=True)]
