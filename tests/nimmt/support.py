"""Variants, hand-laid tables, drivers and snapshots for the tests of the rules. No test is here."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from nimmt import GivenBoard, KeyedBoard, State, get, heads, house_choice, key_from_seed
from nimmt.board import Deal
from nimmt.choices import Ask, Choice, Play, Take, TurnOptions
from nimmt.eleven import ElevenNimmtState
from nimmt.events import Event
from nimmt.six import SixNimmtState
from nimmt.x import XNimmtState

KEY = key_from_seed(7)


@dataclass(frozen=True, slots=True)
class Variant:
    """Rules with options, and the player counts they are for."""

    rules: str
    options: Mapping[str, Any]
    players: range

    @property
    def label(self) -> str:
        return "-".join([self.rules, *(f"{name}={self.options[name]}" for name in self.options)])

    def start(self, players: int, board: int = 0, key: bytes = KEY) -> State:
        return get(self.rules, self.options).start(players, KeyedBoard(key, board))


VARIANTS = [
    Variant("six-nimmt", {}, range(2, 11)),
    Variant("six-nimmt", {"limit": 1}, range(2, 11)),
    Variant("six-nimmt", {"rounds": 2}, range(2, 11)),
    Variant("six-nimmt", {"advanced": True, "rounds": 2}, range(2, 7)),
    Variant("six-nimmt", {"advanced": True, "opening_picks": 3, "limit": 20}, range(2, 7)),
    Variant("six-nimmt", {"advanced": True, "opening_picks": 10, "rounds": 1}, range(2, 7)),
    Variant("eleven-nimmt", {}, range(2, 8)),
    Variant("eleven-nimmt", {"next_start": "most"}, range(2, 8)),
    Variant("x-nimmt", {}, range(2, 5)),
]
TABLES = [(variant, players) for variant in VARIANTS for players in variant.players]
"""Every variant with every number of players."""


def label(value: object) -> str:
    """A readable id for a parametrised test."""
    return value.label if isinstance(value, Variant) else str(value)


@dataclass(frozen=True, slots=True)
class Case:
    """A table, what is chosen on it, and the fields of the state afterwards."""

    state: State
    choices: Sequence[dict[int, Any]]
    expect: dict[str, Any] = field(default_factory=dict)

    def run(self) -> list[Event]:
        """Apply the choices and compare; returns the events of the last step."""
        events: list[Event] = []
        for choices in self.choices:
            events = self.state.apply(choices)
        got = {name: getattr(self.state, name) for name in self.expect}
        assert got == self.expect
        return events


def six_table(
    rows: Sequence[Sequence[int]], hands: Sequence[Sequence[int]], **options: Any
) -> SixNimmtState:
    """A table of 6 nimmt! laid by hand, all seats about to choose a card."""
    rules = get("six-nimmt", options or {"rounds": 1})
    state = rules.start(len(hands), KeyedBoard(KEY))
    assert isinstance(state, SixNimmtState)
    state.rows = [tuple(row) for row in rows]
    state.sort_rows()
    state.hands = [tuple(sorted(hand)) for hand in hands]
    state._public = None
    return state


def x_table(
    rows: Sequence[Sequence[int]],
    hands: Sequence[Sequence[int]],
    x_rows: Sequence[Sequence[int]] | None = None,
    x_piles: Sequence[Sequence[int]] | None = None,
) -> XNimmtState:
    """A table of X nimmt! laid by hand, all seats about to choose a card."""
    state = get("x-nimmt").start(len(hands), KeyedBoard(KEY))
    assert isinstance(state, XNimmtState)
    state.rows = [tuple(row) for row in rows]
    state.sort_rows()
    state.hands = [tuple(sorted(hand)) for hand in hands]
    state.x_rows = [tuple(row) for row in x_rows or [()] * len(hands)]
    state.x_piles = [tuple(pile) for pile in x_piles or [()] * len(hands)]
    state.points = [
        heads(hand) + 2 * heads(pile) for hand, pile in zip(hands, state.x_piles, strict=True)
    ]
    return state


def eleven_table(
    piles: Mapping[int, Sequence[int]],
    hands: Sequence[Sequence[int]],
    draw: Sequence[int] = (61, 62, 63, 64, 65),
    bull_cards: Sequence[int] | None = None,
    seat: int = 0,
    **options: Any,
) -> ElevenNimmtState:
    """A table of 11 nimmt! laid by hand, `seat` to act; bull cards not held are in the pool."""
    state = get("eleven-nimmt", options).start(len(hands), KeyedBoard(KEY))
    assert isinstance(state, ElevenNimmtState)
    state.piles = {number: tuple(cards) for number, cards in piles.items()}
    state.next_pile = max(piles) + 1
    state.hands = [tuple(sorted(hand)) for hand in hands]
    state.draw = tuple(draw)
    state.bull_cards = list(bull_cards or [0] * len(hands))
    state.bull_pool = 10 - sum(state.bull_cards)
    state.points = [heads(hand) for hand in hands]
    state.pending = {seat: Ask("turn")}
    state.turn = seat
    state._options = None
    return state


def completed_deal(hands: Sequence[Sequence[int]], rows: Sequence[int], size: int) -> Deal:
    """A deal with these cards in it, the hands filled up with the lowest cards nobody names."""
    named = {card for hand in hands for card in hand} | set(rows)
    spare = iter([card for card in range(1, 101) if card not in named])
    full = [sorted([*hand, *(next(spare) for _ in range(size - len(hand)))]) for hand in hands]
    return Deal(tuple([tuple(hand) for hand in full]), tuple(rows))


def given(*deals: Deal) -> GivenBoard:
    return GivenBoard(deals)


class AnyChoice:
    """Any legal choice can come out of it. In 11 nimmt! it takes although it could play, keeps to
    high piles as a hoarder does, and plays several cards on several piles when it may."""

    def __init__(self, rng: Random, take: float = 0.25, hoard: float = 0.6) -> None:
        self.rng = rng
        self.take = take
        self.hoard = hoard

    def __call__(self, state: State, seat: int) -> Choice:
        legal = state.legal(seat)
        if not isinstance(legal, TurnOptions):
            return self.rng.choice(legal)
        assert isinstance(state, ElevenNimmtState)
        if not legal.plays or self.rng.random() < self.take:
            high = [number for number in legal.takes if len(state.piles[number]) >= 3]
            wanted = high if high and self.rng.random() < self.hoard else legal.takes
            return Take(self.rng.choice(wanted))
        return self._play(legal)

    def _play(self, legal: TurnOptions) -> Play:
        numbers = self.rng.sample(list(legal.plays), len(legal.plays))
        played: dict[int, list[int]] = {}
        used: set[int] = set()
        for number in numbers[: self.rng.randint(1, legal.max_piles)]:
            free = [card for card in legal.plays[number] if card not in used]
            if free:
                count = self.rng.randint(1, len(free)) if legal.many else 1
                played[number] = self.rng.sample(free, count)
                used.update(played[number])
        return Play(played)


def house(state: State, seat: int) -> Choice:
    """What the house would choose."""
    return house_choice(state.pending[seat].kind, state.view(seat), state.legal(seat))


def choices_for(state: State, choose: Callable[[State, int], Choice]) -> dict[int, Choice]:
    """One choice for each pending seat."""
    return {seat: choose(state, seat) for seat in state.pending}


def steps(
    state: State, choose: Callable[[State, int], Choice]
) -> Iterator[tuple[dict[int, Choice], list[Event]]]:
    """Play the game to its end, yielding the choices and the events of every step."""
    while state.pending:
        choices = choices_for(state, choose)
        yield choices, state.apply(choices)


def finish(state: State, choose: Callable[[State, int], Choice]) -> State:
    """Play the game to its end."""
    for _ in steps(state, choose):
        pass
    return state


def snapshot(state: State) -> dict[str, str]:
    """Every field of a state, written out, so that any later change shows."""
    names = {name for kind in type(state).__mro__ for name in getattr(kind, "__slots__", ())}
    # What begins with an underscore is a cache, which asking may fill.
    kept = sorted(name for name in names - {"rules"} if not name.startswith("_"))
    fields = {name: getattr(state, name) for name in kept}
    fields["pending"] = dict(state.pending)
    return {name: repr(value) for name, value in fields.items()}
