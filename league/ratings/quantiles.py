"""The few distribution functions the league needs, vectorised, so that scipy is no dependency.

Normal and Student t only, and Holm's correction; nothing here knows about bots.
"""

from statistics import NormalDist

import numpy as np

from league.arrays import Flags, Floats

_STANDARD = NormalDist()

# Chebyshev coefficients of erfc(x) * exp(x * x) in t = 2 / (2 + x); relative error below 1.2e-7.
_ERFC = (
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806,
    0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277,
)  # fmt: skip


def normal_quantile(p: float) -> float:
    """The z below which a standard normal value falls with probability p."""
    return _STANDARD.inv_cdf(p)


def normal_tail(z: Floats) -> Floats:
    """P(Z > z) for a standard normal Z, with a small relative error far out in the tail too."""
    x = np.abs(np.asarray(z, dtype=np.float64)) / np.sqrt(2.0)
    t = 2.0 / (2.0 + x)
    series = np.zeros_like(t)
    for coefficient in reversed(_ERFC):
        series = series * t + coefficient
    # The series itself is taken at t, so that erfc(x) = t * exp(-x^2 + series(t)).
    upper = 0.5 * t * np.exp(-x * x + series)
    result: Floats = np.where(np.asarray(z) >= 0, upper, 1.0 - upper)
    return result


def t_as_z(t: Floats, freedom: Floats) -> Floats:
    """The normal value with the tail of a t value (Wallace 1959; error below 0.003 from 10 on)."""
    shrink = (8 * freedom + 1) / (8 * freedom + 3)
    z: Floats = np.sign(t) * shrink * np.sqrt(freedom * np.log1p(np.square(t) / freedom))
    return z


def z_as_t(z: float, freedom: Floats) -> Floats:
    """The t quantile that belongs to a normal quantile; the inverse of `t_as_z`."""
    stretch = z * (8 * freedom + 3) / (8 * freedom + 1)
    t: Floats = np.sign(z) * np.sqrt(freedom * np.expm1(np.minimum(stretch**2 / freedom, 700.0)))
    return t


def two_sided(z: Floats) -> Floats:
    """The p-value of a two-sided test."""
    p: Floats = np.minimum(1.0, 2.0 * normal_tail(np.abs(z)))
    return p


def holm(p: Floats, level: float) -> Flags:
    """Which of the hypotheses Holm's step-down procedure rejects, all together at `level`."""
    flat = np.asarray(p, dtype=np.float64).ravel()
    rejected = np.zeros(flat.shape, dtype=np.bool_)
    order = np.argsort(flat, kind="stable")
    limits = level / (len(flat) - np.arange(len(flat)))
    passed = flat[order] <= limits
    stop = len(flat) if bool(passed.all()) else int(np.argmin(passed))
    rejected[order[:stop]] = True
    return rejected.reshape(np.shape(p))
