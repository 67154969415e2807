"""How fast the league thinks: planning, ratings, standings, matchmaking, without any I/O.

Run `python -m bench.league_pure` (a minute) or with `--small` (seconds). CPU seconds, best of two.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.options import described
from league.ladder.draw import draw_tables, make_roster
from league.ladder.entrants import LadderBot, LadderSettings
from league.ratings import Block, BlockGame
from league.ratings.blocks import collect, from_arrays
from league.ratings.company import even_design
from league.ratings.elo import EloState, live
from league.ratings.official import fit
from league.ratings.standings import make_standings
from league.schedule import Entrant, make_schedule

TABLES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How large the league of the benchmark is."""

    planned: int
    bots: int
    blocks: int


def measure(work: Callable[[], object]) -> float:
    """CPU seconds of the faster of two runs."""
    taken: list[float] = []
    for _ in range(2):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return min(taken)


def season(sizes: Sizes) -> list[Block]:
    """Random tables of four; a bot's time is exponential with a rate of its own."""
    rng = np.random.default_rng(1)
    theta = rng.normal(0, 0.4, sizes.bots)
    names = [f"bot{i:04}" for i in range(sizes.bots)]
    rows = []
    for order in range(sizes.blocks):
        member = rng.choice(sizes.bots, 4, replace=False)
        drawn = rng.exponential(size=(4, 4)) / np.exp(theta[member])
        places = drawn.argsort(axis=1).argsort(axis=1) + 1
        points = np.round(10 * drawn).astype(int)
        games = tuple(
            BlockGame(places=tuple(p.tolist()), points=tuple(q.tolist()))
            for p, q in zip(places, points, strict=True)
        )
        rows.append(Block(order=order, table=tuple(names[i] for i in member), games=games))
    return rows


def planning(sizes: Sizes) -> list[tuple[str, float, str]]:
    """Plan seasons of many bots at several table sizes."""
    field = [Entrant(bot=f"b{i}", owner=f"o{i}") for i in range(sizes.planned)]
    found: list[tuple[str, float, str]] = []
    for k, meetings in ((2, 1), (4, 1), (4, 3), (10, 3)):
        schedule = make_schedule(field, k, meetings=meetings)
        report = schedule.report
        seconds = measure(partial(make_schedule, field, k, meetings=meetings))
        result = f"{report.tables} tables, meetings {report.pairs_min}..{report.pairs_max}"
        found.append(
            (f"plan {sizes.planned} bots, tables of {k}, meet {meetings}", seconds, result)
        )
    return found


def rating(sizes: Sizes) -> list[tuple[str, float, str]]:
    """Rate and rank one large season."""
    rows = season(sizes)
    columns = collect(rows)
    states: dict[str, EloState] = live(rows).states
    many = f"{sizes.bots} bots, {sizes.blocks} blocks"
    places = np.array([[game.places for game in row.games] for row in rows])
    points = np.array([[game.points for game in row.games] for row in rows])
    arrays = (columns.bots, columns.order, columns.member, places, points, columns.rounds)
    return [
        (f"rows to columns, {many}", measure(lambda: collect(rows)), ""),
        (f"arrays to columns, {many}", measure(lambda: from_arrays(*arrays)), ""),
        (f"live Elo, {many}", measure(lambda: live(rows)), ""),
        (f"weights of the even design, {many}", measure(lambda: even_design(columns)), ""),
        (
            f"official rating, {many}",
            measure(lambda: fit(columns, design=even_design(columns))),
            "",
        ),
        (
            f"standings from columns, {many}",
            measure(lambda: make_standings(columns, live=states)),
            "",
        ),
    ]


def ladder(sizes: Sizes) -> list[tuple[str, float, str]]:
    """Draw tables for a large ladder: what is computed when something changed, and at each turn."""
    count = 10 * sizes.bots
    bots = [
        LadderBot(bot=f"b{i}", owner=f"o{i}", elo=1500.0 + i, deviation=12.0, games=i)
        for i in range(count)
    ]
    roster = make_roster(bots)
    idle, flying = [float(i % 900) for i in range(count)], [0] * count
    turn = partial(
        draw_tables, roster, idle, flying, seed=1, settings=LadderSettings(), meetings={}
    )
    first, all_ = measure(lambda: turn(count=1)), measure(lambda: turn(count=TABLES + 1))
    each = (all_ - first) / TABLES
    return [
        (f"who can be drawn, {count} bots", measure(lambda: make_roster(bots)), ""),
        (f"the first table of a turn, {count} bots", first, f"{1000 * first:.1f} ms"),
        (f"{TABLES} further tables, {count} bots", all_ - first, f"{1e6 * each:.0f} µs each"),
    ]


def main() -> None:
    """Measure and print one table."""
    parser = described(__doc__)
    parser.add_argument("--small", action="store_true", help="a tenth of the size")
    small = parser.parse_args().small
    sizes = (
        Sizes(planned=40, bots=100, blocks=5_000)
        if small
        else Sizes(planned=200, bots=1_000, blocks=100_000)
    )
    table = Table("what", "CPU s", "result", title="league, pure parts")
    for name, seconds, result in (*planning(sizes), *rating(sizes), *ladder(sizes)):
        table.add_row(name, f"{seconds:.2f}", result)
    Console().print(table)


if __name__ == "__main__":
    main()
