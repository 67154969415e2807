"""Fairness reports find what was planted, and nothing in honest fields."""

import numpy as np
import pytest

from league.ratings.blocks import from_arrays
from league.ratings.fairness import linked_owners, presence, same_choices
from league.ratings.official import fit
from tests.league import simulate


def test_an_honest_field_raises_no_question() -> None:
    flagged = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        blocks = simulate.race(rng, np.linspace(-1, 1, 8), simulate.tables(rng, 8, 4, 400), 4)
        found = presence(blocks, fit(blocks))
        assert len(found) == 8 * 7
        flagged += any(one.significant for one in found)
    # Each field may raise a false question with 5 %; four of twenty would be a bad sign.
    assert flagged <= 3


def test_a_helper_that_lets_its_friend_win_is_found() -> None:
    rng = np.random.default_rng(1)
    member = simulate.tables(rng, 8, 4, 600)
    value = rng.exponential(size=(600, 4, 4))
    together = (member == 2).any(axis=1) & (member == 5).any(axis=1)
    # With bot 5 at the table, bot 2 does far better against everybody else.
    value[together] *= np.where(member[together] == 2, 0.3, 1.0)[:, None, :]
    places = value.argsort(axis=2).argsort(axis=2) + 1
    blocks = from_arrays(simulate.names(8), np.arange(600), member, places, places, np.full(600, 4))
    first = presence(blocks, fit(blocks))[0]
    assert (first.bot, first.beside, first.significant) == ("bot002", "bot005", True)
    assert first.gain > 0.1
    assert first.blocks == int(together.sum())


def test_beating_a_bot_that_plays_badly_is_no_sign_of_anything() -> None:
    rng = np.random.default_rng(4)
    member = simulate.tables(rng, 8, 4, 600)
    value = rng.exponential(size=(600, 4, 4))
    together = (member == 2).any(axis=1) & (member == 5).any(axis=1)
    # Beside bot 2, bot 5 always comes last; nobody else changes against anybody else.
    value[together] += np.where(member[together] == 5, 99.0, 0.0)[:, None, :]
    places = value.argsort(axis=2).argsort(axis=2) + 1
    blocks = from_arrays(simulate.names(8), np.arange(600), member, places, places, np.full(600, 4))
    found = {(one.bot, one.beside): one for one in presence(blocks, fit(blocks))}
    assert not found["bot002", "bot005"].significant


def test_duels_and_few_blocks_have_nothing_to_say() -> None:
    rng = np.random.default_rng(2)
    duels = simulate.race(rng, np.zeros(4), simulate.tables(rng, 4, 2, 300), 2)
    assert presence(duels, fit(duels)) == ()
    few = simulate.race(rng, np.zeros(8), simulate.tables(rng, 8, 4, 30), 4)
    assert presence(few, fit(few)) == ()


def test_identical_choices_on_a_probe_set_are_named() -> None:
    rng = np.random.default_rng(3)
    answers = {f"b{i}": [int(x) for x in rng.integers(0, 4, 80)] for i in range(5)}
    answers["copy"] = list(answers["b3"])
    first, *others = same_choices(answers)
    assert (first.first, first.second, first.agreement) == ("b3", "copy", 1.0)
    assert first.identical
    assert not any(one.identical for one in others)
    assert others[0].agreement < 0.5
    assert 0.2 < first.expected < 0.4


def test_few_probes_or_missing_answers_prove_nothing() -> None:
    few = same_choices({"a": [1, 2, 3], "b": [1, 2, 3]})
    assert few[0].agreement == 1.0
    assert not few[0].identical
    assert same_choices({"a": [None, 1], "b": [1, None]}) == ()
    with pytest.raises(ValueError, match="same probes"):
        same_choices({"a": [1], "b": [1, 2]})


def test_owners_are_linked_through_what_they_share() -> None:
    marks = {
        "ada": {"the same fingerprint": frozenset({"x", "y"})},
        "bob": {"the same fingerprint": frozenset({"y"}), "identical choices": frozenset({"p"})},
        "cyd": {"identical choices": frozenset({"p"})},
        "dan": {"identical choices": frozenset({"q"}), "the same fingerprint": frozenset({"p"})},
    }
    (group,) = linked_owners(marks)
    assert group.owners == ("ada", "bob", "cyd")
    assert group.reasons == (
        "ada and bob: the same fingerprint",
        "bob and cyd: identical choices",
    )
