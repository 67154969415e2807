"""Cyclic schedules: a few base tables, each moved round the ring of all bots.

Two bots then meet as often as the difference of their numbers occurs inside the base tables, so
evening out n - 1 differences evens out all n (n - 1) / 2 pairs. Needs tables in multiples of n.
"""

import numpy as np

from league.arrays import Ints


def cyclic(
    n: int, k: int, bases: int, rng: np.random.Generator, *, goal: int, effort: int
) -> list[list[int]] | None:
    """All n translates of `bases` tables of k, with meetings within `goal`; None if not found."""
    base = np.stack([rng.choice(n, k, replace=False) for _ in range(bases)]).astype(np.int64)
    for _ in range(effort):
        counts = _differences(base, n)
        if int(np.ptp(counts[1:])) <= goal:
            return [[int(x) for x in (row + move) % n] for row in base for move in range(n)]
        _step(base, counts, n, rng)
    return None


def _differences(base: Ints, n: int) -> Ints:
    gaps = (base[:, :, None] - base[:, None, :]) % n
    return np.bincount(gaps.ravel(), minlength=n).astype(np.int64)


def _step(base: Ints, counts: Ints, n: int, rng: np.random.Generator) -> None:
    """Replace one number of one base table by the one that evens the differences best."""
    t, s = int(rng.integers(base.shape[0])), int(rng.integers(base.shape[1]))
    rest = np.delete(base[t], s)
    freed = counts.copy()
    for gap in (base[t, s] - rest) % n:
        freed[gap] -= 1
        freed[-gap % n] -= 1
    # A difference and its opposite are always equally frequent, so one of the two tells.
    extra = freed - freed[1:].mean()
    price = (extra + 1) ** 4 - extra**4
    cost = price[(np.arange(n)[:, None] - rest[None, :]) % n].sum(axis=1)
    cost[rest] = np.inf
    cost[base[t, s]] += 1e-6
    # Some noise lets the search leave a hollow.
    noise = rng.exponential(float(rng.choice([0.0, 1.0, 4.0])) + 1e-9, n)
    base[t, s] = int(np.argmin(cost + noise))
