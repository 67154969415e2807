"""The strongest sample: what it looks at, and what it does where it cannot look."""

from random import Random

import pytest

import nimmt
from botkit.local import LocalSeat
from nimmt import KeyedBoard, key_from_seed
from nimmt.core import Engine, Policy
from nimmt.core.hints import MOST_WEIGHT
from nimmt.search import Memory
from nimmt.simple import SIMPLE
from sample_bots.sleuth import bot as sleuth
from sample_bots.sleuth.bot import FIRST_TRUST, SleuthBot
from tests.nimmt.core_support import needs_core

GAMES: list[tuple[str, dict[str, object], int]] = [
    ("six-nimmt", {"rounds": 1}, 4),
    ("six-nimmt", {"rounds": 1, "advanced": True, "opening_picks": 3}, 3),
    ("eleven-nimmt", {}, 3),
    ("x-nimmt", {}, 3),
]


class Quick(SleuthBot):
    """Takes no time at all: two rollouts of every choice."""

    def seconds(self) -> float:
        return 0.0


def play(name: str, options: dict[str, object], players: int) -> SleuthBot:
    """A whole game against seats that play anything, hoarding what they can."""
    rules = nimmt.get(name, options)
    state = rules.start(players, KeyedBoard(key_from_seed(3)))
    seat = LocalSeat(Quick, rules, 0, players, seed=1)
    others = SIMPLE["taker"](Random(2))
    seat.see(state.opening)
    while state.pending:
        choices = {}
        for asked, ask in state.pending.items():
            view, legal = state.view(asked), state.legal(asked)
            if asked == 0 and state.forced(0) is None:
                choices[asked] = state.canonical(0, seat.ask(ask.kind, view, legal))
            else:
                choices[asked] = others(ask.kind, view, legal)
        seat.see(state.apply(choices))
    assert isinstance(seat.bot, SleuthBot)
    return seat.bot


@needs_core
@pytest.mark.parametrize(("name", "options", "players"), GAMES)
def test_it_plays_every_game_and_reads_hidden_hands(
    name: str, options: dict[str, object], players: int
) -> None:
    bot = play(name, options, players)
    assert (bot.policy != Policy.uniform()) == (not options.get("advanced"))
    assert any(bot.reader.choices) == (not options.get("advanced"))


@pytest.mark.parametrize(("name", "options", "players"), GAMES)
def test_without_the_core_it_searches_at_random_rather_than_hardly_at_all(
    name: str, options: dict[str, object], players: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sleuth, "engine", lambda: Engine(False, "pure Python"))
    bot = play(name, options, players)
    assert bot.policy == Policy.uniform()
    assert not bot.reader.hints()


@needs_core
def test_it_foresees_what_an_open_hand_will_lay() -> None:
    rules = nimmt.get("six-nimmt", {"rounds": 1, "advanced": True, "opening_picks": 10})
    state = rules.start(2, KeyedBoard(key_from_seed(3)))
    bot = SleuthBot()
    bot.rules, bot.players, bot.seat, bot.rng = rules, 2, 0, Random(1)
    bot.on_game_start()
    bot.memory = Memory(rules, 2, 0)
    for event in state.opening:
        bot.memory.see(event)
    bot.memory.look()
    position = bot.memory.position("card")
    # 3 would take the row of 23 heads; 12 goes behind it and is safe.
    position.rows = [[5, 11], [15, 16, 18], [19, 20], [21, 22]]
    position.hands = [[1, 24], [3, 12]]
    position.unseen = []
    expected = bot._foresee(position, 0.01)
    assert list(expected) == [1]
    assert expected[1][3] < expected[1][12] < MOST_WEIGHT
    # Whoever does what was foreseen is trusted, and expected to do so the more clearly.
    bot._learn([24, 12])
    assert bot.trust[1] > FIRST_TRUST
    trusted = bot._foresee(position, 0.01)
    assert trusted[1][12] > expected[1][12]
    for _ in range(5):
        bot._learn([24, 3])
        doubted = bot._foresee(position, 0.01)
    assert bot.trust[1] < FIRST_TRUST
    assert doubted[1][12] < expected[1][12]
