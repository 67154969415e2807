"""The environments: PettingZoo's and Gymnasium's own tests, and that arrays are what they seem."""

import sys
import warnings
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from numpy.typing import NDArray
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import nimmt
import train
from botkit import Bot, SixNimmtView, XNimmtView
from nimmt.core import engine
from tests.nimmt.core_support import needs_core
from train import NimmtAEC, NimmtParallel, NimmtSingle, VecNimmt

RULES: list[tuple[str, dict[str, Any], int]] = [
    ("six-nimmt", {"rounds": 2}, 4),
    ("six-nimmt", {"advanced": True, "rounds": 1}, 3),
    ("x-nimmt", {}, 3),
    ("eleven-nimmt", {}, 3),
]
IDS = ["six", "advanced", "x", "eleven"]
ENGINES = [False, True] if engine().compiled else [True]


def lowest(mask: NDArray[np.int8]) -> int:
    return int(mask.argmax())


@pytest.mark.parametrize("pure", ENGINES)
@pytest.mark.parametrize(("rules", "options", "players"), RULES, ids=IDS)
def test_the_parallel_environment_passes_pettingzoos_tests(
    rules: str, options: dict[str, Any], players: int, pure: bool
) -> None:
    def lenient() -> NimmtParallel:
        return NimmtParallel(rules, players, options=options, pure=pure, illegal="lowest")

    parallel_api_test(NimmtParallel(rules, players, options=options, pure=pure), num_cycles=200)
    # PettingZoo's test of seeds draws any action, whatever the mask says.
    parallel_seed_test(lenient)


@pytest.mark.parametrize("pure", ENGINES)
@pytest.mark.parametrize(("rules", "options", "players"), RULES, ids=IDS)
def test_the_seat_by_seat_environment_passes_pettingzoos_tests(
    rules: str, options: dict[str, Any], players: int, pure: bool
) -> None:
    def make() -> NimmtAEC:
        return NimmtAEC(rules, players, options=options, pure=pure)

    with warnings.catch_warnings():
        # PettingZoo remarks on dictionaries as observations, which its own card games use too.
        warnings.simplefilter("ignore")
        api_test(make(), num_cycles=200)
        seed_test(make, num_cycles=100)


@pytest.mark.parametrize(("rules", "options", "players"), RULES, ids=IDS)
@pytest.mark.parametrize("reward", ["points", "places"])
def test_both_play_the_same_game_and_reward_it_alike(
    rules: str, options: dict[str, Any], players: int, reward: Any
) -> None:
    together = NimmtParallel(rules, players, options=options, reward=reward)
    one_by_one = NimmtAEC(rules, players, options=options, reward=reward)
    seen, _ = together.reset(seed=5)
    sums = dict.fromkeys(together.agents, 0.0)
    while together.agents:
        acts = {agent: lowest(one["action_mask"]) for agent, one in seen.items()}
        seen, rewards, *_ = together.step(acts)
        sums = {agent: sums[agent] + rewards[agent] for agent in sums}
    one_by_one.reset(seed=5)
    alone = dict.fromkeys(one_by_one.agents, 0.0)
    for agent in one_by_one.agent_iter():
        one, reward_now, ended, _, _ = one_by_one.last()
        alone[agent] += reward_now
        one_by_one.step(None if ended else lowest(one["action_mask"]))
    assert alone == pytest.approx(sums)
    if reward == "places":
        assert sum(sums.values()) == pytest.approx(0.0, abs=1e-6)
        assert max(sums.values()) > 0
    else:
        assert together.render() == one_by_one.render()
        assert sum(sums.values()) < 0


class Highest(Bot):
    """Counts what it is told, and plays the highest card."""

    told = 0
    games = 0

    def on_event(self, event: nimmt.Event) -> None:
        Highest.told += 1

    def on_game_over(self, points: object, places: object) -> None:
        Highest.games += 1

    def choose_card(self, view: SixNimmtView | XNimmtView) -> int:
        return max(view.hand)


@pytest.mark.parametrize(("rules", "options", "players"), RULES, ids=IDS)
def test_the_single_seat_environment_passes_gymnasiums_test(
    rules: str, options: dict[str, Any], players: int
) -> None:
    opponents = ["random"] * (players - 1)
    env = NimmtSingle(rules, opponents, options=options, illegal="lowest")
    with warnings.catch_warnings():
        # It remarks that an image of bytes should have another shape; this is no image.
        warnings.simplefilter("ignore")
        check_env(env, skip_render_check=True)


def test_a_single_seat_plays_against_bot_classes_who_hear_of_everything() -> None:
    env = NimmtSingle("six-nimmt", [Highest, "house", Highest], options={"rounds": 1}, seat=1)
    Highest.told = Highest.games = 0
    _, info = env.reset(seed=3)
    total, ended, asked = 0.0, False, 0
    while not ended:
        assert (info["action_mask"] == env.action_masks()).all()
        _, reward, ended, _, info = env.step(np.int64(lowest(info["action_mask"])))
        total += reward
        asked += 1
    assert asked >= 9
    assert total == -info["points"][1]
    assert Highest.games == 2
    assert Highest.told > 40


def test_a_forbidden_action_of_the_single_seat_is_refused() -> None:
    env = NimmtSingle("six-nimmt", ["house"])
    env.reset(seed=1)
    with pytest.raises(nimmt.IllegalChoice, match="expected one of the actions"):
        env.step(np.int64(108))
    with pytest.raises(ValueError, match="got the opponent 'nobody', expected one of random"):
        NimmtSingle("six-nimmt", ["nobody"])


def test_arrays_are_fresh_unless_asked_for_in_place() -> None:
    fresh = VecNimmt("six-nimmt", 4, 8, 1)
    first = fresh.look()
    kept = [array.copy() for array in first]
    second = fresh.step(first.masks.argmax(axis=2))
    assert not any(np.shares_memory(a, b) for a, b in zip(first, second, strict=True))
    for array, copy in zip(first, kept, strict=True):
        np.testing.assert_array_equal(array, copy)
    shared = VecNimmt("six-nimmt", 4, 8, 1, in_place=True)
    looks = shared.look(), shared.step(shared.look().masks.argmax(axis=2))
    assert all(np.shares_memory(a, b) for a, b in zip(*looks, strict=True))
    env = NimmtParallel("six-nimmt")
    seen, _ = env.reset(seed=1)
    before = seen["seat_0"]["observation"].copy()
    env.step({agent: lowest(one["action_mask"]) for agent, one in seen.items()})
    np.testing.assert_array_equal(seen["seat_0"]["observation"], before)


@needs_core
def test_a_finished_game_is_dealt_again_with_its_score_kept() -> None:
    vec = VecNimmt("six-nimmt", 2, 3, 7, options={"rounds": 1}, everyone=True)
    now = vec.look()
    first = now.observations.copy()
    summed = np.zeros((3, 2))
    while not now.done.any():
        now = vec.step(now.masks.argmax(axis=2))
        summed += now.rewards
    game = int(now.done.argmax())
    np.testing.assert_array_equal(now.scores[game], -summed[game])
    assert (now.observations[game] != first[game]).any()
    assert (now.asked[game] == 1).all()
    again = VecNimmt("six-nimmt", 2, 3, 7, options={"rounds": 1}, everyone=True)
    np.testing.assert_array_equal(again.look().observations, first)


def test_what_cannot_be_played_is_refused_with_what_could() -> None:
    with pytest.raises(ValueError, match="got 0 games, expected 1 or more"):
        VecNimmt("six-nimmt", 4, 0, 1)
    with pytest.raises(ValueError, match="expected 'points' or 'places'"):
        VecNimmt("six-nimmt", 4, 1, 1, reward="wins")  # type: ignore[arg-type]
    with pytest.raises(nimmt.RulesError, match="2 to 4 players"):
        VecNimmt("x-nimmt", 9, 1, 1)


@pytest.mark.parametrize(
    ("name", "module", "lacking"),
    [
        ("NimmtParallel", "parallel", "pettingzoo"),
        ("NimmtAEC", "aec", "pettingzoo"),
        ("NimmtSingle", "single", "gymnasium"),
    ],
)
def test_an_environment_without_its_library_names_what_to_install(
    name: str, module: str, lacking: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, lacking, None)
    for ours in ("aec", "parallel", "single", "spaces"):
        monkeypatch.delitem(sys.modules, f"train.{ours}", raising=False)
    said = rf"train.{name} needs {lacking}, .* pip install 'bullring\[train\]'"
    with pytest.raises(ModuleNotFoundError, match=said):
        getattr(train, name)
