"""What a search bot remembers fits the game, and what it guesses could be true."""

import random

import pytest

import nimmt
from nimmt.search import Memory
from nimmt.simple import SIMPLE

GAMES = [
    ("six-nimmt", {"rounds": 2}, 4, "random"),
    ("six-nimmt", {"rounds": 2, "advanced": True, "opening_picks": 2}, 3, "random"),
    ("eleven-nimmt", {}, 4, "hoarder"),
    ("x-nimmt", {}, 3, "random"),
]


@pytest.mark.parametrize(("name", "options", "players", "style"), GAMES)
def test_a_guess_agrees_with_all_that_its_seat_can_see(
    name: str, options: dict[str, object], players: int, style: str
) -> None:
    rng = random.Random(4)
    rules = nimmt.get(name, options)
    state = rules.start(players, nimmt.KeyedBoard(nimmt.key_from_seed(9)))
    memories = [Memory(rules, players, seat) for seat in range(players)]
    bots = [SIMPLE[style](rng) for _ in range(players)]
    events = list(state.opening)
    while state.pending:
        for memory in memories:
            for event in events:
                memory.see(event)
        choices = {}
        for seat, ask in state.pending.items():
            memories[seat].look()
            guess = memories[seat].guess(ask.kind, rng)
            assert _seen(guess, seat) == _seen(state, seat)
            assert guess.legal(seat) == state.legal(seat)
            choices[seat] = bots[seat](ask.kind, state.view(seat), state.legal(seat))
            assert len(guess.playout(rng, {seat: choices[seat]})) == players
        events = state.apply(choices)


@pytest.mark.parametrize(("name", "options", "players", "style"), GAMES)
def test_a_guess_holds_every_card_once(
    name: str, options: dict[str, object], players: int, style: str
) -> None:
    rules = nimmt.get(name, options)
    state = rules.start(players, nimmt.KeyedBoard(nimmt.key_from_seed(9)))
    memory = Memory(rules, players, 0)
    for event in state.opening:
        memory.see(event)
    memory.look()
    [kind] = {ask.kind for ask in state.pending.values()}
    guess = memory.guess(kind, random.Random(1))
    cards = [card for zone in guess.view(None).zones.values() for card in zone]
    assert len(cards) == len(set(cards))
    assert 0 not in cards


def test_two_guesses_differ_where_something_is_hidden() -> None:
    rules = nimmt.get("six-nimmt", {"rounds": 1})
    state = rules.start(4, nimmt.KeyedBoard(nimmt.key_from_seed(9)))
    memory = Memory(rules, 4, 0)
    for event in state.opening:
        memory.see(event)
    memory.look()
    rng = random.Random(1)
    assert memory.guess("card", rng).view(1) != memory.guess("card", rng).view(1)


def _seen(state: nimmt.State, seat: int) -> nimmt.View:
    """The view without the cards of this turn that lie in rows already, which a table forgets."""
    view = state.view(seat)
    if isinstance(view, nimmt.ElevenNimmtView):
        return view
    return view._replace(revealed=())
