"""Observations, masks and actions: the core, the reference engine and a bot's view agree."""

from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

import nimmt
from nimmt.actions import (
    ACTION_VERSION,
    STEAL_AT,
    WIDEST,
    action_count,
    action_mask,
    action_of,
    choice_of,
)
from nimmt.choices import TurnOptions
from nimmt.core.environment import observation
from nimmt.encoding import OBSERVATION, OBSERVATION_VERSION, encode
from nimmt.features import FEATURES, card_features, cheapest_row
from tests.nimmt.core_support import needs_core
from tests.nimmt.support import TABLES, AnyChoice, Variant, label
from train.features import card_features as many_features
from train.features import cheapest_rows
from train.vec import Reward, VecNimmt


@pytest.mark.parametrize(("variant", "players"), TABLES, ids=label)
def test_a_bot_encodes_its_view_as_the_state_would(variant: Variant, players: int) -> None:
    """`observation` knows which cards wait to be placed; a bot must find out from its view."""
    state = variant.start(players, board=players)
    choose = AnyChoice(Random(players))
    while state.pending:
        for seat, ask in state.pending.items():
            assert encode(state.view(seat), ask.kind) == observation(state, seat)
        state.apply({seat: choose(state, seat) for seat in state.pending})


@pytest.mark.parametrize(("variant", "players"), TABLES, ids=label)
def test_every_sensible_choice_has_one_action_and_every_action_one_choice(
    variant: Variant, players: int
) -> None:
    rng = Random(players)
    state = variant.start(players, board=players)
    choose = AnyChoice(rng)
    while state.pending:
        seat, ask = rng.choice(list(state.pending.items()))
        view, legal = state.view(seat), state.legal(seat)
        mask = action_mask(view, ask.kind, legal)
        assert len(mask) == action_count(variant.rules)
        listed = legal.sensible() if isinstance(legal, TurnOptions) else legal
        choices = [state.canonical(seat, choice) for choice in listed]
        actions = [action for action, fits in enumerate(mask) if fits]
        meant = [state.canonical(seat, choice_of(one, view, ask.kind, legal)) for one in actions]
        assert {repr(one) for one in choices} == {repr(one) for one in meant}
        for choice in choices:
            action = action_of(choice, view, ask.kind, legal)
            assert action is not None
            again = state.canonical(seat, choice_of(action, view, ask.kind, legal))
            assert repr(again) == repr(choice)
        state.apply({seat: choose(state, seat) for seat in state.pending})


def test_an_action_that_the_mask_forbids_is_refused_with_those_it_allows() -> None:
    state = nimmt.get("six-nimmt").start(2, nimmt.KeyedBoard(nimmt.key_from_seed(1)))
    view, legal = state.view(0), state.legal(0)
    with pytest.raises(nimmt.IllegalChoice, match="expected one of the actions"):
        choice_of(104, view, "card", legal)
    assert action_mask(view, "", ()).index(1) == 108


def masked_actions(vec: VecNimmt, rng: np.random.Generator) -> NDArray[np.intp]:
    """A random legal action for every seat that is asked, rare kinds of play favoured."""
    masks = vec.arrays.masks.astype(np.float64) * rng.random(vec.arrays.masks.shape)
    if vec.actions > 1000:
        masks[..., WIDEST:STEAL_AT] *= 5
    actions: NDArray[np.intp] = masks.argmax(axis=2)
    return actions


@needs_core
@pytest.mark.parametrize("everyone", [False, True])
@pytest.mark.parametrize("reward", ["points", "places"])
@pytest.mark.parametrize(("variant", "players"), TABLES[::3], ids=label)
def test_the_core_shows_masks_and_rewards_as_the_reference_does(
    variant: Variant, players: int, reward: Reward, everyone: bool
) -> None:
    rules = nimmt.get(variant.rules, variant.options)
    core, pure = (
        VecNimmt(rules, players, 2, 9, reward=reward, everyone=everyone, pure=engine)
        for engine in (False, True)
    )
    rng = np.random.default_rng(players)
    for _ in range(120):
        for one, other in zip(core.look(), pure.look(), strict=True):
            np.testing.assert_array_equal(one, other)
        actions = masked_actions(pure, rng)
        core.step(actions)
        pure.step(actions)


@needs_core
@pytest.mark.parametrize(("variant", "players"), TABLES[::4], ids=label)
def test_the_core_refuses_exactly_the_actions_that_the_mask_forbids(
    variant: Variant, players: int
) -> None:
    rules = nimmt.get(variant.rules, variant.options)
    vec = VecNimmt(rules, players, 1, 4, in_place=True, pure=False)
    rng = np.random.default_rng(players)
    for _ in range(60):
        seat = int(np.flatnonzero(vec.arrays.asked[0])[0])
        before, mask = vec.look().observations.copy(), vec.arrays.masks[0, seat].copy()
        actions = masked_actions(vec, rng)
        actions[0, seat] = rng.choice(np.flatnonzero(mask == 0))
        with pytest.raises(ValueError, match=f"seat {seat}: got the action"):
            vec.step(actions)
        np.testing.assert_array_equal(before, vec.arrays.observations)
        vec.step(masked_actions(vec, rng))


@pytest.mark.parametrize("name", ["six-nimmt", "x-nimmt"])
def test_features_are_the_same_in_training_and_in_a_bot(name: str) -> None:
    vec = VecNimmt(name, 4, 32, 3)
    rng = np.random.default_rng(1)
    compared = 0
    for _ in range(40):
        asked, seen = vec.arrays.asked.reshape(-1), vec.arrays.observations.reshape(-1, OBSERVATION)
        cards = seen[asked == 1]
        if len(cards):
            many = many_features(cards)
            single = [(i, card, *found) for i, one in enumerate(cards)
                      for card, found in card_features(bytes(one)).items()]  # fmt: skip
            together = np.column_stack([many.hand, many.card, many.features])
            assert together.shape[1] == 2 + len(FEATURES)
            np.testing.assert_array_equal(np.array(single), together)
            compared += len(single)
        rows = seen[asked == 2]
        if len(rows):
            assert cheapest_rows(rows).tolist() == [cheapest_row(bytes(one)) for one in rows]
        vec.step(masked_actions(vec, rng))
    assert compared > 1000


def test_the_layouts_have_versions() -> None:
    """Whoever changes a layout changes these numbers, and the page that describes it."""
    assert (OBSERVATION_VERSION, OBSERVATION, ACTION_VERSION) == (1, 184, 1)
    assert [action_count(name) for name in nimmt.GAMES] == [
        1212 if name == "eleven-nimmt" else 109 for name in nimmt.GAMES
    ]
