"""Distribution functions against scipy, and Holm's procedure against its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from league.ratings.quantiles import holm, normal_quantile, normal_tail, t_as_z, two_sided, z_as_t


def test_normal_tail_is_right_far_out_too() -> None:
    z = np.linspace(-10, 10, 401)
    assert np.allclose(normal_tail(z), stats.norm.sf(z), rtol=2e-7, atol=0)
    assert np.allclose(two_sided(z), 2 * stats.norm.sf(np.abs(z)), rtol=2e-7)


@pytest.mark.parametrize("freedom", [19, 30, 49, 200])
def test_t_quantiles_are_right_where_intervals_are_shown(freedom: int) -> None:
    for level in (0.8, 0.95, 0.99):
        got = float(z_as_t(normal_quantile(0.5 + level / 2), np.array(float(freedom))))
        assert got == pytest.approx(stats.t.ppf(0.5 + level / 2, freedom), abs=1e-3)


def test_t_as_z_keeps_the_tail() -> None:
    t = np.linspace(-6, 6, 49)
    z = t_as_z(t, np.full(49, 25.0))
    assert np.allclose(z, stats.norm.isf(stats.t.sf(t, 25)), atol=4e-3)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_rejects_what_the_step_down_definition_rejects(values: list[float]) -> None:
    p = np.array(values)
    expected = np.zeros(len(p), dtype=bool)
    for step, index in enumerate(np.argsort(p, kind="stable")):
        if p[index] > 0.05 / (len(p) - step):
            break
        expected[index] = True
    assert np.array_equal(holm(p, 0.05), expected)


def test_holm_of_nothing_is_nothing() -> None:
    assert holm(np.zeros(0), 0.05).shape == (0,)
