"""What 10,000 bots on 1,000 workers would take: measures each cost, then simulates the league.

Run `python -m bench.scale` with BULLRING_DATABASE_URL (an empty PostgreSQL database on this
machine) and BULLRING_REDIS_URL set; `--small` for a first look. docs/scale.md has its results.
"""

import os
import sys

from rich.console import Console
from rich.table import Table

from bench.options import described
from bench.scale_costs import Measured, measure
from bench.scale_model import Costs, Outcome, Plan, simulate

SWEEP = [(10.0, (100, 300, 1000, 3000, 9000)), (60.0, (100, 300, 1000, 3000))]
"""How long a match takes, and on how many workers; the most ask what saturates next."""


def report(measured: Measured, console: Console) -> None:
    """What each act costs."""
    table = Table("act", "own CPU", "database CPU", "statements", "log")
    for name, cost in measured.acts.items():
        table.add_row(
            name,
            f"{1000 * cost.own:.2f} ms",
            f"{1000 * cost.database:.2f} ms",
            f"{cost.statements:.1f}",
            f"{cost.log_bytes / 1024:.1f} KiB",
        )
    console.print(table)
    match = measured.match
    lines = (
        f"A match: {match.cpu:.1f} s CPU of referee and bots, its replay",
        f"{match.replay_bytes / 1024:.0f} KiB, its rows {measured.row_bytes / 1024:.1f} KiB.",
        f"A bell: {1e6 * measured.bell:.0f} µs of Redis.",
        f"A replay taken in: {1000 * measured.file:.2f} ms.",
    )
    console.print(" ".join(lines))


def day(measured: Measured, out: Outcome) -> str:
    """What a day of this adds to the disks."""
    matches = out.matches / out.seconds * 86_400
    replays, rows = matches * measured.match.replay_bytes, matches * measured.row_bytes
    return f"{matches:,.0f} matches, replays {replays / 1e9:.0f} GB, rows {rows / 1e9:.1f} GB"


def sweep(measured: Measured, costs: Costs, console: Console) -> None:
    """The same league with more and more workers."""
    table = Table("workers", "match", "matches/s", "idle slots", "database", "clock", "Redis",
                  "files", "fullest", "p99 wait", "a day")  # fmt: skip
    for seconds, fleet in SWEEP:
        for workers in fleet:
            plan = Plan(workers=workers, match_seconds=seconds)
            out = simulate(plan, costs)
            load = {one.name: f"{one.load(plan.seconds):.0%}" for one in out.stations}
            table.add_row(
                f"{workers:,}", f"{seconds:.0f} s", f"{out.matches / plan.seconds:.1f}",
                f"{out.idle:.0%}", load["database"], load["clock"], load["Redis"],
                load["file service"], out.fullest.name, f"{out.fullest.late():.2f} s",
                day(measured, out),
            )  # fmt: skip
    console.print(table)


def main() -> None:
    """The command line of this benchmark."""
    parser = described(__doc__)
    parser.add_argument("--small", action="store_true", help="500 bots, 20 matches")
    options = parser.parse_args()
    url = os.environ.pop("BULLRING_DATABASE_URL", "")
    redis_url = os.environ.pop("BULLRING_REDIS_URL", "")
    if not url or not redis_url:
        sys.exit("bench.scale: set BULLRING_DATABASE_URL and BULLRING_REDIS_URL; see --help")
    bots, matches = (500, 20) if options.small else (10_000, 200)
    boards = 8 if options.small else 100
    measured = measure(url, redis_url, bots=bots, matches=matches, boards=boards)
    console = Console(width=200)
    report(measured, console)
    sweep(measured, measured.costs(), console)


if __name__ == "__main__":
    main()
