"""The version gate: better passes, equal and worse do not, attempts share the error."""

import numpy as np
import pytest

from league.gate.verdict import (
    ALIKE_BLOCKS,
    GateResult,
    GateSettings,
    GateVerdict,
    attempt_alpha,
    judge_gate,
)
from league.ratings import gsprt

SD = 5.96
LIMIT_BLOCKS = 3 * 576 // 4


def played(seed: int, mean: float, blocks: int = 2500) -> list[float]:
    return [float(x) for x in np.random.default_rng(seed).normal(mean, SD, blocks)]


def test_a_better_version_passes_and_says_how_many_blocks_it_took() -> None:
    result = judge_gate(played(1, 1.7))
    assert result.verdict is GateVerdict.PASS
    assert result.finished
    assert 20 <= result.blocks < 600
    assert result.llr >= result.accept
    assert result.lower < result.mean < result.upper
    assert f"After {result.blocks} blocks" in result.words


def test_a_worse_version_is_stopped() -> None:
    result = judge_gate(played(2, -0.5))
    assert result.verdict is GateVerdict.FAIL
    assert result.llr <= result.reject


def test_games_after_the_crossing_change_nothing() -> None:
    differences = played(3, 1.7)
    early = judge_gate(differences)
    assert judge_gate(differences[: early.blocks]) == early
    assert judge_gate(differences[: early.blocks] + [-100.0] * 500) == early
    assert judge_gate(differences[: early.blocks - 1]).verdict is GateVerdict.UNDECIDED


def test_a_spent_budget_ends_undecided() -> None:
    result = judge_gate(played(4, 0.25), settings=GateSettings(budget_blocks=30))
    assert (result.verdict, result.blocks, result.finished) == (GateVerdict.UNDECIDED, 30, True)
    assert "budget is spent" in result.words


@pytest.mark.parametrize(
    ("differences", "words"),
    [
        ([], "0 of at least 20"),
        ([9.0] * 10, "10 of at least 20"),
        ([0.0] * 30, "No difference so far"),
        ([9.0] * 90, "the same difference of +9.00 every time"),
    ],
)
def test_what_cannot_be_measured_is_undecided(differences: list[float], words: str) -> None:
    result = judge_gate(differences)
    assert result.verdict is GateVerdict.UNDECIDED
    assert words in result.words


def test_two_versions_that_play_alike_are_known_after_forty_blocks() -> None:
    result = judge_gate([0.0] * 90)
    assert (result.verdict, result.finished) == (GateVerdict.FAIL, True)
    assert result.blocks == ALIKE_BLOCKS == 40
    assert "play alike" in result.words
    assert not judge_gate([0.0] * 39).finished
    assert not judge_gate([0.0] * 45 + [1.0]).words.startswith("The two play alike")
    frozen = judge_gate([2.0] * 90)
    assert (frozen.verdict, frozen.finished) == (GateVerdict.UNDECIDED, True)


def by_company(rng: np.random.Generator, spread: float, steps: int, blocks: int) -> list[float]:
    """No gain on the whole, but one that depends on whom the step is played against."""
    gains = rng.normal(0.0, spread, steps)
    return [float(x) for gain in gains for x in rng.normal(gain, SD, blocks)]


def test_a_gain_that_depends_on_the_company_is_not_passed_by_the_company_of_the_day() -> None:
    rng = np.random.default_rng(11)
    passed = naive = 0
    for _ in range(150):
        drawn = by_company(rng, 3.0, 30, 20)
        found = judge_gate(drawn, steps=[20] * 30, least_steps=4)
        passed += found.verdict is GateVerdict.PASS
        naive += judge_gate(drawn).verdict is GateVerdict.PASS
    assert passed / 150 <= 0.1 < naive / 150


def test_where_company_does_not_matter_steps_cost_little() -> None:
    runs = [played(seed, 1.7, 600) for seed in range(60)]
    plain = [judge_gate(one) for one in runs]
    stepped = [judge_gate(one, steps=[20] * 30, least_steps=4) for one in runs]
    assert sum(one.verdict is GateVerdict.PASS for one in stepped) >= 54
    blocks = [np.mean([one.blocks for one in found]) for found in (plain, stepped)]
    assert blocks[1] < 1.8 * blocks[0]


def test_a_verdict_falls_at_the_end_of_a_step_and_later_games_change_nothing() -> None:
    drawn = played(3, 3.0, 400)
    early = judge_gate(drawn, steps=[20] * 20, least_steps=4)
    assert early.blocks % 20 == 0
    assert early.blocks >= 80
    steps = early.blocks // 20
    assert judge_gate(drawn[: early.blocks], steps=[20] * steps, least_steps=4) == early


def test_attempts_share_the_error_budget() -> None:
    shares = [attempt_alpha(0.05, m) for m in range(1, 2000)]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) < 0.05
    assert judge_gate([], attempt=3).accept > judge_gate([], attempt=1).accept
    with pytest.raises(ValueError, match="count from 1"):
        attempt_alpha(0.05, 0)


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="gate settings"):
        GateSettings(gain=0)


def first_pass(rng: np.random.Generator, mean: float, runs: int, blocks: int) -> float:
    """Share of first attempts that pass, computed for all runs at once."""
    alpha = attempt_alpha(0.05, 1)
    test = gsprt(rng.normal(mean, SD, (runs, blocks)), null=0.0, gain=0.5, alpha=alpha)
    never = blocks + 1
    accepted, rejected = (
        np.where(hit.any(axis=1), hit.argmax(axis=1), never)
        for hit in (test.accepted, test.rejected)
    )
    return float((accepted < rejected).mean())


def test_the_share_of_passes_is_the_one_that_judge_gives() -> None:
    passed = [judge_gate(played(seed, 0.6, 400)).verdict is GateVerdict.PASS for seed in range(40)]
    drawn = np.array([played(seed, 0.6, 400) for seed in range(40)])
    test = gsprt(drawn, null=0.0, gain=0.5, alpha=attempt_alpha(0.05, 1))
    first = [
        bool(a.any() and (not r.any() or a.argmax() < r.argmax()))
        for a, r in zip(test.accepted, test.rejected, strict=True)
    ]
    assert passed == first


@pytest.mark.parametrize("runs", [1000, pytest.param(20_000, marks=pytest.mark.long)])
def test_1_7_points_pass_in_time_in_80_percent_of_runs(runs: int) -> None:
    assert first_pass(np.random.default_rng(5), 1.7, runs, LIMIT_BLOCKS) >= 0.8


def test_an_equal_version_passes_in_at_most_5_percent_however_often_it_is_sent() -> None:
    rng = np.random.default_rng(6)

    def ever(attempts: int) -> bool:
        for attempt in range(1, attempts + 1):
            result: GateResult = judge_gate(rng.normal(0, SD, 600).tolist(), attempt=attempt)
            if result.verdict is GateVerdict.PASS:
                return True
        return False

    # 300 owners with 5 attempts each; the share is known to about 0.0126.
    assert sum(ever(5) for _ in range(300)) / 300 <= 0.05 + 2 * 0.0126


@pytest.mark.long
def test_an_equal_version_passes_the_first_attempt_in_at_most_5_percent() -> None:
    rng = np.random.default_rng(7)
    share = np.mean([first_pass(rng, 0.0, 1000, 2500) for _ in range(5)])
    assert share <= 0.05
