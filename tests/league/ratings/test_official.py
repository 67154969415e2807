"""The official rating against independent libraries, its errors against resampling and truth."""

from dataclasses import replace
from random import Random

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from league.arrays import Floats
from league.ratings.blocks import Block, BlockGame, collect
from league.ratings.official import ELO_PER_LOGIT, fit
from tests.league import simulate


def test_without_ties_it_agrees_with_choix() -> None:
    rng = np.random.default_rng(1)
    blocks = simulate.race(rng, np.linspace(-1, 1, 8), simulate.tables(rng, 8, 4, 500), 4)
    data = [
        (int(blocks.member[b, i]), int(blocks.member[b, j]))
        for b, i, j in zip(*np.nonzero(blocks.pairs()), strict=True)
        for _ in range(round(blocks.score[b, i, j] * 4))
    ]
    theirs = choix.ilsr_pairwise(8, data)
    ours = (fit(blocks, ridge=1e-9).elo - 1500) / ELO_PER_LOGIT
    assert np.allclose(ours, theirs - theirs.mean(), atol=1e-6)


def test_with_ties_it_is_the_maximum_that_scipy_finds() -> None:
    rows = simulate.rows(np.random.default_rng(2), np.linspace(-1, 1, 5), 3, 60)
    blocks = collect(rows)
    assert any(len(set(game.places)) < 3 for row in rows for game in row.games)
    b, i, j = np.nonzero(blocks.pairs())
    first, second = blocks.member[b, i], blocks.member[b, j]
    weight = blocks.score[b, i, j] * blocks.games[b]

    def loss(theta: Floats) -> float:
        gap = theta[first] - theta[second]
        return float((weight * np.logaddexp(0, -gap)).sum() + 0.05 * (theta**2).sum())

    theirs = optimize.minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-9}).x
    ours = (fit(blocks, ridge=0.1).elo - 1500) / ELO_PER_LOGIT
    assert np.allclose(ours, theirs - theirs.mean(), atol=1e-5)


@settings(max_examples=10)
@given(st.randoms(use_true_random=False))
def test_any_order_of_arrival_gives_the_same_bits(random: Random) -> None:
    rows = simulate.rows(np.random.default_rng(3), np.linspace(-1, 1, 7), 4, 60)
    expected = fit(collect(rows))
    random.shuffle(rows)
    got = fit(collect(rows))
    assert np.array_equal(expected.elo, got.elo)
    assert np.array_equal(expected.covariance, got.covariance)


def test_a_bot_that_always_wins_stays_finite_and_is_not_measurable() -> None:
    games = (BlockGame(places=(1, 2), points=(0, 9)),) * 2
    rows = [Block(order=i, table=("best", f"b{i % 4}"), games=games) for i in range(400)]
    rows += [
        Block(
            order=1000 + i,
            table=("b0", f"b{1 + i % 3}"),
            games=(BlockGame(places=(1, 2) if i % 2 else (2, 1), points=(i % 7, i % 5)),),
        )
        for i in range(200)
    ]
    rating = fit(collect(rows))
    best = rating.bots.index("best")
    assert 1800 < rating.elo[best] < 5000
    assert rating.elo.argmax() == best
    assert not rating.measurable[best]
    assert np.isnan(rating.half_width()[best])
    assert rating.measurable[rating.bots.index("b0")]


def test_below_twenty_distinct_blocks_nothing_is_measurable() -> None:
    rng = np.random.default_rng(4)
    rows = simulate.rows(rng, np.zeros(3), 3, 19)
    assert not fit(collect(rows)).measurable.any()
    copies = [replace(row, order=row.order + 100 * c) for c in range(5) for row in rows]
    assert fit(collect(copies)).blocks.tolist() == [95, 95, 95]
    assert not fit(collect(copies)).measurable.any()
    assert fit(collect(simulate.rows(rng, np.zeros(3), 3, 60))).measurable.all()


def test_anchors_fix_the_scale_and_change_no_gap() -> None:
    rng = np.random.default_rng(5)
    blocks = simulate.race(rng, np.linspace(-1, 1, 6), simulate.tables(rng, 6, 3, 300), 3)
    free = fit(blocks)
    fixed = fit(blocks, anchors={"bot000": 1200.0, "bot001": 1300.0})
    assert fixed.elo[:2].mean() == pytest.approx(1250)
    assert np.allclose(np.diff(free.elo), np.diff(fixed.elo))
    assert np.allclose(free.gap_variance(), fixed.gap_variance())


def test_the_standard_error_is_that_of_resampled_blocks() -> None:
    rng = np.random.default_rng(6)
    blocks = simulate.race(rng, np.linspace(-0.5, 0.5, 6), simulate.tables(rng, 6, 4, 400), 4)
    ratings = []
    for _ in range(200):
        pick = rng.integers(0, 400, 400)
        again = replace(
            blocks,
            member=blocks.member[pick],
            score=blocks.score[pick],
            points=blocks.points[pick],
            wins=blocks.wins[pick],
            gap_squares=blocks.gap_squares[pick],
            signature=blocks.signature[pick],
        )
        ratings.append(fit(again).elo)
    resampled = np.std(ratings, axis=0, ddof=1)
    ours = np.sqrt(np.diag(fit(blocks).covariance))
    # Two hundred resamples know a standard error to about 5 %.
    assert np.allclose(ours, resampled, rtol=0.2)


def coverage(rng: np.random.Generator, runs: int, bots: int, blocks: int) -> float:
    """How often the 95 % interval holds the true rating; games of a block depend on each other."""
    theta = np.linspace(-0.5, 0.5, bots)
    truth = 1500 + ELO_PER_LOGIT * (theta - theta.mean())
    inside = total = 0
    for _ in range(runs):
        rating = fit(simulate.race(rng, theta, simulate.tables(rng, bots, 4, blocks), 4))
        known = rating.measurable
        inside += int((np.abs(rating.elo - truth) <= rating.half_width())[known].sum())
        total += int(known.sum())
    return inside / total


@pytest.mark.parametrize("blocks", [90, 250])
def test_95_percent_intervals_cover_the_truth_as_promised(blocks: int) -> None:
    # 120 runs of 12 bots: the share itself is known to about 0.007, hence the wider band.
    assert 0.915 <= coverage(np.random.default_rng(blocks), 120, 12, blocks) <= 0.975


@pytest.mark.long
@pytest.mark.parametrize(("bots", "blocks"), [(6, 40), (12, 90), (12, 300), (24, 1000)])
def test_95_percent_intervals_cover_92_to_97_percent(bots: int, blocks: int) -> None:
    assert 0.92 <= coverage(np.random.default_rng(blocks), 1000, bots, blocks) <= 0.97


def test_treating_games_as_independent_would_promise_too_much() -> None:
    """The reason for blocks: with shared luck, errors by game are too small."""
    rng = np.random.default_rng(7)
    member = simulate.tables(rng, 8, 4, 300)
    theta = np.linspace(-0.5, 0.5, 8)
    by_block = fit(simulate.race(rng, theta, member, 4, shared=0.8))
    by_game = fit(simulate.race(rng, theta, np.repeat(member, 4, axis=0), 1))
    blocks_error = np.sqrt(np.diag(by_block.covariance)).mean()
    games_error = np.sqrt(np.diag(by_game.covariance)).mean()
    assert blocks_error > 1.2 * games_error
