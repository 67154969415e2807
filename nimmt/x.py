"""X nimmt! (2-4 players): rows of 3, 4 and 5, and an X row of one's own.

The readings of the rules are numbered in docs/rules.md; comments here name them.
"""

from bisect import bisect
from collections.abc import Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Any, Self, cast, overload

from nimmt import choices as kinds
from nimmt import events as ev
from nimmt.board import Board, Cards, Deal, Shuffle
from nimmt.cards import HEADS, heads
from nimmt.choices import Choice, new_tuple
from nimmt.errors import IllegalChoice
from nimmt.events import Event, HandPoints, Move, RoundStart
from nimmt.game import Options, Rules, one_asked
from nimmt.given import (
    check_cards,
    json_hands,
    json_object,
    json_starts,
    known_options,
)
from nimmt.laid import CARD_ALONE, PLACED, X_LAID
from nimmt.playouts import x_playout
from nimmt.rows import RowsState
from nimmt.table import Table
from nimmt.views import XNimmtView

HAND_SIZE = 8
HIGHEST = 100
ROUNDS = 2
ROW_HOLDS = (2, 3, 4)
"""X-1: the third, fourth or fifth card takes, so a resting row holds one card less."""
ALL_ROWS = tuple(range(len(ROW_HOLDS)))


_CHOOSE_ROW = one_asked(kinds.ROW)
_CHOOSE_X_CARD = one_asked(kinds.X_CARD)


class XNimmt(Rules):
    """Two rounds; hand cards count once, the X pile twice, the X row nothing."""

    name = "x-nimmt"
    title = "X nimmt!"
    max_players = 4
    kinds = (kinds.CARD, kinds.ROW, kinds.X_CARD)

    def __init__(self, options: Options) -> None:
        self.options = MappingProxyType(known_options(self.name, options, {}))

    def start(self, players: int, board: Board) -> "XNimmtState":
        self.check_players(players)
        return XNimmtState(self, players, board)

    def draw_deal(self, players: int, shuffle: Shuffle) -> Deal:
        dealt = HAND_SIZE * players
        cards = shuffle(range(1, HIGHEST + 1), dealt + len(ROW_HOLDS))
        hands = [tuple(sorted(cards[at : at + HAND_SIZE])) for at in range(0, dealt, HAND_SIZE)]
        return Deal(tuple(hands), tuple(cards[dealt:]))

    def check_deal(self, players: int, deal: Deal) -> None:
        groups = (*deal.hands, deal.rows, deal.draw)
        sizes = [HAND_SIZE] * players + [len(ROW_HOLDS), 0]
        check_cards(groups, sizes, HIGHEST, "an x-nimmt deal")

    def deal_to_json(self, deal: Deal, start_seat: int) -> dict[str, Any]:
        return {"hands": [list(hand) for hand in deal.hands], "rows": [[c] for c in deal.rows]}

    def deal_from_json(self, players: int, value: object) -> tuple[Deal, int]:
        fields = json_object(value, ("hands", "rows"), "an x-nimmt deal")
        rows = json_starts(fields["rows"], len(ROW_HOLDS))
        return Deal(json_hands(fields["hands"], players), rows), 0

    def max_decisions(self, players: int) -> int:
        # Each take moves a card out of play for good, and between two takes the rows have room
        # for six cards, so no more than seven cards are laid for each card of the deal.
        cards = len(ROW_HOLDS) + HAND_SIZE * players
        laid = 7 * cards + players
        return ROUNDS * (laid + 2 * cards)

    def planned_rounds(self, players: int) -> int:
        return ROUNDS


class XNimmtState(RowsState):
    """One game of X nimmt!."""

    __slots__ = ("_x_pile_sizes", "taken", "x_piles", "x_rows")
    rules: XNimmt
    x_rows: list[Cards]
    x_piles: list[Cards]
    taken: Cards
    """The cards the pending seat has just taken, before it has chosen its X card."""
    _x_pile_sizes: Cards
    """For the views; empty until it has been asked for."""

    def __init__(self, rules: XNimmt, players: int, board: Board | None) -> None:
        self._public = None
        self._x_pile_sizes = ()
        super().__init__(rules, players, board)

    def _deal(self, events: list[Event]) -> None:
        assert self.board is not None
        self.round_no += 1
        deal = self.board.deal(self.rules, self.players, self.round_no)
        self.deals.append((deal, 0))
        self.turn = 0
        self.hands = list(deal.hands)
        self.rows = [(card,) for card in deal.rows]
        self.sort_rows()
        self.x_rows = [()] * self.players
        self.x_piles = [()] * self.players
        self._x_pile_sizes = ()
        self.taken = ()
        self.to_place = []
        self.points = [heads(hand) for hand in deal.hands]
        events.append(RoundStart(self.round_no, 0, 0))
        for seat, hand in enumerate(deal.hands):
            events.append(new_tuple(Move, ("deal", hand, ev.BOX, ev.HAND[seat])))
        for index, card in enumerate(deal.rows):
            events.append(new_tuple(Move, ("deal", (card,), ev.BOX, ev.ROW[index])))
        events.append(new_tuple(HandPoints, (tuple(self.points),)))
        self._next_turn(events)

    def legal(self, seat: int) -> tuple[int, ...]:
        if seat not in self.pending:
            return ()
        kind = self.pending[seat].kind
        if kind == kinds.CARD:
            return self.hands[seat]
        return self.taken if kind == kinds.X_CARD else ALL_ROWS

    def apply(self, choices: Mapping[int, Choice]) -> list[Event]:
        self._public = None
        if self.taken:
            return self._choose_x_card(choices)
        if self.to_place:
            return self._choose_row(choices)
        return self._choose_cards(choices)

    def _choose_cards(self, choices: Mapping[int, Choice]) -> list[Event]:
        reveal = self._lay_cards(choices)
        points = self.points
        for seat, card in enumerate(self.revealed):
            points[seat] -= HEADS[card]
        events: list[Event] = [reveal, new_tuple(HandPoints, (tuple(points),))]
        lowest = self.to_place[0]
        if lowest < self.ends[0]:
            # only the lowest card of a turn can be a low card, so this comes first.
            self.pending = _CHOOSE_ROW[self.revealed.index(lowest)]
        else:
            self._place(events)
        return events

    def _choose_row(self, choices: Mapping[int, Choice]) -> list[Event]:
        seat, index = self._chosen_row(choices)
        events: list[Event] = []
        self._take(seat, self.to_place.pop(0), index, events)
        return events

    def _place(self, events: list[Event]) -> None:
        """Place laid cards until one of them takes, or all lie."""
        rows, ends, to_place = self.rows, self.ends, self.to_place
        while to_place:
            card = to_place.pop(0)
            # A card replaces the row end below it, so the row ends stay sorted.
            at = bisect(ends, card) - 1
            ends[at] = card
            index = self.order[at]
            row = rows[index]
            seat = self.revealed.index(card)
            if len(row) == ROW_HOLDS[index]:
                self._take(seat, card, index, events)
                return
            rows[index] = row + CARD_ALONE[card]
            events.append(PLACED[seat][index][card])
        self.turn += 1
        if self.turn_is_done(self.hands):
            self._last_turn(events)
        else:
            self._next_turn(events)

    def _take(self, seat: int, card: int, index: int, events: list[Event]) -> None:
        self.taken = taken = self.rows[index]
        self.rows[index] = CARD_ALONE[card]
        self.points[seat] += heads(taken)
        events += (
            new_tuple(Move, ("take", taken, ev.ROW[index], ev.TAKEN[seat])),
            PLACED[seat][index][card],
            new_tuple(HandPoints, (tuple(self.points),)),
        )
        # the X card is chosen at once, before the next card is placed.
        self.pending = _CHOOSE_X_CARD[seat]

    def _choose_x_card(self, choices: Mapping[int, Choice]) -> list[Event]:
        seat, card = self._asked_alone(choices)
        taken = self.taken
        if type(card) is not int or card not in taken:
            raise IllegalChoice(seat, kinds.X_CARD, card, f"one of {taken}")
        kept = [*taken]
        kept.remove(card)
        events: list[Event] = []
        x_row = self.x_rows[seat]
        if x_row and card < x_row[-1]:
            # a lower card sends the X row to the X pile and starts a new one.
            self.x_piles[seat] += x_row
            self._x_pile_sizes = ()
            self.points[seat] += 2 * heads(x_row)
            events.append(Move("break", x_row, ev.X_ROW[seat], ev.X_PILE[seat]))
            x_row = ()
        self.x_rows[seat] = x_row + CARD_ALONE[card]
        self.points[seat] -= HEADS[card]
        events.append(X_LAID[seat][card])
        if kept:
            hand = [*self.hands[seat], *kept]
            hand.sort()
            self.hands[seat] = tuple(hand)
            events.append(new_tuple(Move, ("keep", tuple(kept), ev.TAKEN[seat], ev.HAND[seat])))
        self.taken = ()
        events.append(new_tuple(HandPoints, (tuple(self.points),)))
        self._place(events)
        return events

    @staticmethod
    def turn_is_done(hands: Sequence[Sequence[int]]) -> bool:
        """X-4, X-5: the round is over when, after a whole turn, any hand is empty."""
        return not all(hands)

    def _last_turn(self, events: list[Event]) -> None:
        self.revealed = ()
        self._end_round(events)
        if self.board is None or self.round_no + 1 == ROUNDS:
            self._end_game(events)
        else:
            self._deal(events)

    @overload
    def view(self, seat: int) -> XNimmtView: ...
    @overload
    def view(self, seat: None) -> Table: ...
    def view(self, seat: int | None) -> XNimmtView | Table:
        if seat is None:
            return self._table()
        if self._public is None:
            # A pile grows seldom, while the rest of a view changes with nearly every choice.
            self._x_pile_sizes = self._x_pile_sizes or tuple(map(len, self.x_piles))
            self._public = (
                self.players,
                self.round_no,
                self.turn,
                tuple(self.rows),
                self.revealed,
                tuple(self.x_rows),
                self._x_pile_sizes,
                tuple(map(len, self.hands)),
                self.totals,
            )
        taken = self.taken
        if taken and seat not in self.pending:
            taken = ()
        own = (seat, self.hands[seat], taken, self.x_piles[seat])
        return new_tuple(XNimmtView, own + self._public)

    def _table(self) -> Table:
        zones: dict[str, Cards] = {}
        zones |= zip(ev.HAND, self.hands, strict=False)
        zones |= zip(ev.ROW, self.rows, strict=False)
        zones |= zip(ev.X_ROW, self.x_rows, strict=False)
        zones |= zip(ev.X_PILE, self.x_piles, strict=False)
        zones |= {ev.PLAY[self.revealed.index(card)]: (card,) for card in self.to_place}
        if self.taken:
            zones[ev.TAKEN[next(iter(self.pending))]] = self.taken
        return Table(
            players=self.players,
            round_no=self.round_no,
            turn=self.turn if self.result is None else self.turn - 1,
            zones={zone: cards for zone, cards in zones.items() if cards},
            points=tuple(self.points),
            totals=self.totals,
            places=self.result and self.result.places,
        )

    def copy(self) -> Self:
        other = self._copy_common(object.__new__(type(self)))
        self._copy_rows(other)
        other.x_rows = self.x_rows[:]
        other.x_piles = self.x_piles[:]
        other.taken = self.taken
        other._x_pile_sizes = self._x_pile_sizes
        return other

    def playout(self, rng: Random, first: Mapping[int, Choice] | None = None) -> list[int]:
        return x_playout(self, rng, cast("Mapping[int, int]", first or {}))
