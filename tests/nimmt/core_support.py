"""A game on the core beside the same game on the reference engine. No test is here."""

import ctypes
from collections.abc import Iterator, Mapping
from ctypes import c_uint8
from random import Random

import pytest

import nimmt
from nimmt import Choice, Play, State, Take, TurnOptions
from nimmt.core import engine
from nimmt.core.games import options_of
from nimmt.core.layout import KIND_CODES, MOST_PILES, WINDOW, CChoice, CTable, pack_choice
from nimmt.core.library import load
from nimmt.core.unpack import asked_of, zones_of
from nimmt.search import Memory
from tests.nimmt.support import KEY, AnyChoice, Variant

needs_core = pytest.mark.skipif(
    not engine().compiled, reason="needs a C compiler: ./bullring builds the core"
)


class CoreGame:
    """One game on the core, driven with the choices of the reference engine."""

    def __init__(self, rules: nimmt.Rules, players: int, board: int, key: bytes = KEY) -> None:
        library = load(False)
        assert library is not None
        self.library = library
        self.table = CTable()
        assert library.nimmt_start(options_of(rules, players, key, None), self.table, 1, board) == 0

    def apply(self, choices: Mapping[int, Choice]) -> int:
        """What the core answers to these choices."""
        values = (c_uint8 * 10)()
        turn = CChoice()
        for seat, choice in choices.items():
            if isinstance(choice, int):
                values[seat] = choice
            pack_choice(choice, range(256), turn)
        return int(self.library.nimmt_apply(self.table, values, turn))

    def legal(self, seat: int) -> object:
        """What the core would accept, in the form of `legal_of`."""
        numbers = (c_uint8 * (MOST_PILES * WINDOW))()
        count = self.library.nimmt_legal(self.table, seat, numbers)
        assert count >= 0
        if asked_of(self.table).get(seat) != "turn":
            return tuple(numbers[:count])
        fits = [numbers[at * WINDOW : (at + 1) * WINDOW] for at in range(count)]
        plays = {
            self.table.pile_no[at]: tuple([card for card in cards if card])
            for at, cards in enumerate(fits)
        }
        return plays, int(self.table.bull_cards[seat])

    def seen(self) -> dict[str, object]:
        """Everything that the two engines must agree on."""
        table, players = self.table, self.table.players
        running = bool(KIND_CODES[table.phase])
        return {
            "asked": asked_of(table),
            "totals": tuple(table.totals[:players]),
            "zones": zones_of(table) if running else None,
            "points": tuple(table.points[:players]),
            "round": table.round_no,
            "turn": table.turn if running else None,
            "start": table.start_seat,
            "bulls": (*table.bull_cards[:players], table.bull_pool) if table.rules == 2 else None,
            "revealed": tuple(table.revealed[:players]) if table.rules != 2 else None,
        }

    def bytes(self) -> bytes:
        """The whole table, to see that nothing has changed."""
        return ctypes.string_at(ctypes.addressof(self.table), ctypes.sizeof(self.table))


def reference_seen(state: State) -> dict[str, object]:
    """The same of a state of the reference engine."""
    table = state.view(None)
    running = bool(state.pending)
    eleven = state.rules.name == "eleven-nimmt"
    revealed = () if eleven else tuple(getattr(state, "revealed", ()))
    return {
        "asked": {seat: ask.kind for seat, ask in state.pending.items()},
        "totals": table.totals,
        "zones": table.zones if running else None,
        "points": table.points,
        "round": state.round_no,
        "turn": state.turn if running else None,
        "start": state.start_seat,
        "bulls": (*table.bull_cards, table.bull_pool) if eleven else None,
        "revealed": None if eleven else revealed or (0,) * state.players,
    }


def legal_of(state: State, seat: int) -> object:
    """What the reference engine would accept."""
    legal = state.legal(seat)
    if not isinstance(legal, TurnOptions):
        return legal
    held = legal.max_piles if legal.many else 0
    return {pile: legal.plays.get(pile, ()) for pile in legal.takes}, held


def wrong_choices(state: State, rng: Random) -> dict[int, Choice]:
    """Choices for all who are asked, one of which is illegal, or likely to be."""
    choose = AnyChoice(rng)
    choices = {seat: choose(state, seat) for seat in state.pending}
    seat = rng.choice(list(choices))
    legal = state.legal(seat)
    if isinstance(legal, TurnOptions):
        pile, card = rng.randrange(60), rng.randrange(1, 101)
        both = Play({pile: (card,), rng.choice(legal.takes): (rng.randrange(1, 101),)})
        twice = Play(dict.fromkeys(rng.sample(legal.takes, min(2, len(legal.takes))), (card,)))
        tries: list[Choice] = [Take(pile), Play({pile: (card,)}), both, twice]
        choices[seat] = rng.choice(tries)
    else:
        choices[seat] = rng.randrange(105)
    return choices


def positions(variant: Variant, players: int, rng: Random) -> Iterator[tuple[State, Memory, str]]:
    """A random game, and at each decision one of the asked seats with what it remembers."""
    state = variant.start(players, rng.randrange(10**6))
    memories = [Memory(state.rules, players, seat) for seat in range(players)]
    choose = AnyChoice(rng)
    events = list(state.opening)
    while state.pending:
        for memory in memories:
            for event in events:
                memory.see(event)
        seat = rng.choice(list(state.pending))
        yield state, memories[seat], state.pending[seat].kind
        events = state.apply({seat: choose(state, seat) for seat in state.pending})
