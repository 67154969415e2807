"""Near-even tables by greedy filling and improving swaps, for sizes without an exact design.

Works on bot numbers; deterministic from its random generator; vectorised over all swaps of a bot.
"""

from dataclasses import dataclass

import numpy as np

from league.arrays import Flags, Floats, Ints

_NEVER = 1e6
"""Cost of a meeting that must not happen: the same owner, or a bot with itself."""
EMPTY = -1


@dataclass(slots=True)
class Draft:
    """Tables under construction."""

    tables: Ints
    """[table, seat]: a bot or EMPTY."""
    met: Ints
    """[i, j]: how often these two meet."""
    allowed: Flags
    """[i, j]: may these two share a table?"""
    middle: float
    """Meetings that every pair should have: the mean of the first tables."""

    @classmethod
    def of(cls, tables: Ints, allowed: Flags) -> "Draft":
        """Count the meetings of given tables."""
        n = len(allowed)
        met = np.zeros((n, n), dtype=np.int64)
        for a in range(tables.shape[1]):
            for b in range(tables.shape[1]):
                if a != b:
                    first, second = tables[:, a], tables[:, b]
                    here = (first >= 0) & (second >= 0)
                    np.add.at(met, (first[here], second[here]), 1)
        middle = float(met[allowed].mean()) if bool(allowed.any()) else 0.0
        return cls(tables=tables, met=met, allowed=allowed, middle=middle)

    def spread(self) -> int:
        """Largest minus smallest number of meetings over the pairs that may meet."""
        counts = self.met[self.allowed]
        return int(counts.max() - counts.min()) if len(counts) else 0


def greedy(owner: Ints, k: int, tables: int, rng: np.random.Generator) -> Ints:
    """Fill tables one by one with the least-played bots that have met the table least.

    A seat stays empty when no bot may sit there without playing two more than another.
    """
    n = len(owner)
    met = np.zeros((n, n), dtype=np.int64)
    plays = np.zeros(n, dtype=np.int64)
    rows = np.full((tables, k), EMPTY, dtype=np.int64)
    for t in range(tables):
        seated: list[int] = []
        cost = rng.random(n) * 0.5
        free = np.ones(n, dtype=np.bool_)
        while len(seated) < k:
            open_ = _open(plays, free, seated, owner, k)
            if not open_.any():
                break
            bot = int(np.argmin(np.where(open_, cost, np.inf)))
            seated.append(bot)
            free &= owner != owner[bot]
            cost = cost + 2 * met[bot] + 1
        rows[t, : len(seated)] = seated
        plays[seated] += 1
        met[np.ix_(seated, seated)] += 1
    return rows


def _open(plays: Ints, free: Flags, seated: list[int], owner: Ints, k: int) -> Flags:
    """The bots that may take the next seat: the least-played, and the most urgent of those."""
    least = int(plays.min())
    waiting = plays == least
    waiting[seated] = False
    if not waiting.any():
        following: Flags = free & (plays == least + 1)
        return following
    # An owner with many waiting bots needs one seat at each of the coming tables, or they queue up
    # and play with anchor bots in the end.
    queue = np.bincount(owner[waiting], minlength=int(owner.max()) + 1)
    tables_left = -(-(int(waiting.sum()) + len(seated)) // k)
    able: Flags = free & waiting
    urgent: Flags = able & (queue[owner] >= tables_left)
    return urgent if bool(urgent.any()) else able


def improve(draft: Draft, rng: np.random.Generator, *, goal: int, effort: int) -> None:
    """Swap bots between tables until the meetings differ by at most `goal`, or effort is spent."""
    best, spread = draft.tables.copy(), draft.spread()
    heat = 0.0
    for _ in range(effort):
        if spread <= goal or not draft.allowed.any():
            break
        up, down = _prices(draft)
        t, s = _choose(draft, rng)
        moved = _swap(draft, t, s, up, down, rng, heat)
        # Cold while it gets better; warmer with every seat that finds no better swap.
        heat = 0.0 if moved else min(heat + 0.05, 2.0)
        now = draft.spread()
        if now < spread:
            best, spread = draft.tables.copy(), now
    restored = Draft.of(best, draft.allowed)
    draft.tables, draft.met = restored.tables, restored.met


def _prices(draft: Draft) -> tuple[Floats, Floats]:
    """What one more and one fewer meeting of each pair costs: the fourth power fears extremes."""
    apart = draft.met - draft.middle
    up = np.where(draft.allowed, (apart + 1) ** 4 - apart**4, _NEVER)
    down = np.where(draft.allowed, (apart - 1) ** 4 - apart**4, 0.0)
    return up, down


def _choose(draft: Draft, rng: np.random.Generator) -> tuple[int, int]:
    """A seat to improve: of a pair that meets most often, or of a bot that misses another."""
    counts = draft.met[draft.allowed]
    high, low = int(counts.max()), int(counts.min())
    wanted = high if rng.random() < 0.5 else low
    first, second = np.nonzero((draft.met == wanted) & draft.allowed)
    pick = int(rng.integers(len(first)))
    a, b = int(first[pick]), int(second[pick])
    mine = draft.tables == a
    here = mine.any(axis=1)
    if wanted == high:
        here &= (draft.tables == b).any(axis=1)
    options = np.flatnonzero(here)
    if not len(options):
        options = np.flatnonzero((draft.tables >= 0).any(axis=1))
        t = int(options[rng.integers(len(options))])
        return t, int(np.argmax(draft.tables[t] >= 0))
    t = int(options[rng.integers(len(options))])
    return t, int(np.argmax(mine[t]))


def _changes(draft: Draft, t: int, s: int, up: Floats, down: Floats) -> Floats:
    """[table, seat]: what swapping the bot at (t, s) with the one there adds to the cost.

    The bot may also move to an empty seat where it meets as many bots: plays stay the same.
    """
    tables, a = draft.tables, int(draft.tables[t, s])
    rest = np.delete(tables[t], s)
    rest = rest[rest >= 0]
    seated = tables >= 0
    who = np.where(seated, tables, 0)
    # A third bot that sits at both tables meets the same bots before and after: no change.
    common = np.isin(tables, rest)
    both = who[:, :, None], who[:, None, :]
    parts = np.where(common[:, None, :], -up[both], down[both])
    parts *= seated[:, :, None] & seated[:, None, :] & ~np.eye(tables.shape[1], dtype=np.bool_)
    joins = np.where(common, -down[a][who], up[a][who]) * seated
    change: Floats = (
        float(down[a, rest].sum())
        + up[:, rest].sum(axis=1)[who] * seated
        + parts.sum(axis=2)
        + joins.sum(axis=1, keepdims=True)
        - joins
    )
    change[seated & (who == a)] = np.inf
    change[~seated & (seated.sum(axis=1) < len(rest))[:, None]] = np.inf
    change[t] = np.inf
    return change


def _swap(
    draft: Draft,
    t: int,
    s: int,
    up: Floats,
    down: Floats,
    rng: np.random.Generator,
    heat: float,
) -> bool:
    """Make the best swap of the bot at (t, s); with heat, one that makes things a little worse."""
    change = _changes(draft, t, s, up, down)
    noisy = change + (rng.exponential(heat, change.shape) if heat else 0.0)
    best = float(noisy.min())
    ties = np.argwhere(noisy <= best + 1e-9)
    u, v = (int(x) for x in ties[rng.integers(len(ties))])
    cost = float(change[u, v])
    if cost >= _NEVER / 2 or cost > 4 * heat + 1e-9:
        return False
    _exchange(draft, t, s, u, v)
    return cost < -1e-9


def _exchange(draft: Draft, t: int, s: int, u: int, v: int) -> None:
    a, b = int(draft.tables[t, s]), int(draft.tables[u, v])
    for table, leaving, joining in ((t, a, b), (u, b, a)):
        row = draft.tables[table]
        others = row[(row >= 0) & (row != leaving)]
        for bot, more in ((leaving, -1), (joining, 1)):
            if bot != EMPTY:
                draft.met[bot, others] += more
                draft.met[others, bot] += more
    draft.tables[t, s], draft.tables[u, v] = b, a
