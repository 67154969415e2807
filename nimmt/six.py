"""6 nimmt!, basic game (2-10 players) and advanced game with an open draft (2-6 players).

The readings of the rules are numbered in docs/rules.md; comments here name them.
"""

from bisect import bisect
from collections.abc import Mapping
from random import Random
from types import MappingProxyType
from typing import Any, Self, cast, overload

from nimmt import choices as kinds
from nimmt.board import Board, Cards, Deal, Shuffle
from nimmt.cards import heads
from nimmt.choices import Choice, new_tuple
from nimmt.errors import RulesError, shorten
from nimmt.events import (
    BOX,
    BULL,
    HAND,
    PLAY,
    POOL,
    ROW,
    Event,
    Move,
    Points,
    RoundStart,
)
from nimmt.game import Options, Rules, one_asked
from nimmt.given import (
    check_cards,
    json_hands,
    json_object,
    json_seat,
    json_starts,
    known_options,
    whole_number,
)
from nimmt.laid import CARD_ALONE, PLACED
from nimmt.playouts import six_playout
from nimmt.rows import RowsState
from nimmt.table import Table
from nimmt.views import SixNimmtView

ROWS = 4
ROW_HOLDS = 5
HAND_SIZE = 10
HIGHEST = 104
ALL_ROWS = tuple(range(ROWS))
MAX_LIMIT = 1000
MAX_ROUNDS = 1000


_CHOOSE_ROW = one_asked(kinds.ROW)
_DRAFT = one_asked(kinds.DRAFT)


class SixNimmt(Rules):
    """Play to a limit of bullheads, or a fixed number of rounds."""

    name = "six-nimmt"
    title = "6 nimmt!"

    def __init__(self, options: Options) -> None:
        given = known_options(
            self.name,
            options,
            {"limit": None, "rounds": None, "advanced": False, "opening_picks": 0},
        )
        if given["limit"] is not None and given["rounds"] is not None:
            raise RulesError(
                "six-nimmt plays to a limit or a number of rounds, not both; leave one out"
            )
        if type(given["advanced"]) is not bool:
            raise RulesError(
                f"option advanced must be true or false, got {shorten(given['advanced'])}"
            )
        self.advanced: bool = given["advanced"]
        self.opening_picks = whole_number("opening_picks", given["opening_picks"], 0, HAND_SIZE)
        if self.opening_picks and not self.advanced:
            raise RulesError("option opening_picks is for the advanced game: set advanced as well")
        length: dict[str, int]
        if given["rounds"] is not None:
            length = {"rounds": whole_number("rounds", given["rounds"], 1, MAX_ROUNDS)}
        else:
            limit = 66 if given["limit"] is None else given["limit"]
            length = {"limit": whole_number("limit", limit, 1, MAX_LIMIT)}
        self.limit = length.get("limit")
        self.rounds = length.get("rounds")
        self.options = MappingProxyType(
            {**length, "advanced": self.advanced, "opening_picks": self.opening_picks}
        )
        # the advanced game is for up to six, though the cards would serve ten.
        self.max_players = 6 if self.advanced else 10
        self.kinds = (kinds.DRAFT,) * self.advanced + (kinds.CARD, kinds.ROW)

    def highest_card(self, players: int) -> int:
        return 10 * players + ROWS if self.advanced else HIGHEST

    def start(self, players: int, board: Board) -> "SixNimmtState":
        self.check_players(players)
        return SixNimmtState(self, players, board)

    def draw_deal(self, players: int, shuffle: Shuffle) -> Deal:
        deck = range(1, self.highest_card(players) + 1)
        if self.advanced:
            each = self.opening_picks
            cards = shuffle(deck, each * players) if each else []
            return Deal(_hands(cards, players, each))
        cards = shuffle(deck, HAND_SIZE * players + ROWS)
        return Deal(_hands(cards, players, HAND_SIZE), tuple(cards[-ROWS:]))

    def check_deal(self, players: int, deal: Deal) -> None:
        each = self.opening_picks if self.advanced else HAND_SIZE
        rows = 0 if self.advanced else ROWS
        groups = (*deal.hands, deal.rows, deal.draw)
        sizes = [each] * players + [rows, 0]
        check_cards(groups, sizes, self.highest_card(players), "a six-nimmt deal")

    def deal_to_json(self, deal: Deal, start_seat: int) -> dict[str, Any]:
        if self.advanced:
            return {"start_seat": start_seat, "opening": [list(hand) for hand in deal.hands]}
        return {"hands": [list(hand) for hand in deal.hands], "rows": [[c] for c in deal.rows]}

    def deal_from_json(self, players: int, value: object) -> tuple[Deal, int]:
        if self.advanced:
            fields = json_object(value, ("start_seat", "opening"), "an advanced deal")
            opening = json_hands(fields["opening"], players, "opening")
            return Deal(opening), json_seat(fields["start_seat"], players)
        fields = json_object(value, ("hands", "rows"), "a six-nimmt deal")
        return Deal(json_hands(fields["hands"], players), json_starts(fields["rows"], ROWS)), 0

    def max_decisions(self, players: int) -> int:
        # Every round costs some seat at least one head (more cards come than the rows can hold),
        # so a game to a limit ends before all players have reached it one head at a time.
        rounds = self.rounds or players * (self.limit or 0) + 1
        drafts = HAND_SIZE * players if self.advanced else 0
        return rounds * (drafts + HAND_SIZE * (players + 1))

    def planned_rounds(self, players: int) -> int | None:
        return self.rounds


def _hands(cards: list[int], players: int, each: int) -> tuple[Cards, ...]:
    return tuple([tuple(sorted(cards[s * each : (s + 1) * each])) for s in range(players)])


class SixNimmtState(RowsState):
    """One game of 6 nimmt!."""

    __slots__ = ("bull_piles", "pool")
    rules: SixNimmt
    bull_piles: list[Cards]
    pool: Cards

    def __init__(self, rules: SixNimmt, players: int, board: Board | None) -> None:
        self._public = None
        super().__init__(rules, players, board)

    def _deal(self, events: list[Event]) -> None:
        assert self.board is not None
        self.round_no += 1
        # the draft begins one seat further on in every round.
        self.start_seat = self.round_no % self.players if self.rules.advanced else 0
        deal = self.board.deal(self.rules, self.players, self.round_no)
        self.deals.append((deal, self.start_seat))
        self.turn = 0
        self.points = [0] * self.players
        self.hands = list(deal.hands)
        self.rows = [(card,) for card in deal.rows]
        self.sort_rows()
        self.bull_piles = [()] * self.players
        self.revealed = ()
        self.to_place = []
        self.pool = ()
        events.append(new_tuple(RoundStart, (self.round_no, self.start_seat, 0)))
        why = "open" if self.rules.advanced else "deal"
        for seat, hand in enumerate(deal.hands):
            if hand:
                events.append(new_tuple(Move, (why, hand, BOX, HAND[seat])))
        if self.rules.advanced:
            dealt = {card for hand in deal.hands for card in hand}
            deck = range(1, self.rules.highest_card(self.players) + 1)
            self.pool = tuple([card for card in deck if card not in dealt])
            events.append(Move("open", self.pool, BOX, POOL))
            self._next_draft(events)
        else:
            for index, card in enumerate(deal.rows):
                events.append(new_tuple(Move, ("deal", (card,), BOX, ROW[index])))
            self._next_turn(events)

    def _next_draft(self, events: list[Event]) -> None:
        if len(self.pool) > ROWS:
            drafted = sum([len(hand) for hand in self.hands])
            # plainly around the table, no snake.
            seat = (self.start_seat + drafted) % self.players
            self.pending = _DRAFT[seat]
            return
        self.rows = [(card,) for card in self.pool]
        self.sort_rows()
        for index, card in enumerate(self.pool):
            events.append(Move("rows", (card,), POOL, ROW[index]))
        self.pool = ()
        self._next_turn(events)

    def legal(self, seat: int) -> tuple[int, ...]:
        if seat not in self.pending:
            return ()
        kind = self.pending[seat].kind
        if kind == kinds.CARD:
            return self.hands[seat]
        return self.pool if kind == kinds.DRAFT else ALL_ROWS

    def apply(self, choices: Mapping[int, Choice]) -> list[Event]:
        self._public = None
        if self.pool:
            return self._draft(choices)
        if self.to_place:
            return self._choose_row(choices)
        return self._choose_cards(choices)

    def _draft(self, choices: Mapping[int, Choice]) -> list[Event]:
        seat, given = self._asked_alone(choices)
        card = cast(int, self.canonical(seat, given))
        self.pool = tuple([other for other in self.pool if other != card])
        self.hands[seat] = tuple(sorted((*self.hands[seat], card)))
        events: list[Event] = [Move("draft", (card,), POOL, HAND[seat])]
        self._next_draft(events)
        return events

    def _choose_cards(self, choices: Mapping[int, Choice]) -> list[Event]:
        events: list[Event] = [self._lay_cards(choices)]
        lowest = self.to_place[0]
        if lowest < self.ends[0]:
            # 6-3, 6-4: the low card waits for a free choice of row, with all cards revealed.
            # Only the lowest card of a turn can be one: once it lies, every later card fits it.
            self.pending = _CHOOSE_ROW[self.revealed.index(lowest)]
        else:
            self._place_all(events)
        return events

    def _choose_row(self, choices: Mapping[int, Choice]) -> list[Event]:
        seat, index = self._chosen_row(choices)
        events: list[Event] = []
        self._take(seat, self.to_place.pop(0), index, events)
        self._place_all(events)
        return events

    def _place_all(self, events: list[Event]) -> None:
        # A card replaces the row end below it, so the row ends stay sorted.
        rows, ends, order, seat_of = self.rows, self.ends, self.order, self.revealed.index
        for card in self.to_place:
            at = bisect(ends, card) - 1
            ends[at] = card
            index = order[at]
            row = rows[index]
            seat = seat_of(card)
            if len(row) == ROW_HOLDS:
                self._take(seat, card, index, events)
            else:
                rows[index] = row + CARD_ALONE[card]
                events.append(PLACED[seat][index][card])
        self.to_place = []
        self.turn += 1
        if self.hands[0]:
            self._next_turn(events)
        else:
            self._last_turn(events)

    def _take(self, seat: int, card: int, index: int, events: list[Event]) -> None:
        # 6-5: the taker gets what lay in the row; the card just laid starts a new row.
        taken = self.rows[index]
        self.bull_piles[seat] += taken
        self.points[seat] += heads(taken)
        self.rows[index] = CARD_ALONE[card]
        events += (
            new_tuple(Move, ("take", taken, ROW[index], BULL[seat])),
            PLACED[seat][index][card],
            new_tuple(Points, (tuple(self.points),)),
        )

    def _last_turn(self, events: list[Event]) -> None:
        self.revealed = ()
        self._end_round(events)
        if self._game_is_over():
            self._end_game(events)
        else:
            self._deal(events)

    def _game_is_over(self) -> bool:
        if self.board is None:
            return True
        if self.rules.rounds is not None:
            return self.round_no + 1 == self.rules.rounds
        # 6-1, 6-2: more than the limit, looked at only after a whole round.
        assert self.rules.limit is not None
        return max(self.totals) > self.rules.limit

    @overload
    def view(self, seat: int) -> SixNimmtView: ...
    @overload
    def view(self, seat: None) -> Table: ...
    def view(self, seat: int | None) -> SixNimmtView | Table:
        if seat is None:
            return self._table()
        if self._public is None:
            self._public = (
                self.players,
                self.round_no,
                self.turn,
                self.start_seat,
                tuple(self.rows),
                self.revealed,
                tuple(self.bull_piles),
                tuple(self.points),
                self.totals,
                self.pool,
                tuple(self.hands) if self.rules.advanced else (),
            )
        own = (seat, self.hands[seat])
        return new_tuple(SixNimmtView, own + self._public)

    def _table(self) -> Table:
        zones = {POOL: self.pool}
        zones |= zip(HAND, self.hands, strict=False)
        zones |= zip(ROW, self.rows, strict=False)
        zones |= zip(BULL, self.bull_piles, strict=False)
        zones |= {PLAY[self.revealed.index(card)]: (card,) for card in self.to_place}
        return Table(
            players=self.players,
            round_no=self.round_no,
            start_seat=self.start_seat,
            turn=self.turn if self.result is None else self.turn - 1,
            zones={zone: cards for zone, cards in zones.items() if cards},
            points=tuple(self.points),
            totals=self.totals,
            places=self.result and self.result.places,
        )

    def copy(self) -> Self:
        other = self._copy_common(object.__new__(type(self)))
        self._copy_rows(other)
        other.bull_piles = self.bull_piles[:]
        other.pool = self.pool
        return other

    def playout(self, rng: Random, first: Mapping[int, Choice] | None = None) -> list[int]:
        return six_playout(self, rng, cast("Mapping[int, int]", first or {}))
