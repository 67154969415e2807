"""What 6 nimmt! and X nimmt! share: rows on the table, and a card from every hand at once."""

from abc import ABC
from collections.abc import Mapping
from typing import Any

from nimmt.board import Cards
from nimmt.choices import CARD, ROW, Choice, new_tuple
from nimmt.errors import IllegalChoice
from nimmt.events import TURNS, Event, Reveal
from nimmt.game import State, all_asked

_ALL_CHOOSE = all_asked(CARD)


class RowsState(State, ABC):
    """Hands and rows. Cards lie in tuples, so that copies and views can share them."""

    __slots__ = ("_public", "ends", "hands", "order", "revealed", "rows", "to_place")
    hands: list[Cards]
    rows: list[Cards]
    ends: list[int]
    """The last card of each row, ascending: a card finds its row by bisection."""
    order: list[int]
    """Which row it is that ends so, for each of `ends`."""
    revealed: Cards
    """The cards laid in this turn, by seat; empty while cards are being chosen."""
    to_place: list[int]
    """Those of them that do not lie in a row yet, ascending."""
    _public: tuple[Any, ...] | None
    """The parts of a view that all seats share, once they have been asked for; None again
    after every change."""

    def sort_rows(self) -> None:
        """Note the rows by their ends; whoever lays out rows calls it."""
        last = [row[-1] for row in self.rows]
        self.ends = sorted(last)
        self.order = [last.index(end) for end in self.ends]

    def _next_turn(self, events: list[Event]) -> None:
        """All seats are asked for a card together."""
        self.revealed = ()
        self.pending = _ALL_CHOOSE[self.players]
        events.append(TURNS[self.turn])

    def _lay_cards(self, choices: Mapping[int, Choice]) -> Reveal:
        """Every seat's card leaves its hand, and all are turned up together."""
        self._check_keys(choices)
        left: list[Cards] = []
        laid: list[int] = []
        for seat, hand in enumerate(self.hands):
            card = choices[seat]
            rest = [*hand]
            try:
                if type(card) is not int:
                    raise ValueError("a card is a number")
                rest.remove(card)
            except ValueError:
                raise IllegalChoice(seat, CARD, card, f"one of {hand}") from None
            left.append(tuple(rest))
            laid.append(card)
        self.hands = left
        self.revealed = revealed = tuple(laid)
        laid.sort()
        self.to_place = laid
        return new_tuple(Reveal, (revealed,))

    def _chosen_row(self, choices: Mapping[int, Choice]) -> tuple[int, int]:
        """Who takes a row by a low card, and which; ending in that card, it is now the lowest."""
        seat, index = self._asked_alone(choices)
        if type(index) is not int or index not in self.order:
            raise IllegalChoice(seat, ROW, index, f"one of {tuple(range(len(self.rows)))}")
        at = self.order.index(index)
        del self.ends[at], self.order[at]
        self.ends.insert(0, self.to_place[0])
        self.order.insert(0, index)
        return seat, index

    def _copy_rows(self, other: "RowsState") -> None:
        other.hands = self.hands[:]
        other.rows = self.rows[:]
        other.ends = self.ends[:]
        other.order = self.order[:]
        other.revealed = self.revealed
        other.to_place = self.to_place[:]
        other._public = None
