"""What each seat knows at every point of a round: what it saw, and what the others' choices say.

A witness is shown every step of a game. What it makes of it holds only what the seat could see, by
the events as they are sent to a bot.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf

from nimmt import choices as kinds
from nimmt.cards import HIGHEST
from nimmt.choices import Choice, Play, Take, TurnOptions, gap
from nimmt.core.field import Rows, field_turn
from nimmt.core.field_rollouts import BullTurn, Evidence, Knowledge
from nimmt.events import DRAW, HAND, Event, RoundStart
from nimmt.game import Rules, State
from nimmt.search import Memory, resume
from nimmt.table import Table
from nimmt.views import ElevenNimmtView, SixNimmtView, View, XNimmtView


@dataclass(frozen=True, slots=True)
class _Stay:
    """A card that all know to have been in a hand, after one step and up to another."""

    card: int
    after: float
    upto: float

    def covers(self, step: int) -> bool:
        return self.after < step <= self.upto


@dataclass(frozen=True, slots=True)
class _Laid:
    """A card that a seat chose to lay, and which cards its policy would have preferred."""

    seat: int
    step: int
    card: int
    options: int
    beats: bytes

    def evidence(self, known: Sequence[int]) -> Evidence:
        beaten = any(self.beats[card] for card in known)
        return Evidence(seat=self.seat, options=self.options, beaten=beaten, beats=self.beats)


@dataclass(frozen=True, slots=True)
class _Turned:
    """A turn of 11 nimmt! with what everyone saw then."""

    seat: int
    step: int
    tops: dict[int, int]
    held: int
    choice: Choice

    def evidence(self, known: Sequence[int]) -> Evidence:
        if self.held:
            turn = BullTurn(tops=self.tops, held=self.held, known=tuple(known), choice=self.choice)
            return Evidence(seat=self.seat, turn=turn)
        counts, beats = bytearray(HIGHEST + 1), bytearray(HIGHEST + 1)
        for card in range(1, HIGHEST + 1):
            keys = self._keys(card)
            counts[card] = len(keys)
            beats[card] = bool(keys) and self._prefers(min(keys))
        beaten = any(beats[card] for card in known) or self._takes_another()
        options = len(self.tops) + sum([counts[card] for card in known])
        return Evidence(
            seat=self.seat, options=options, beaten=beaten, beats=bytes(beats),
            counts=bytes(counts),
        )  # fmt: skip

    def _keys(self, card: int) -> list[tuple[int, int]]:
        """Gap and pile of every place where the card fits."""
        if card > kinds.HIGHEST:
            return []
        gaps = [(gap(card, top), number) for number, top in self.tops.items()]
        return [key for key in gaps if 1 <= key[0] <= kinds.WINDOW]

    def _prefers(self, key: tuple[int, int]) -> bool:
        if not isinstance(self.choice, Play):
            return True
        [(pile, cards)] = self.choice.cards.items()
        return key < (gap(cards[0], self.tops[pile]), pile)

    def _takes_another(self) -> bool:
        nothing = TurnOptions({}, 1, False, tuple(self.tops))
        return isinstance(self.choice, Take) and self.choice != field_turn(self.tops, nothing)


class Witness:
    """Follows one game for all seats; ask it for what a seat knows now."""

    def __init__(self, rules: Rules, players: int) -> None:
        self.rules = rules
        self.players = players
        self.memories = [Memory(rules, players, seat) for seat in range(players)]
        self._forget()

    def _forget(self) -> None:
        """A new round: nothing has been chosen yet."""
        self.step = 0
        self.seen: list[_Laid | _Turned] = []
        self.stays: list[list[_Stay]] = [[] for _ in range(self.players)]

    def see(self, events: Sequence[Event]) -> None:
        """Take in what happened."""
        for event in events:
            if isinstance(event, RoundStart):
                self._forget()
            for memory in self.memories:
                memory.see(event)

    def note(self, state: State, choices: Mapping[int, Choice]) -> None:
        """Take in choices just before they are carried out; only what all will see is kept."""
        self.step += 1
        keys: dict[Rows, list[int]] = {}
        for seat, choice in sorted(choices.items()):
            kind, view = state.pending[seat].kind, state.view(seat)
            if kind == kinds.CARD:
                assert isinstance(choice, int)
                self._note_card(seat, choice, view, keys)
            elif kind == kinds.TURN:
                assert not isinstance(choice, int)
                self._note_turn(seat, choice, view, state)
            elif kind == kinds.X_CARD:
                assert isinstance(view, XNimmtView)
                self._enter(seat, [card for card in view.taken if card != choice])

    def _note_card(self, seat: int, card: int, view: View, keys: dict[Rows, list[int]]) -> None:
        assert isinstance(view, SixNimmtView | XNimmtView)
        rows = Rows.of(view)
        if rows not in keys:
            keys[rows] = [rows.key(other) for other in range(HIGHEST + 1)]
        of = keys[rows]
        # Of equals the policy takes the lowest card, which stands first in a hand.
        beats = bytes([of[other] < of[card] or (of[other] == of[card] and other < card)
                       for other in range(HIGHEST + 1)])  # fmt: skip
        self.seen.append(_Laid(seat, self.step, card, len(view.hand), beats))
        self._leave(seat, [card])

    def _note_turn(self, seat: int, choice: Take | Play, view: View, state: State) -> None:
        assert isinstance(view, ElevenNimmtView)
        tops = {pile.number: pile.top for pile in view.piles}
        self.seen.append(_Turned(seat, self.step, tops, view.bull_cards[seat], choice))
        if isinstance(choice, Take):
            self._enter(seat, state.view(None).zones[f"pile:{choice.pile}"])
        else:
            self._leave(seat, [card for cards in choice.cards.values() for card in cards])

    def _enter(self, seat: int, cards: Sequence[int]) -> None:
        self.stays[seat] += [_Stay(card, self.step, inf) for card in cards]

    def _leave(self, seat: int, cards: Sequence[int]) -> None:
        for card in cards:
            open_now = [stay for stay in self.stays[seat] if stay.card == card and stay.upto == inf]
            for stay in open_now:
                self.stays[seat].remove(stay)
            after = open_now[0].after if open_now else -inf
            self.stays[seat].append(_Stay(card, after, self.step))

    def knows(self, state: State, seat: int) -> Knowledge:
        """What a seat knows now, before the next decision."""
        memory = self.memories[seat]
        memory.look()
        asked = seat if seat in state.pending else next(iter(state.pending))
        kind = state.pending[asked].kind
        position = memory.position(kind)
        table = replace(memory.table, zones=dict(memory.table.zones))
        evidence: list[Evidence] = []
        if any(0 in hand for hand in position.hands):
            others = [one for one in self.seen if one.seat != seat]
            others.sort(key=lambda one: (one.seat, one.step))
            evidence = [one.evidence(self._known(one)) for one in others]
        return Knowledge(
            position=position,
            asked=asked,
            evidence=tuple(evidence),
            resume=partial(resumed, self.rules, table, kind, asked),
        )

    def opened(self, state: State, seat: int) -> Knowledge:
        """The same with all hands and the draw deck open, which no seat knew: for hindsight."""
        known = self.knows(state, seat)
        zones = state.view(None).zones
        hands = [list(zones.get(HAND[other], ())) for other in range(self.players)]
        draw = list(zones.get(DRAW, ()))
        dealt = {card for cards in (*hands, draw) for card in cards}
        unseen = [card for card in known.position.unseen if card not in dealt]
        position = replace(known.position, hands=hands, draw=draw, unseen=unseen)
        return replace(known, position=position, evidence=())

    def _known(self, one: _Laid | _Turned) -> list[int]:
        """Cards that are known by now to have been in the seat's hand at that choice."""
        return [stay.card for stay in self.stays[one.seat] if stay.covers(one.step)]


def resumed(
    rules: Rules, table: Table, kind: str, asked: int, hands: list[list[int]], draw: list[int]
) -> State:
    """A state that fits what a seat saw (`table`), with these hands and this draw deck."""
    zones = dict(table.zones)
    for seat, hand in enumerate(hands):
        zones[HAND[seat]] = tuple(hand)
    if draw:
        zones[DRAW] = tuple(draw)
    return resume(rules, table, zones, kind, asked)
