"""Crosstable, what rotation saved, calibration."""

import numpy as np
import pytest
from scipy import stats

from league.ratings.blocks import collect, from_arrays
from league.ratings.official import fit
from league.ratings.reports import calibration, crosstable, rotation_saving
from tests.league import simulate


def test_the_crosstable_counts_meetings_and_judges_them_by_block() -> None:
    rng = np.random.default_rng(1)
    rows = simulate.rows(rng, np.array([1.0, 0.0, -1.0]), 2, 150)
    cross = crosstable(collect(rows), ["bot000", "bot001", "bot002"])
    shared = [row for row in rows if set(row.table) == {"bot000", "bot001"}]
    scores = []
    for row in shared:
        a, b = row.table.index("bot000"), row.table.index("bot001")
        won = [
            1.0 if g.places[a] < g.places[b] else 0.5 if g.places[a] == g.places[b] else 0.0
            for g in row.games
        ]
        scores.append(np.mean(won))
    cell = cross.cell("bot000", "bot001")
    back = cross.cell("bot001", "bot000")
    assert cell is not None
    assert back is not None
    assert cell.games == 2 * len(shared) == back.games
    assert cell.score == pytest.approx(np.mean(scores)) == pytest.approx(1 - back.score)
    t = stats.ttest_1samp(scores, 0.5)
    assert cell.z is not None
    assert cell.z == pytest.approx(stats.norm.isf(t.pvalue / 2), abs=0.01)
    assert back.z == pytest.approx(-cell.z)
    assert cross.cell("bot000", "bot000") is None


def test_pairs_that_met_rarely_are_not_judged() -> None:
    rows = simulate.rows(np.random.default_rng(2), np.array([3.0, -3.0]), 2, 19)
    cell = crosstable(collect(rows), ["bot000", "bot001"]).cell("bot000", "bot001")
    assert cell is not None
    assert cell.z is None


def rotated(rng: np.random.Generator, luck: float, blocks: int = 2000) -> float:
    """Two bots, two games: the seat's luck changes sides in the second game."""
    deal = rng.normal(0, luck, (blocks, 1))
    noise = rng.normal(0, 1, (blocks, 2, 2))
    value = noise + np.stack([deal * [1, 0], deal * [0, 1]], axis=1)
    points = np.round(value * 1000).astype(np.int64)
    places = 1 + (points > points[..., ::-1])
    member = np.tile(np.array([0, 1]), (blocks, 1))
    rounds = np.full(blocks, 2, dtype=np.int64)
    saving = rotation_saving(
        from_arrays(["a", "b"], np.arange(blocks), member, places, points, rounds)
    )
    assert saving is not None
    assert saving.low < saving.factor < saving.high
    return saving.factor


def test_rotation_saves_what_the_luck_of_the_seats_makes_up() -> None:
    rng = np.random.default_rng(3)
    assert rotated(rng, 0.0) == pytest.approx(1.0, abs=0.1)
    # A game's difference has variance 2 + luck^2; a block's mean has 2 / 2 plus nothing.
    assert rotated(rng, 2.0) == pytest.approx((2 + 4) / 2, rel=0.1)


def test_rotation_is_not_measured_on_a_handful_of_blocks() -> None:
    rows = simulate.rows(np.random.default_rng(4), np.zeros(3), 3, 10)
    assert rotation_saving(collect(rows)) is None


def test_predictions_hold_in_a_field_that_follows_the_model() -> None:
    rng = np.random.default_rng(5)
    blocks = simulate.race(rng, np.linspace(-1, 1, 10), simulate.tables(rng, 10, 4, 3000), 4)
    bins = calibration(blocks, fit(blocks))
    assert sum(one.games for one in bins) == 3000 * 4 * 6
    assert all(one.low <= one.predicted <= one.high for one in bins)
    assert sum(one.holds for one in bins) >= len(bins) - 1


def test_predictions_fail_visibly_where_bots_beat_each_other_in_a_circle() -> None:
    rng = np.random.default_rng(6)
    member = np.array([[0, 1], [1, 2], [2, 0]] * 300)
    wins = rng.random((900, 2)) < 0.8
    places = np.stack([np.where(wins, 1, 2), np.where(wins, 2, 1)], axis=2)
    blocks = from_arrays(["a", "b", "c"], np.arange(900), member, places, places, np.full(900, 2))
    assert not all(one.holds for one in calibration(blocks, fit(blocks)))
