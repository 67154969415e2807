"""What the league costs around a match: scheduling, storing, planning, standings, queue rates.

Run `python -m bench.league` (minutes) or with `--small`. Without BULLRING_REDIS_URL and
BULLRING_DATABASE_URL (an empty PostgreSQL database) only the embedded form is measured.
"""

import argparse
import asyncio
import os
import resource
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa
from rich.console import Console
from rich.table import Table

import store
from league import broker, clockwork, drafts, freezing, rating, seasons
from league.boundary import Stage
from league.drafts import SeasonPlan
from league.outcome import TableBot
from league.play import Player
from league.settings import LeagueSettings
from league.wiring import make_worker, open_store
from league.worker import Worker
from referee.plan import MatchPlan
from referee.result import BotRecord, GameRecord, MatchResult
from store import MatchKind, SeasonState, Store

OWNER = "the benchmark"


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


class Timed:
    """A stage that notes how long the matches alone take, by the wall and by the processor."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.runner = stage.runner
        self.seconds = 0.0
        self.cpu = 0.0

    async def play(
        self,
        plan: MatchPlan,
        bots: Sequence[TableBot],
        on_event: Callable[[dict[str, Any]], None] | None,
    ) -> MatchResult:
        """Play, and add the time."""
        started, used = time.perf_counter(), time.process_time()
        try:
            return await self._stage.play(plan, bots, on_event)
        finally:
            self.seconds += time.perf_counter() - started
            self.cpu += time.process_time() - used


class Instant:
    """A stage on which every match is over at once, for what happens around it."""

    runner = "instant"

    async def play(
        self,
        plan: MatchPlan,
        bots: Sequence[TableBot],
        on_event: Callable[[dict[str, Any]], None] | None,
    ) -> MatchResult:
        """A result without a game having been played."""
        await asyncio.sleep(0)
        k = len(bots)
        games = tuple(
            GameRecord(
                pass_no=number,
                game_no=game.game_no,
                board=game.board,
                seats=game.seats,
                points=tuple(range(k)),
                places=tuple(range(1, k + 1)),
                out=(False,) * k,
                rounds=1,
                replay={"game": game.game_no},
            )
            for number, games in enumerate(plan.passes)
            for game in games
        )
        bot = BotRecord(
            asks=10, timeouts=0, median_ms=1.0, worst_ms=2.0, think_s=0.01, faults=(), log=""
        )
        return MatchResult(
            games=games, bots=(bot,) * k, complete=True, decisions=10, wall_s=0.0, lag_ms=0.0
        )


def season(database: Store, plan: SeasonPlan, bots: Sequence[str]) -> int:
    """A running season."""
    with database.write() as session:
        made = drafts.create(session, plan, OWNER)
        for bot in bots:
            seasons.enter(session, made.id, bot, OWNER)
        for step in (seasons.open_entries, freezing.freeze, seasons.start):
            step(session, made.id, OWNER)
    return made.id


def overhead(folder: Path, sizes: Sizes) -> Iterator[Row]:
    """Real matches with real bots; what the worker adds is timed in the same run."""
    settings = LeagueSettings(data_dir=folder)
    database = open_store(settings)
    plan = SeasonPlan(name="overhead", rules="six-nimmt", boards=sizes.boards, meetings=20)
    bots = [f"house/{name}" for name in ("random", "lowest", "highest", "gap")]
    season(database, plan, bots)
    stage = Timed(make_worker(settings, database).stage)
    player = Player(database, settings, stage, "bench", threading.Event())
    app = broker.make_app(settings)
    children = _children()
    started, used = time.perf_counter(), time.process_time()
    played = 0
    while played < sizes.matches:
        due = clockwork.tick(database, settings)
        broker.ring(app, due)
        for bell in due.matches:
            player.play(bell.match_id)
            played += 1
    wall = time.perf_counter() - started - stage.seconds
    cpu = time.process_time() - used - stage.cpu
    alone = stage.cpu + _children() - children
    yield Row(
        what=f"a match of {sizes.boards} boards, alone",
        value=f"{1000 * stage.seconds / played:.0f} ms",
        note=f"CPU of referee and bots {1000 * alone / played:.0f} ms",
    )
    yield Row(
        what="scheduling and storing it",
        value=f"{1000 * wall / played:.1f} ms",
        note=f"{100 * wall / stage.seconds:.1f} % of the time, CPU {1000 * cpu / played:.1f} ms, "
        f"{100 * cpu / alone:.1f} %",
    )


def _children() -> float:
    """CPU seconds of all processes that this one has started and seen end."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def crowd(database: Store, count: int) -> list[str]:
    """Many bots, each of an owner of its own."""
    names = []
    with database.write() as session:
        for number in range(count):
            owner = store.accounts.add_owner(session, f"owner{number}")
            bot = store.bots.add_bot(session, owner.id, "bot", ["six-nimmt"])
            version = store.bots.add_version(session, bot.id, program=["sample:random"])
            store.bots.accept_version(session, version.id)
            names.append(f"owner{number}/bot")
    return names


def planning(folder: Path, sizes: Sizes) -> Iterator[Row]:
    """The freeze of a large season, from entries to committed keys."""
    database = open_store(LeagueSettings(data_dir=folder))
    names = crowd(database, sizes.planned)
    with database.write() as session:
        made = drafts.create(session, SeasonPlan(name="large", rules="six-nimmt"), OWNER)
        for name in names:
            seasons.enter(session, made.id, name, OWNER)
        seasons.open_entries(session, made.id, OWNER)
    started, used = time.perf_counter(), time.process_time()
    with database.write() as session:
        freezing.freeze(session, made.id, OWNER)
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
        made = drafts.create(session, SeasonPlan(name="wide", rules="six-nimmt"), OWNER)
        ladder_id = store.seasons.ladder_of(session, made.id).id
        found = [store.bots.find_bot(session, name) for name in names]
        versions = [store.bots.versions(session, bot.id)[0].id for bot in found if bot is not None]
    fill_blocks(database, made.id, ladder_id, versions, sizes.blocks)
    started, used = time.perf_counter(), time.process_time()
    rating.refresh(database, ladder_id)
    taken, cpu = time.perf_counter() - started, time.process_time() - used
    yield Row(
        what=f"table of {sizes.bots} bots, {sizes.blocks} blocks",
        value=f"{taken:.1f} s",
        note=f"CPU {cpu:.1f} s",
    )
    started = time.perf_counter()
    with database.read() as session:
        rating.stale(session)
    yield Row(
        what="finding that it is up to date",
        value=f"{1000 * (time.perf_counter() - started):.1f} ms",
    )


def fill_blocks(
    database: Store, season_id: int, ladder_id: int, versions: list[int], blocks: int
) -> None:
    """Done matches of 25 blocks each, with random results."""
    rng = np.random.default_rng(1)
    per_match = 25
    new = []
    for _ in range(blocks // per_match):
        member = rng.choice(versions, 4, replace=False)
        new.append(
            store.NewMatch(
                kind=MatchKind.SEASON,
                rules="six-nimmt",
                options={},
                versions=tuple(int(one) for one in member),
                boards=100,
                passes=1,
                key=secrets.token_bytes(32),
                time={},
                season_id=season_id,
                ladder_id=ladder_id,
                round_no=0,
            )
        )
    with database.write() as session:
        ids = store.matches.plan(session, new)
        session.execute(
            sa.update(store.Match).values(
                state=store.MatchState.DONE, finished_at=store.database_time(session)
            )
        )
        now = store.database_time(session)
        for match_id, one in zip(ids, new, strict=True):
            rows = []
            for number in range(per_match):
                points = rng.integers(0, 30, (4, 4))
                places = points.argsort(axis=1).argsort(axis=1) + 1
                games = [
                    [p.tolist(), q.tolist(), [], 1] for p, q in zip(places, points, strict=True)
                ]
                rows.append(
                    {
                        "match_id": match_id,
                        "number": number,
                        "ladder_id": ladder_id,
                        "versions": list(one.versions),
                        "games": games,
                        "at": now,
                    }
                )
            session.execute(sa.insert(store.Block), rows)


def rates(folder: Path, sizes: Sizes, workers: int, *, scaled: bool) -> Iterator[Row]:
    """Matches a second through queue, claim and storing, when playing costs nothing."""
    where = "Redis + PostgreSQL" if scaled else "embedded"
    settings = LeagueSettings(
        data_dir=folder, slots=1 if scaled else workers, tick_seconds=1.0, stale_seconds=5.0
    )
    if not scaled:
        settings = settings.model_copy(update={"redis_url": None, "database_url": None})
    database = open_store(settings)
    names = [f"house/{name}" for name in ("random", "lowest", "highest", "gap", "leastcost")]
    plan = SeasonPlan(
        name=f"rate-{secrets.token_hex(4)}",
        rules="six-nimmt",
        options={"rounds": 1},
        table_size=2,
        boards=2,
        duplicate=False,
        meetings=max(1, sizes.queued // 10),
    )
    season_id = season(database, plan, names)
    with database.write() as session:
        first = time.perf_counter()
        bells = store.matches.enqueue(session, limit=sizes.queued // 2, season_id=season_id)
    enqueued = len(bells) / (time.perf_counter() - first)
    app = broker.make_app(settings)
    first = time.perf_counter()
    broker.ring(app, clockwork.Due(matches=tuple(bells), submissions=()))
    rung = len(bells) / (time.perf_counter() - first)
    rate = drained(database, settings, season_id, workers, scaled=scaled)
    yield Row(what=f"{where}: enqueue", value=f"{enqueued:.0f} a second", note=f"ring {rung:.0f}")
    yield Row(
        what=f"{where}: claim, play nothing, store; {workers} workers", value=f"{rate:.0f} a second"
    )


def drained(
    database: Store, settings: LeagueSettings, season_id: int, workers: int, *, scaled: bool
) -> float:
    """Matches a second from the first result to the last."""
    with working(database, settings, workers, scaled=scaled):
        while _done(database, season_id) < 1:
            time.sleep(0.01)
        first, began = _done(database, season_id), time.perf_counter()
        while True:
            time.sleep(0.1)
            with database.read() as session:
                if store.seasons.season(session, season_id).state is SeasonState.FINISHED:
                    break
        taken = time.perf_counter() - began
    return (_done(database, season_id) - first) / taken


def _done(database: Store, season_id: int) -> int:
    with database.read() as session:
        return store.seasons.progress(session, season_id).done


@contextmanager
def working(
    database: Store, settings: LeagueSettings, workers: int, *, scaled: bool
) -> Iterator[None]:
    """Workers on the instant stage: threads of this process, or processes."""
    if not scaled:
        worker = Worker(settings, database, Instant(), check=lambda _: None)
        worker.start()
        yield
        worker.stop()
        return
    command = [sys.executable, "-m", "bench.league", "--worker", str(settings.data_dir)]
    # One of them keeps the clockwork going, as in a league of many machines.
    running = [subprocess.Popen([*command, "--no-clock"]) for _ in range(workers - 1)]
    running.append(subprocess.Popen(command))
    try:
        yield
    finally:
        for process in running:
            process.send_signal(signal.SIGTERM)
        for process in running:
            process.wait()


def serve(folder: Path, *, clock: bool) -> None:
    """What a worker process of this benchmark does."""
    settings = LeagueSettings(data_dir=folder, slots=1, tick_seconds=1.0, stale_seconds=5.0)
    database = open_store(settings)
    worker = Worker(settings, database, Instant(), check=lambda _: None, clock=clock)
    asked = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: asked.set())
    worker.start()
    asked.wait()
    worker.stop()


def main() -> None:
    """Measure everything and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--no-clock", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker is not None:
        serve(arguments.worker, clock=not arguments.no_clock)
        return
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
            yield from overhead(folder / "overhead", sizes)
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
