"""The environment for learning: the same on the core and on the reference engine."""

from random import Random

import pytest

import nimmt
from nimmt.core import OBSERVATION, Environment
from nimmt.core.environment import observation
from nimmt.generator import SeededBoard
from tests.nimmt.core_support import needs_core, wrong_choices
from tests.nimmt.support import TABLES, AnyChoice, Variant, label

GAMES = 3


def numbers(env: Environment) -> tuple[object, ...]:
    return (
        bytes(env.obs), bytes(env.asked), list(env.rewards), bytes(env.done), list(env.answers),
    )  # fmt: skip


@needs_core
@pytest.mark.parametrize(("variant", "players"), TABLES, ids=label)
def test_both_engines_show_reward_and_ask_the_same(variant: Variant, players: int) -> None:
    rng = Random(players)
    rules = nimmt.get(variant.rules, variant.options)
    core = Environment(rules, players, GAMES, 5, pure=False)
    pure = Environment(rules, players, GAMES, 5, pure=True)
    assert core.compiled
    assert not pure.compiled
    assert numbers(core) == numbers(pure)
    choose = AnyChoice(rng)
    rewarded = False
    for _ in range(150):
        for game, state in enumerate(pure._states):
            wrong = rng.random() < 0.05
            choices = wrong_choices(state, rng) if wrong else {}
            for seat in state.pending:
                choice = choices[seat] if wrong else choose(state, seat)
                core.set_choice(game, seat, choice)
                pure.set_choice(game, seat, choice)
        core.step()
        pure.step()
        assert numbers(core) == numbers(pure)
        rewarded = rewarded or any(core.rewards)
    assert rewarded


def test_a_finished_game_begins_again_on_another_board() -> None:
    rules = nimmt.get("six-nimmt", {"rounds": 1})
    env = Environment(rules, 2, 2, 9)
    before = bytes(env.obs)
    steps = 0
    while not env.done[0]:
        for game in range(2):
            for seat in range(2):
                at = (game * 2 + seat) * OBSERVATION
                own = [card for card in range(1, 105) if env.obs[at + card] == 1]
                kind = env.asked[game * 2 + seat]
                env.set_choice(game, seat, own[0] if kind == 1 else 0)
        env.step()
        steps += 1
    assert 10 <= steps <= 20
    assert sum(env.rewards[:2]) < 0
    state = rules.start(2, SeededBoard(9, 2))
    assert bytes(env.obs[:OBSERVATION]) == observation(state, 0) != before[:OBSERVATION]


def test_an_observation_never_holds_what_a_view_does_not() -> None:
    rules = nimmt.get("x-nimmt")
    state = rules.start(3, SeededBoard(1, 0))
    seen = observation(state, 0)
    hidden = {card for seat in (1, 2) for card in state.view(seat).hand}
    assert not any(seen[card] for card in hidden)
    assert all(seen[card] == 1 for card in state.view(0).hand)


def test_it_needs_a_game_to_play() -> None:
    with pytest.raises(ValueError, match="got 0 games, expected 1 or more"):
        Environment(nimmt.get("x-nimmt"), 3, 0, 1)
