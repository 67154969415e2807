"""Hands are guessed by what was played: exactly by the model, and from what the seat could see."""

from collections import Counter
from itertools import permutations
from random import Random

import pytest

import nimmt
from nimmt import seen_by
from nimmt.core.hints import Chain, Hint
from nimmt.core.position import Position
from nimmt.events import HAND, Event, Move, Reveal, RoundStart
from nimmt.generator import Generator
from nimmt.reading import Model, Reader
from nimmt.search import Memory
from nimmt.simple import SIMPLE
from nimmt.style import strong_policy
from nimmt.table import Table, fold

GAMES: list[tuple[str, dict[str, object], int, str]] = [
    ("six-nimmt", {"rounds": 2}, 4, "random"),
    ("x-nimmt", {}, 3, "random"),
    ("eleven-nimmt", {}, 3, "taker"),
]


def test_deals_come_by_how_likely_they_are() -> None:
    position = Position(
        nimmt.get("six-nimmt"), 3, 0, "card", [[9], [0, 7], [0]], [1, 2, 3, 4], [0, 0, 0]
    )
    hints = [
        Hint(1, 2, [0, 8, 0, 2, 1]),
        Hint(1, 5, [0, 0, 1, 40, 3]),
        Hint(2, 1, [0, 0, 9, 3, 30]),
    ]
    chance = {}
    for one, other in permutations(position.unseen, 2):
        held = {1: one, 2: other}
        chance[one, other] = 1.0
        for hint in hints:
            chance[one, other] /= hint.base + hint.weights[held[hint.seat]]
    chain, rng, deals = Chain(position, hints, 5), Generator(1), 20_000
    dealt = Counter(tuple(chain.next_deal(rng)[:2]) for _ in range(deals))
    for pair, weight in chance.items():
        assert dealt[pair] / deals == pytest.approx(weight / sum(chance.values()), abs=0.02)


class Watch:
    """A reader in seat 0, and beside it one who sees all cards."""

    def __init__(self, rules: nimmt.Rules, players: int) -> None:
        self.memory = Memory(rules, players, 0)
        self.model = Model(strong_policy(rules, self.memory.highest), 0.05)
        self.reader = Reader(self.memory, self.model)
        self.truth = Table(players=players)
        self.expected: list[tuple[Hint, int]] = []
        """Every choice of this round, with the weight of all that the seat could choose then."""

    def see(self, event: Event) -> None:
        before = [self.truth.zones.get(HAND[seat], ()) for seat in range(self.truth.players)]
        known = [len(made) for made in self.reader.choices]
        shown = seen_by(event, 0)
        self.reader.see(shown)
        self.memory.see(shown)
        fold(self.truth, [event])
        if isinstance(event, RoundStart):
            self.expected = []
            return
        for seat, made in enumerate(self.reader.choices):
            if len(made) > known[seat]:
                besides = 0 if isinstance(event, Reveal) else self.model.take
                held = sum([made[-1].weights[card] for card in before[seat]])
                self.expected.append((made[-1], besides + held))

    def check(self) -> None:
        """With the true hidden cards, every hint weighs what the seat could really choose."""
        for hint, all_of_it in self.expected:
            known = self.memory.table.zones.get(HAND[hint.seat], ())
            hidden = [
                card for card in self.truth.zones.get(HAND[hint.seat], ()) if card not in known
            ]
            assert hint.base + sum([hint.weights[card] for card in hidden]) == all_of_it


@pytest.mark.parametrize(("name", "options", "players", "style"), GAMES)
def test_a_hint_counts_exactly_what_the_hand_held_at_that_choice(
    name: str, options: dict[str, object], players: int, style: str
) -> None:
    rules = nimmt.get(name, options)
    checked = 0
    for board in range(3):
        rng = Random(board)
        player = SIMPLE[style](rng)
        watch = Watch(rules, players)
        state = rules.start(players, nimmt.KeyedBoard(nimmt.key_from_seed(9), board))
        events = list(state.opening)
        while state.pending:
            for event in events:
                watch.see(event)
            watch.check()
            checked += len(watch.expected)
            choices = {
                seat: player(ask.kind, state.view(seat), state.legal(seat))
                for seat, ask in state.pending.items()
            }
            events = state.apply(choices)
    assert checked > 50


def test_open_hands_give_no_hints() -> None:
    rules = nimmt.get("six-nimmt", {"rounds": 1, "advanced": True, "opening_picks": 10})
    state = rules.start(3, nimmt.KeyedBoard(nimmt.key_from_seed(9)))
    watch = Watch(rules, 3)
    player = SIMPLE["random"](Random(1))
    events = list(state.opening)
    while state.pending:
        for event in events:
            watch.see(event)
        assert not watch.reader.hints()
        events = state.apply(
            {
                seat: player(ask.kind, state.view(seat), state.legal(seat))
                for seat, ask in state.pending.items()
            }
        )


def test_whoever_takes_a_pile_hardly_holds_a_card_that_fits() -> None:
    rules = nimmt.get("eleven-nimmt")
    state = rules.start(2, nimmt.KeyedBoard(nimmt.key_from_seed(9)))
    memory = Memory(rules, 2, 0)
    reader = Reader(memory, Model(strong_policy(rules, 100), 0.01))
    for event in [seen_by(event, 0) for event in state.opening]:
        reader.see(event)
        memory.see(event)
    [top] = memory.table.zones["pile:0"]
    reader._seat = 1
    take = Move("take", (top,), "pile:0", HAND[1])
    reader.see(take)
    memory.see(take)
    memory.look()
    position = memory.position("turn")
    fits = {(top + step) % 100 + 1 for step in range(10)}
    blind = share_that_fits(Chain(position, [], 1), fits)
    assert share_that_fits(Chain(position, reader.hints(), 1), fits) < blind / 2


def share_that_fits(chain: Chain, fits: set[int]) -> float:
    """In how many deals the ten hidden cards of seat 1 hold one of these."""
    rng = Generator(3)
    return sum([bool(fits & set(chain.next_deal(rng)[:10])) for _ in range(400)]) / 400
