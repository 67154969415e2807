"""11 nimmt! (2-7 players): turns one after another, piles with a window of ten, bull cards.

The readings of the rules are numbered in docs/rules.md; comments here name them.
"""

from collections.abc import Mapping
from random import Random
from types import MappingProxyType
from typing import Any, Self, cast, overload

from nimmt import choices as kinds
from nimmt import events as ev
from nimmt.board import Board, Cards, Deal, Shuffle
from nimmt.cards import HEADS, heads
from nimmt.choices import Choice, Play, Take, TurnOptions, fitting_piles, new_tuple
from nimmt.errors import RulesError, shorten
from nimmt.events import BullCard, Event, HandPoints, Move, RoundStart, Turn
from nimmt.game import Options, Rules, State, one_asked
from nimmt.given import (
    check_cards,
    json_cards,
    json_hands,
    json_object,
    json_seat,
    json_starts,
    known_options,
)
from nimmt.playouts import eleven_playout
from nimmt.table import Table
from nimmt.views import ElevenNimmtView, Pile

HAND_SIZE = 10
HIGHEST = 100
BULL_CARDS = 10
BULL_FROM = 3
"""A taken pile of this many cards or more brings a bull card."""
_TO_TURN = one_asked(kinds.TURN)
_STEAL = one_asked(kinds.STEAL)


class ElevenNimmt(Rules):
    """As many rounds as players; fewest bullheads left in hand wins."""

    name = "eleven-nimmt"
    title = "11 nimmt!"
    max_players = 7
    kinds = (kinds.TURN, kinds.STEAL)

    def __init__(self, options: Options) -> None:
        given = known_options(self.name, options, {"next_start": "fewest"})
        if given["next_start"] not in ("fewest", "most"):
            raise RulesError(
                f"option next_start must be 'fewest' or 'most', got {shorten(given['next_start'])}"
            )
        self.next_start: str = given["next_start"]
        self.options = MappingProxyType(given)

    def start(self, players: int, board: Board) -> "ElevenNimmtState":
        self.check_players(players)
        return ElevenNimmtState(self, players, board)

    def draw_deal(self, players: int, shuffle: Shuffle) -> Deal:
        deck = shuffle(range(1, HIGHEST + 1), HIGHEST)
        dealt = HAND_SIZE * players
        hands = [tuple(sorted(deck[at : at + HAND_SIZE])) for at in range(0, dealt, HAND_SIZE)]
        return Deal(tuple(hands), (deck[dealt],), tuple(deck[dealt + 1 :]))

    def check_deal(self, players: int, deal: Deal) -> None:
        groups = (*deal.hands, deal.rows, deal.draw)
        sizes = [HAND_SIZE] * players + [1, HIGHEST - 1 - HAND_SIZE * players]
        check_cards(groups, sizes, HIGHEST, "an eleven-nimmt deal")

    def deal_to_json(self, deal: Deal, start_seat: int) -> dict[str, Any]:
        return {
            "hands": [list(hand) for hand in deal.hands],
            "piles": [list(deal.rows)],
            "draw": list(deal.draw),
            "start_seat": start_seat,
        }

    def deal_from_json(self, players: int, value: object) -> tuple[Deal, int]:
        fields = json_object(value, ("hands", "piles", "draw", "start_seat"), "an 11 nimmt! deal")
        hands = json_hands(fields["hands"], players)
        deal = Deal(hands, json_starts(fields["piles"], 1), json_cards(fields["draw"], "draw"))
        return deal, json_seat(fields["start_seat"], players)

    def max_decisions(self, players: int) -> int:
        # The draw deck allows 50 - 5n takes, each with a steal; between two takes hands only
        # shrink, and all hands together never hold more than the deck.
        takes = 50 - 5 * players
        return players * (2 * takes + (takes + 1) * HIGHEST)

    def planned_rounds(self, players: int) -> int:
        return players


class ElevenNimmtState(State):
    """One game of 11 nimmt!."""

    __slots__ = (
        "_options",
        "_sizes",
        "_tops",
        "bull_cards",
        "bull_pool",
        "draw",
        "hands",
        "next_pile",
        "piles",
    )
    rules: ElevenNimmt
    hands: list[Cards]
    piles: dict[int, Cards]
    """The piles by number, in the order they came to the table."""
    next_pile: int
    draw: Cards
    bull_cards: list[int]
    bull_pool: int
    _options: TurnOptions | None
    """The legal turns of the pending seat, once they have been asked for."""
    _tops: dict[int, Pile] | None
    """The piles as a view shows them, once one has been asked for; then kept up to date."""
    _sizes: list[int]
    """How many cards each seat holds, kept up to date together with `_tops`."""

    def __init__(self, rules: ElevenNimmt, players: int, board: Board | None) -> None:
        self._tops = None
        self._sizes = [0] * players
        self._options = None
        super().__init__(rules, players, board)

    def _deal(self, events: list[Event]) -> None:
        assert self.board is not None
        self.round_no += 1
        deal = self.board.deal(self.rules, self.players, self.round_no)
        self.deals.append((deal, self.start_seat))
        self.hands = list(deal.hands)
        self.piles = {0: deal.rows}
        self._tops = None
        self.next_pile = 1
        self.draw = deal.draw
        # 11-21: bull cards come back to the pool for every round.
        self.bull_cards = [0] * self.players
        self.bull_pool = BULL_CARDS
        self.points = [heads(hand) for hand in deal.hands]
        events.append(RoundStart(self.round_no, self.start_seat, BULL_CARDS))
        for seat, hand in enumerate(deal.hands):
            events.append(Move("deal", hand, ev.BOX, ev.HAND[seat]))
        events.append(Move("deal", deal.rows, ev.BOX, ev.PILE[0]))
        events.append(Move("deal", deal.draw, ev.BOX, ev.DRAW))
        events.append(HandPoints(tuple(self.points)))
        self._ask_turn(0, self.start_seat, events)

    def _ask_turn(self, turn: int, seat: int, events: list[Event]) -> None:
        self.turn = turn
        self.pending = _TO_TURN[seat]
        self._options = None
        events.append(new_tuple(Turn, (turn, seat)))

    def legal(self, seat: int) -> tuple[int, ...] | TurnOptions:
        if seat not in self.pending:
            return ()
        kind = self.pending[seat].kind
        if kind == kinds.STEAL:
            return self._richest_others(seat)
        if self._options is None:
            plays = fitting_piles(self.hands[seat], self.piles)
            held = self.bull_cards[seat]
            fields = (plays, held or 1, held > 0, tuple(self.piles))
            self._options = new_tuple(TurnOptions, fields)
        return self._options

    def apply(self, choices: Mapping[int, Choice]) -> list[Event]:
        seat, given = self._asked_alone(choices)
        # The options are known in nearly every turn, as the caller has asked what is legal.
        options = self._options
        choice = options.checked(seat, given) if options else self.canonical(seat, given)
        events: list[Event] = []
        if isinstance(choice, Play):
            self._play(seat, choice, events)
        elif isinstance(choice, Take):
            self._take(seat, choice.pile, events)
        else:
            self.bull_cards[choice] -= 1
            self.bull_cards[seat] += 1
            events.append(BullCard(seat, choice))
            self._reveal(seat, events)
        return events

    def _play(self, seat: int, play: Play, events: list[Event]) -> None:
        hand = [*self.hands[seat]]
        points = self.points
        tops = self._tops
        for pile, cards in play.cards.items():
            laid = tuple(cards)
            # 11-13, 11-14: windows are measured from the old top; the largest gap ends on top.
            self.piles[pile] += laid
            if tops is not None:
                tops[pile] = new_tuple(Pile, (pile, laid[-1]))
            for card in laid:
                hand.remove(card)
                points[seat] -= HEADS[card]
            events.append(new_tuple(Move, ("play", laid, ev.HAND[seat], ev.PILE[pile])))
        self.hands[seat] = tuple(hand)
        self._sizes[seat] = len(hand)
        events.append(new_tuple(HandPoints, (tuple(points),)))
        if hand:
            self._ask_turn(self.turn + 1, (seat + 1) % self.players, events)
        else:
            # 11-24: at once, in the middle of a lap.
            self._finish_round(events)

    def _take(self, seat: int, pile: int, events: list[Event]) -> None:
        taken = self.piles.pop(pile)
        if self._tops is not None:
            del self._tops[pile]
        hand = sorted(self.hands[seat] + taken)
        self.hands[seat] = tuple(hand)
        self._sizes[seat] = len(hand)
        self.points[seat] += heads(taken)
        events.append(new_tuple(Move, ("take", taken, ev.PILE[pile], ev.HAND[seat])))
        events.append(new_tuple(HandPoints, (tuple(self.points),)))
        if len(taken) >= BULL_FROM:
            if self.bull_pool:
                self.bull_pool -= 1
                self.bull_cards[seat] += 1
                events.append(BullCard(seat, None))
            elif self._richest_others(seat):
                # 11-18, 11-19: stealing is a duty, from whom is a choice.
                self.pending = _STEAL[seat]
                self._options = None
                return
        self._reveal(seat, events)

    def _richest_others(self, seat: int) -> tuple[int, ...]:
        """11-17: the others who hold the most bull cards; none if no other has any."""
        held = [(0 if other == seat else n) for other, n in enumerate(self.bull_cards)]
        most = max(held)
        return tuple([other for other, n in enumerate(held) if n == most]) if most else ()

    def _reveal(self, seat: int, events: list[Event]) -> None:
        for card in self.draw[:2]:
            number = self.next_pile
            self.next_pile += 1
            self.piles[number] = (card,)
            if self._tops is not None:
                self._tops[number] = new_tuple(Pile, (number, card))
            events.append(new_tuple(Move, ("open", (card,), ev.DRAW, ev.PILE[number])))
        self.draw = self.draw[2:]
        if self.draw:
            self._ask_turn(self.turn + 1, (seat + 1) % self.players, events)
        else:
            # 11-5, 11-6: the deck has run out, and everyone counts.
            self._finish_round(events)

    def _finish_round(self, events: list[Event]) -> None:
        self._end_round(events)
        if self.board is None or self.round_no + 1 == self.rules.planned_rounds(self.players):
            self._end_game(events)
            return
        self.start_seat = self._next_starter()
        self._deal(events)

    def _next_starter(self) -> int:
        # 11-1, 11-2, 11-3: by the totals; a tie goes clockwise from the last starter.
        best = min(self.totals) if self.rules.next_start == "fewest" else max(self.totals)
        clockwise = [(self.start_seat + step) % self.players for step in range(self.players)]
        return next(seat for seat in clockwise if self.totals[seat] == best)

    @overload
    def view(self, seat: int) -> ElevenNimmtView: ...
    @overload
    def view(self, seat: None) -> Table: ...
    def view(self, seat: int | None) -> ElevenNimmtView | Table:
        if seat is None:
            return self._table()
        tops = self._tops
        if tops is None:
            tops = {
                number: new_tuple(Pile, (number, pile[-1])) for number, pile in self.piles.items()
            }
            self._tops = tops
            self._sizes = list(map(len, self.hands))
        fields = (
            seat,
            self.hands[seat],
            self.players,
            self.round_no,
            self.turn,
            self.start_seat,
            tuple(tops.values()),
            tuple(self._sizes),
            tuple(self.bull_cards),
            self.bull_pool,
            len(self.draw),
            self.totals,
        )
        return new_tuple(ElevenNimmtView, fields)

    def _table(self) -> Table:
        zones = {ev.DRAW: self.draw}
        zones |= zip(ev.HAND, self.hands, strict=False)
        zones |= {ev.PILE[number]: cards for number, cards in self.piles.items()}
        acting = next(iter(self.pending), None)
        return Table(
            players=self.players,
            round_no=self.round_no,
            start_seat=self.start_seat,
            turn=self.turn,
            seat=acting if self.result is None else (self.start_seat + self.turn) % self.players,
            zones={zone: cards for zone, cards in zones.items() if cards},
            bull_cards=tuple(self.bull_cards),
            bull_pool=self.bull_pool,
            points=tuple(self.points),
            totals=self.totals,
            places=self.result and self.result.places,
        )

    def copy(self) -> Self:
        other = self._copy_common(object.__new__(type(self)))
        other.hands = self.hands[:]
        other.piles = self.piles.copy()
        other.next_pile = self.next_pile
        other.draw = self.draw
        other.bull_cards = self.bull_cards[:]
        other.bull_pool = self.bull_pool
        other._options = self._options
        other._tops = None
        other._sizes = self._sizes[:]
        return other

    def playout(self, rng: Random, first: Mapping[int, Choice] | None = None) -> list[int]:
        return eleven_playout(self, rng, cast("Mapping[int, Choice]", first or {}))
