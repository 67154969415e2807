"""Round-robin seasons over tables of k: who meets whom, balanced, with the proof of it.

Exact designs where they exist (`designs`), else a search; the same seed, the same plan.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, gcd

import numpy as np

from league.arrays import Flags, Ints
from league.schedule.balance import BalanceReport, count_balance
from league.schedule.cyclic import cyclic
from league.schedule.designs import affine_plane, circle, has_plane
from league.schedule.search import EMPTY, Draft, greedy, improve
from league.schedule.seats import seat

LARGEST_TABLE = 10
PROMISED_SPREAD = 2
"""Meetings of two pairs never differ by more (design: max - min <= 2)."""
_SEARCH_STEPS = 3000
_CYCLIC_STEPS = 1500
_POLISH_STEPS = 600
_POLISH_SEATS = 1500
"""Schedules above this many seats are not polished below the promise: it would take minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """A bot that plays the season, and its owner."""

    bot: str
    owner: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTable:
    """One match of the season: who sits where in its first game."""

    number: int
    """From 0, in the order of play."""
    round_no: int
    """From 0; no bot plays twice in one round."""
    seats: tuple[str, ...]
    anchors: tuple[str, ...] = ()
    """Those of `seats` that only fill the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """All matches of a season and how balanced they are."""

    tables: tuple[PlannedTable, ...]
    report: BalanceReport


def make_schedule(
    entrants: Sequence[Entrant],
    k: int,
    *,
    meetings: int = 1,
    tables: int | None = None,
    anchors: Sequence[str] = (),
    seed: int = 0,
) -> Schedule:
    """Plan a season in which every two bots meet about `meetings` times at tables of k.

    Bots of one owner never share a table. Empty seats are filled with `anchors`. The order of
    `entrants` does not matter. `tables` overrides the number that `meetings` asks for.
    """
    _check(entrants, k, meetings, tables, anchors)
    rng = np.random.default_rng(seed)
    by_id = sorted(entrants, key=lambda entrant: entrant.bot)
    bots = [by_id[i] for i in rng.permutation(len(by_id))]
    names = sorted({bot.owner for bot in bots})
    owner = np.array([names.index(bot.owner) for bot in bots], dtype=np.int64)
    allowed: Flags = owner[:, None] != owner[None, :]
    rows = _exact(owner, k, meetings, rng) if tables is None else None
    if rows is None:
        rows = _searched(owner, allowed, k, meetings, tables, rng)
        rows = _in_order(rows, len(bots))
    return _finish(rows, [bot.bot for bot in bots], allowed, k, anchors)


def _check(
    entrants: Sequence[Entrant], k: int, meetings: int, tables: int | None, anchors: Sequence[str]
) -> None:
    ids = [entrant.bot for entrant in entrants]
    if not 2 <= k <= LARGEST_TABLE:
        raise ValueError(f"a table has 2 to {LARGEST_TABLE} seats, got {k!r}")
    if len(ids) < 2 or len(set(ids)) != len(ids):
        raise ValueError(
            f"a season needs two or more different bots, got {len(ids)} entries for "
            f"{len(set(ids))} bots; enter more bots, each once"
        )
    if meetings < 1 or (tables is not None and tables < 1):
        raise ValueError(f"meetings {meetings!r} and tables {tables!r} must be 1 or more")
    both = sorted(set(ids) & set(anchors))
    if both:
        raise ValueError(f"got {both!r} as entrants and as anchor bots; name each once")


def _exact(owner: Ints, k: int, meetings: int, rng: np.random.Generator) -> list[list[int]] | None:
    """Circle method or affine plane, when one fits; every pair meets exactly `meetings` times."""
    n = len(owner)
    sizes = np.bincount(owner)
    rows: list[list[int]] = []
    if k == 2 and len(sizes) > 1 and int(sizes.min()) == int(sizes.max()):
        for _ in range(meetings):
            rows += [[a, b] for duels in circle(n) for a, b in duels if owner[a] != owner[b]]
        return rows
    if int(sizes.max()) == 1 and k >= n:
        return [list(range(n)) for _ in range(meetings)]
    if int(sizes.max()) == 1 and has_plane(n, k):
        for _ in range(meetings):
            relabel = rng.permutation(n)
            rows += [[int(relabel[i]) for i in t] for lines in affine_plane(k) for t in lines]
        return rows
    return None


def _table_count(allowed: Flags, k: int, meetings: int) -> int:
    """Enough tables for the meetings, rounded up to equal plays when that costs little."""
    n = len(allowed)
    pairs = int(allowed.sum()) // 2
    base = max(1, -(-meetings * pairs // comb(k, 2)))
    step = n // gcd(n, k)
    even = -(-base // step) * step
    return even if 4 * even <= 5 * base else base


def _searched(
    owner: Ints,
    allowed: Flags,
    k: int,
    meetings: int,
    tables: int | None,
    rng: np.random.Generator,
) -> list[list[int]]:
    """Search; where the promise cannot be had with this many tables, add a few."""
    seats = min(k, len(np.unique(owner)))
    first = tables or _table_count(allowed, max(seats, 2), meetings)
    single = len(np.unique(owner)) == len(owner)
    if single and first % len(owner) == 0:
        bases = first // len(owner)
        for goal in (1, PROMISED_SPREAD):
            even = cyclic(len(owner), k, bases, rng, goal=goal, effort=_CYCLIC_STEPS)
            if even is not None:
                return even
    tried: list[Draft] = []
    for count in [first] if tables else range(first, first + 4):
        draft = Draft.of(greedy(owner, k, count, rng), allowed)
        while not tables and 0 < draft.middle < 0.9 * meetings:
            # Seats stay empty when one owner has many bots: make up for the lost meetings.
            more = int(np.ceil(len(draft.tables) * meetings / draft.middle))
            draft = Draft.of(greedy(owner, k, more, rng), allowed)
        improve(draft, rng, goal=PROMISED_SPREAD, effort=_SEARCH_STEPS)
        tried.append(draft)
        if draft.spread() <= PROMISED_SPREAD or len(np.unique(np.bincount(owner))) > 1:
            break
    best = min(tried, key=lambda one: one.spread())
    if best.tables.size <= _POLISH_SEATS:
        improve(best, rng, goal=1, effort=_POLISH_STEPS)
    rows = [[int(bot) for bot in row if bot != EMPTY] for row in best.tables]
    return [row for row in rows if row]


def _in_order(rows: list[list[int]], n: int) -> list[list[int]]:
    """Order tables so that at any moment of the season the plays are as even as possible."""
    width = max(len(row) for row in rows)
    padded = np.full((len(rows), width), n, dtype=np.int64)
    for number, row in enumerate(rows):
        padded[number, : len(row)] = row
    plays = np.zeros(n + 1)
    left = np.ones(len(rows), dtype=np.bool_)
    ordered: list[list[int]] = []
    for _ in rows:
        lead = np.exp2(np.minimum(plays - plays[:n].min(), 60.0))
        number = int(np.argmin(np.where(left, lead[padded].sum(axis=1), np.inf)))
        left[number] = False
        plays[padded[number]] += 1
        plays[n] = 0.0
        ordered.append(rows[number])
    return ordered


def _finish(
    rows: list[list[int]], bots: list[str], allowed: Flags, k: int, anchors: Sequence[str]
) -> Schedule:
    """Fill with anchors, give seats and rounds, and judge the balance."""
    short = max(k - len(row) for row in rows)
    if short > len(set(anchors)):
        raise ValueError(
            f"a table of {k} stays short of {short} bots, but {len(set(anchors))} anchor bots are "
            f"given; give {short} or more anchor bots, enter bots of more owners, or choose a "
            "smaller table"
        )
    names = [*bots, *anchors]
    used = dict.fromkeys(range(len(bots), len(names)), 0)
    full: list[list[int]] = []
    for row in rows:
        fill = sorted(used, key=lambda a: (used[a], a))[: k - len(row)]
        for a in fill:
            used[a] += 1
        full.append([*row, *fill])
    seated = seat(full, k)
    last = [-1] * len(names)
    planned: list[PlannedTable] = []
    for number, row in enumerate(seated):
        # Anchor bots may play at several tables at once, so they do not hold a round back.
        round_no = 1 + max(last[bot] for bot in row if bot < len(bots))
        for bot in row:
            last[bot] = round_no
        planned.append(
            PlannedTable(
                number=number,
                round_no=round_no,
                seats=tuple(names[bot] for bot in row),
                anchors=tuple(names[bot] for bot in row if bot >= len(bots)),
            )
        )
    return Schedule(tables=tuple(planned), report=count_balance(seated, allowed, k))
