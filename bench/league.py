"""What the league costs around a match: scheduling, storing, planning, standings, queue rates.

Run `python -m bench.league` (minutes) or with `--small`. Without BULLRING_REDIS_URL and
BULLRING_DATABASE_URL (an empty PostgreSQL database) only the embedded form is measured.
"""

import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

import store
from bench import league_archive, league_rates
from bench.leagues import OWNER, crowd, fill_blocks, season
from bench.options import described
from bench.stages import Timed
from league import ratings, seasons, worker
from league.matches import Player
from league.seasons import SeasonPlan
from league.settings import LeagueSettings
from league.wiring import make_worker, open_store
from league.worker import tick


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is measured."""

    boards: int
    matches: int
    """Played for the overhead."""
    planned: int
    bots: int
    blocks: int
    queued: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line of the report."""

    what: str
    value: str
    note: str = ""


LINE_UPS = {
    "that answer at once": ("random", "lowest", "highest", "gap"),
    "that look ahead a little": ("slotrisk", "leastcost", "highest", "gap"),
}


def overhead(folder: Path, sizes: Sizes, bots: str) -> Iterator[Row]:
    """Real matches with real bots; what the worker adds is timed in the same run."""
    settings = LeagueSettings(data_dir=folder)
    database = open_store(settings)
    plan = SeasonPlan(name="overhead", rules="six-nimmt", boards=sizes.boards, meetings=20)
    season(database, plan, [f"house/{name}" for name in LINE_UPS[bots]])
    stage = Timed(make_worker(settings, database).stage)
    player = Player(database, settings, stage, "bench", threading.Event())
    app = worker.make_celery(settings)
    started, used = time.perf_counter(), time.process_time()
    played = 0
    while played < sizes.matches:
        due = tick.tick(database, settings)
        worker.ring(app, due)
        for bell in due.matches:
            player.play(bell.match_id)
            played += 1
    wall = time.perf_counter() - started - stage.seconds
    cpu = time.process_time() - used - stage.cpu
    yield Row(
        what=f"a match of {sizes.boards} boards, alone",
        value=f"{1000 * stage.seconds / played:.0f} ms",
        note=f"four bots {bots}",
    )
    yield Row(
        what="scheduling and storing it",
        value=f"{1000 * wall / played:.1f} ms",
        note=f"{100 * wall / stage.seconds:.1f} % of the time, CPU {1000 * cpu / played:.1f} ms",
    )


def planning(folder: Path, sizes: Sizes) -> Iterator[Row]:
    """The freeze of a large season, from entries to committed keys."""
    database = open_store(LeagueSettings(data_dir=folder))
    names = crowd(database, sizes.planned)
    with database.write() as session:
        made = seasons.create(session, SeasonPlan(name="large", rules="six-nimmt"), OWNER)
        for name in names:
            seasons.enter(session, made.id, name, OWNER)
        seasons.open_entries(session, made.id, OWNER)
    started, used = time.perf_counter(), time.process_time()
    with database.write() as session:
        seasons.freeze_season(session, made.id, OWNER)
    taken, cpu = time.perf_counter() - started, time.process_time() - used
    with database.read() as session:
        total = store.seasons.progress(session, made.id).total
    yield Row(
        what=f"freeze of {sizes.planned} bots",
        value=f"{taken:.1f} s",
        note=f"{total} tables, CPU {cpu:.1f} s",
    )


def table(folder: Path, sizes: Sizes) -> Iterator[Row]:
    """Ratings and standings from the store to the published table."""
    database = open_store(LeagueSettings(data_dir=folder))
    names = crowd(database, sizes.bots)
    with database.write() as session:
        made = seasons.create(session, SeasonPlan(name="wide", rules="six-nimmt"), OWNER)
        ladder_id = store.scales.of_season(session, made.id).id
        found = [store.bots.find_bot(session, name) for name in names]
        versions = [store.bots.versions(session, bot.id)[0].id for bot in found if bot is not None]
    fill_blocks(database, made.id, ladder_id, versions, sizes.blocks)
    started, used = time.perf_counter(), time.process_time()
    ratings.refresh(database, ladder_id)
    taken, cpu = time.perf_counter() - started, time.process_time() - used
    yield Row(
        what=f"table of {sizes.bots} bots, {sizes.blocks} blocks",
        value=f"{taken:.1f} s",
        note=f"CPU {cpu:.1f} s",
    )
    started = time.perf_counter()
    with database.read() as session:
        ratings.stale(session)
    yield Row(
        what="finding that it is up to date",
        value=f"{1000 * (time.perf_counter() - started):.1f} ms",
    )


def at_rest(folder: Path, sizes: Sizes) -> Iterator[Row]:
    """A real match stored as an archive, and as earlier releases did."""
    for what, before, now, ratio in league_archive.told(
        league_archive.compare(folder, sizes.boards)
    ):
        yield Row(what=what, value=now, note=f"before {before}, ratio {ratio}")


def rates(folder: Path, sizes: Sizes, workers: int, *, scaled: bool) -> Iterator[Row]:
    """What goes through the queue."""
    where = "Redis + PostgreSQL" if scaled else "embedded"
    found = league_rates.measure(folder, sizes.queued, workers, scaled=scaled)
    yield Row(
        what=f"{where}: enqueue",
        value=f"{found.enqueued:.0f} a second",
        note=f"ring {found.rung:.0f}",
    )
    yield Row(
        what=f"{where}: claim, play nothing, store; {workers} workers",
        value=f"{found.played:.0f} a second",
    )


def main() -> None:
    """Measure everything and print one table."""
    parser = described(__doc__)
    parser.add_argument("--small", action="store_true", help="less of everything")
    arguments = parser.parse_args()
    sizes = Sizes(boards=100, matches=4, planned=200, bots=1000, blocks=100_000, queued=400)
    if arguments.small:
        sizes = replace(sizes, matches=1, planned=30, bots=50, blocks=1000, queued=60)
    shown = Table(title="The league around its matches")
    for column in ("what", "value", "note"):
        shown.add_column(column)
    scaled = bool(os.environ.get("BULLRING_REDIS_URL") and os.environ.get("BULLRING_DATABASE_URL"))
    for row in measured(sizes, scaled=scaled):
        print(f"{row.what}: {row.value} {row.note}", file=sys.stderr, flush=True)
        shown.add_row(row.what, row.value, row.note)
    Console(width=120).print(shown)


def measured(sizes: Sizes, *, scaled: bool) -> Iterator[Row]:
    """Every measurement in turn, each in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with embedded_only():
            for number, bots in enumerate(LINE_UPS):
                yield from overhead(folder / f"overhead{number}", sizes, bots)
            yield from at_rest(folder / "at rest", sizes)
            yield from planning(folder / "planning", sizes)
            yield from table(folder / "table", sizes)
            for workers in (2, 8):
                yield from rates(folder / f"embedded{workers}", sizes, workers, scaled=False)
        if scaled:
            for workers in (2, 8):
                yield from rates(folder / f"scaled{workers}", sizes, workers, scaled=True)


@contextmanager
def embedded_only() -> Iterator[None]:
    """Without the addresses of Redis and PostgreSQL in the environment."""
    names = ("BULLRING_REDIS_URL", "BULLRING_DATABASE_URL")
    kept = {name: os.environ.pop(name) for name in names if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(kept)


if __name__ == "__main__":
    main()
