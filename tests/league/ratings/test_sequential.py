"""Sequential tests: right under continuous peeking, and quick enough to be of use.

A block difference has a standard deviation of 5.96 points; a block is four games. Three times the
measured 509 games (confidence sequence) and 576 games (GSPRT) for a gap of 1.7 points is the limit.
"""

import numpy as np
import pytest

from league.ratings.official import fit
from league.ratings.ranking import rank
from league.ratings.sequential import (
    MINIMUM_BLOCKS,
    PairVerdict,
    confidence_sequence,
    first_true,
    gsprt,
    mixture_factor,
)
from tests.league import simulate

SD = 5.96
GAP = 1.7
LIMIT_BLOCKS = 3 * 509 // 4


def test_the_boundary_is_the_one_of_the_formula() -> None:
    n, r, a = 100, 60.0, 0.05
    bound = np.sqrt((n + r) * np.log((n + r) / (r * a**2)))
    assert mixture_factor(np.array(n), a) * np.sqrt(n) == pytest.approx(bound)


def test_nothing_is_decided_early_or_without_variance() -> None:
    sure = confidence_sequence(np.array([5.0, 5.1] * 50))
    assert first_true(sure.excludes_zero) == MINIMUM_BLOCKS - 1
    assert not confidence_sequence(np.full(500, 3.0)).excludes_zero.any()
    assert not gsprt(np.full(500, 3.0), null=0, gain=1).accepted.any()


def test_a_large_offset_costs_no_precision() -> None:
    values = np.random.default_rng(1).normal(0, 1, 300)
    near, far = confidence_sequence(values), confidence_sequence(values + 1e9)
    assert np.allclose(near.upper[50:] + 1e9, far.upper[50:], rtol=0, atol=1e-3)


def test_the_gain_must_be_above_the_null() -> None:
    with pytest.raises(ValueError, match="must be above"):
        gsprt([1.0], null=1.0, gain=0.5)


def test_verdicts_are_sentences() -> None:
    assert [verdict.is_final for verdict in PairVerdict] == [True, True, True, False, False]
    assert all(verdict.value.endswith(".") for verdict in PairVerdict)


@pytest.mark.parametrize("runs", [2000, pytest.param(20_000, marks=pytest.mark.long)])
def test_peeking_after_every_block_is_wrong_in_at_most_5_percent(runs: int) -> None:
    rng = np.random.default_rng(2)
    wrong = 0
    for _ in range(runs // 1000):
        drawn = rng.normal(0, SD, (1000, 1250))
        wrong += int(confidence_sequence(drawn).excludes_zero.any(axis=1).sum())
    assert wrong / runs <= 0.05


def test_peeking_at_an_ordinary_interval_would_be_wrong_far_more_often() -> None:
    drawn = np.random.default_rng(3).normal(0, SD, (1000, 1250))
    count = np.arange(1, 1251)
    mean = drawn.cumsum(axis=1) / count
    peeked = np.abs(mean[:, 19:]) > 1.96 * SD / np.sqrt(count[19:])
    assert peeked.any(axis=1).mean() > 0.3


@pytest.mark.parametrize("runs", [1000, pytest.param(20_000, marks=pytest.mark.long)])
def test_a_gap_of_1_7_points_is_settled_in_time_in_80_percent_of_runs(runs: int) -> None:
    drawn = np.random.default_rng(4).normal(GAP, SD, (runs, LIMIT_BLOCKS))
    settled = confidence_sequence(drawn).excludes_zero.any(axis=1)
    assert settled.mean() >= 0.8


def badge_run(rng: np.random.Generator, mean: list[float], step: int) -> tuple[bool, bool]:
    """One season watched all the time: was a badge ever wrong, did the first place settle?"""
    bots = len(mean)
    expected = np.array(mean)
    # The sd of a game's points that makes a block difference of two bots 5.96.
    sd = SD * np.sqrt(4 / 2)
    member = simulate.tables(rng, bots, 4, LIMIT_BLOCKS * bots // 4)
    blocks = simulate.points(rng, expected, member, 4, sd)
    truly = expected[:, None] < expected[None, :]
    wrong = first = False
    for count in range(step, len(blocks) + 1, step):
        ranking = rank(fit(simulate.first(blocks, count)), draws=1)
        wrong |= bool((ranking.settled_ahead & ~truly).any())
        first |= int(ranking.settled_ahead[0].sum()) == bots - 1
    return wrong, first


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("runs", "step"),
    [
        (60, 20),
        # Fewer looks can only make it later: whoever looks more often settles no less.
        pytest.param(1000, 40, marks=pytest.mark.heavy),
        pytest.param(1000, 10, marks=pytest.mark.long),
    ],
)
def test_the_badge_itself_settles_1_7_points_in_time_and_is_not_wrong(runs: int, step: int) -> None:
    rng = np.random.default_rng(5)
    results = [badge_run(rng, [10.0, 10.0 + GAP, 15.0, 17.0], step) for _ in range(runs)]
    assert sum(wrong for wrong, _ in results) <= 0.05 * runs
    # Sixty runs know a share of 0.9 to about 0.04.
    assert sum(first for _, first in results) >= (0.8 if runs >= 1000 else 0.72) * runs


@pytest.mark.parametrize(
    ("runs", "step"), [(60, 20), pytest.param(1000, 10, marks=pytest.mark.long)]
)
def test_the_badge_is_never_given_to_equal_bots(runs: int, step: int) -> None:
    rng = np.random.default_rng(6)
    wrong = sum(badge_run(rng, [10.0] * 6, step)[0] for _ in range(runs))
    assert wrong <= 0.05 * runs
