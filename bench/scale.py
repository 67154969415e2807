"""What 10,000 bots on 1,000 workers would take: measures each cost, then simulates the league.

Run `python -m bench.scale` with BULLRING_DATABASE_URL (an empty PostgreSQL database on this
machine) and BULLRING_REDIS_URL set; `--small` for a first look. docs/scale.md has its results.
"""

import argparse
import os
import secrets
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import redis
import sqlalchemy as sa
from rich.console import Console
from rich.table import Table

import store
from bench.league import Instant, season
from bench.scale_model import Costs, Outcome, Plan, simulate
from league import broker, clockwork, ladder, ladder_tables
from league.drafts import SeasonPlan
from league.ladder import LadderPlan
from league.outcome import TableBot, outcome_of, plan_of
from league.play import Player
from league.settings import LeagueSettings
from league.wiring import make_worker, open_store
from store import Blobs, Doorbell, Store

TICKS = os.sysconf("SC_CLK_TCK")
HOUSE = [f"house/{name}" for name in ("random", "lowest", "highest", "gap")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one act costs, averaged."""

    own: float
    """CPU seconds of the process that acts."""
    database: float
    """CPU seconds of PostgreSQL's process for it."""
    statements: float
    log_bytes: float
    """What PostgreSQL writes to its log, and so to disk and to replicas."""


class Meter:
    """Counts what happens on the one connection that the benchmark uses."""

    def __init__(self, database: Store) -> None:
        self._database = database
        self._statements = 0
        sa.event.listen(database.engine, "before_cursor_execute", self._on_statement)
        with database.engine.connect() as connection:
            self._pid = connection.execute(sa.text("SELECT pg_backend_pid()")).scalar_one()

    def _on_statement(self, *_: object) -> None:
        self._statements += 1

    def _backend(self) -> float:
        fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def _log(self) -> int:
        query = sa.text("SELECT pg_current_wal_insert_lsn() - '0/0'")
        with self._database.engine.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def measure(self, act: Callable[[], object], times: int = 1) -> Cost:
        """The cost of `act`, which does it `times` times."""
        log = self._log()
        self._statements = 0
        backend, own = self._backend(), time.process_time()
        act()
        own, backend = time.process_time() - own, self._backend() - backend
        statements = self._statements
        return Cost(
            own=own / times,
            database=backend / times,
            statements=statements / times,
            log_bytes=(self._log() - log) / times,
        )


def fill_with_bots(database: Store, count: int) -> None:
    """So many bots, each of an owner of its own."""
    with database.write() as session:
        owners = [store.Owner(handle=f"owner{number}") for number in range(count)]
        session.add_all(owners)
        session.flush()
        bots = [
            store.Bot(owner_id=owner.id, name="bot", rules=["six-nimmt"], current_version=1)
            for owner in owners
        ]
        session.add_all(bots)
        session.flush()
        session.add_all(
            store.Version(
                bot_id=bot.id,
                number=1,
                program=["sample:random"],
                fingerprint=f"f{bot.id}",
                state=store.VersionState.ACCEPTED,
                accepted_at=store.utc_now(),
            )
            for bot in bots
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What a real match of 100 boards takes."""

    cpu: float
    replay_bytes: int


def real_match(folder: Path, boards: int) -> Match:
    """Play one with four sample bots, as a worker does, on a small database of its own."""
    settings = LeagueSettings(data_dir=folder)
    database = open_store(settings)
    season(database, SeasonPlan(name="real", rules="six-nimmt", boards=boards), HOUSE)
    stage = make_worker(settings, database).stage
    player = Player(database, settings, stage, "bench", threading.Event())
    used = os.times()
    for bell in clockwork.tick(database, settings).matches:
        player.play(bell.match_id)
    now = os.times()
    with database.read() as session:
        blob = store.results.blob_of(session, 1)
    assert blob is not None, "the match was not stored"
    cpu = sum(now[:4]) - sum(used[:4])
    return Match(cpu=cpu, replay_bytes=blob.size)


def playing(database: Store, meter: Meter, boards: int, matches: int) -> dict[str, Cost]:
    """Claim, renew and store matches with the store's own functions."""
    with database.write() as session:
        # A ladder that nobody plays plans nothing.
        store.workers.beat(session, store.Worker(name="bench", slots=1))
        [ladder_row] = store.seasons.ladders(session, only_open=True)
        bells = ladder_tables.make_matches(session, ladder_row.id, matches)
    ids = [bell.match_id for bell in bells]
    tokens: dict[int, str] = {}

    def claim() -> None:
        for match_id in ids:
            with database.write() as session:
                attempt = store.attempts.claim(session, match_id, "bench")
                assert attempt is not None
                tokens[match_id] = attempt.token
            with database.read() as session:
                store.present(session, store.Match, match_id)
                for seat in store.pages.seated(session, [match_id])[match_id]:
                    store.present(session, store.Version, seat.version_id)

    def beat() -> None:
        for token in tokens.values():
            with database.write() as session:
                store.attempts.heartbeat(session, token)

    outcome = _outcome(database, ids[0], boards)

    def finish() -> None:
        for number, token in enumerate(tokens.values()):
            blob = store.Blob(sha256=f"{number:064x}", size=1, lines=boards)
            with database.write() as session:
                store.attempts.finish(session, token, replace(outcome, replay=blob))

    def sign() -> None:
        for number in range(matches):
            with database.write() as session:
                store.workers.beat(session, store.Worker(name=f"worker{number}", slots=1))

    acts = {"claim": claim, "renew a lease": beat, "store a result": finish, "sign of life": sign}
    return {name: meter.measure(act, len(ids)) for name, act in acts.items()}


def _outcome(database: Store, match_id: int, boards: int) -> store.MatchOutcome:
    import asyncio

    with database.read() as session:
        match = store.present(session, store.Match, match_id)
    bots = [TableBot(name=f"b{n}", version=1, image=None, program=("x",)) for n in range(4)]
    plan = plan_of(match, bots, attempt=1, runner="process", watch=False)
    result = asyncio.run(Instant().play(plan, bots, None))
    blob = store.Blob(sha256="0" * 64, size=1, lines=boards)
    return outcome_of(result, 4, match.passes, runner="process", replay=blob, notes=None)


def planning(database: Store, meter: Meter, matches: int) -> dict[str, Cost]:
    """The clockwork's turn with everybody on one ladder, without and with matches to plan."""
    with database.read() as session:
        [row] = store.seasons.ladders(session, only_open=True)

    def plan(count: int) -> Callable[[], object]:
        def act() -> None:
            with database.write() as session:
                # A worker that has been silent for a minute counts for nobody.
                store.workers.beat(session, store.Worker(name="bench", slots=1))
                ladder_tables.make_matches(session, row.id, count)

        return act

    # The first time compiles the statements; after that, two runs differ by the matches alone.
    plan(1)()
    one, many = meter.measure(plan(1)), meter.measure(plan(matches + 1))
    each = Cost(
        own=max(0.0, many.own - one.own) / matches,
        database=max(0.0, many.database - one.database) / matches,
        statements=(many.statements - one.statements) / matches,
        log_bytes=(many.log_bytes - one.log_bytes) / matches,
    )
    return {"one turn of the clockwork": one, "each match that it plans": each}


def bell_cost(url: str, bells: int) -> float:
    """CPU seconds of Redis for one bell, rung and heard."""
    app = broker.make_app(LeagueSettings(redis_url=url))
    due = clockwork.Due(
        matches=tuple(Doorbell(match_id=n, queue="season") for n in range(bells)), submissions=()
    )
    with redis.Redis.from_url(url) as client:
        before = _redis_cpu(client)
        broker.ring(app, due)
        with app.connection_for_read() as connection, connection.SimpleQueue("season") as queue:
            for _ in range(bells):
                queue.get(timeout=30).ack()
        return (_redis_cpu(client) - before) / bells


def _redis_cpu(client: redis.Redis) -> float:
    found = client.info("cpu")
    assert isinstance(found, dict)
    return float(found["used_cpu_user"]) + float(found["used_cpu_sys"])


def file_cost(folder: Path, size: int, files: int = 50) -> float:
    """CPU seconds to take one replay in: hash, write, sync, rename."""
    import hashlib

    blobs = Blobs(folder / "taken")
    bodies = [secrets.token_bytes(size) for _ in range(files)]
    used = time.process_time()
    for body in bodies:
        blobs.adopt([body], hashlib.sha256(body).hexdigest())
    return (time.process_time() - used) / files


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Everything the simulation needs, and what the tables say."""

    bots: int
    match: Match
    acts: dict[str, Cost]
    bell: float
    file: float
    row_bytes: float
    """What a finished match adds to the database, indexes included."""

    def costs(self) -> Costs:
        """As the model wants them: the database's processor for its station."""
        acts = self.acts
        tick, each = acts["one turn of the clockwork"], acts["each match that it plans"]
        return Costs(
            claim=acts["claim"].database,
            beat=acts["renew a lease"].database,
            finish=acts["store a result"].database,
            sign=acts["sign of life"].database,
            tick=tick.own + tick.database,
            tick_database=tick.database,
            plan=each.own + each.database,
            plan_database=each.database,
            bell=self.bell,
            file=self.file,
        )


def measure(url: str, redis_url: str, *, bots: int, matches: int, boards: int) -> Measured:
    """All costs, one after another; minutes."""
    with tempfile.TemporaryDirectory() as name, _one_connection(url, Path(name)) as database:
        folder = Path(name)
        _say(f"playing a real match of {boards} boards")
        match = real_match(folder / "real", boards)
        _say(f"putting {bots:,} bots on one ladder")
        fill_with_bots(database, bots)
        with database.write() as session:
            ladder.open_ladder(session, LadderPlan(rules="six-nimmt", boards=boards), "bench")
        meter = Meter(database)
        before = _size(database)
        _say(f"claiming and storing {matches} matches")
        acts = playing(database, meter, boards, matches)
        row_bytes = (_size(database) - before) / matches
        _say("planning")
        acts |= planning(database, meter, matches)
        return Measured(
            bots=bots,
            match=match,
            acts=acts,
            bell=bell_cost(redis_url, 2000),
            file=file_cost(folder, match.replay_bytes),
            row_bytes=row_bytes,
        )


@contextmanager
def _one_connection(url: str, folder: Path) -> Iterator[Store]:
    """A store whose every statement goes to the same process of PostgreSQL."""
    open_store(LeagueSettings(data_dir=folder, database_url=url)).close()
    database = Store(url, folder / "replays", pool_size=1)
    if not database.is_postgresql:
        sys.exit("bench.scale: BULLRING_DATABASE_URL must be an empty PostgreSQL database")
    yield database
    database.close()


def _size(database: Store) -> int:
    with database.engine.connect() as connection:
        query = sa.text("SELECT pg_database_size(current_database())")
        return int(connection.execute(query).scalar_one())


def _say(text: str) -> None:
    sys.stderr.write(text + " …\n")


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


FASTER = 10
"""The second sweep asks what comes next, once the clock plans so many times faster."""


def relieved(costs: Costs) -> Costs:
    """The same costs with a clock that plans faster."""
    tick = costs.tick_database + (costs.tick - costs.tick_database) / FASTER
    plan = costs.plan_database + (costs.plan - costs.plan_database) / FASTER
    return replace(costs, tick=tick, plan=plan)


def sweep(measured: Measured, costs: Costs, console: Console, title: str) -> None:
    """The same league with more and more workers."""
    table = Table("workers", "match", "matches/s", "idle slots", "database", "clock", "Redis",
                  "files", "fullest", "p99 wait", "a day", title=title)  # fmt: skip
    for seconds in (10.0, 60.0):
        for workers in (10, 100, 300, 1000, 3000):
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
    parser = argparse.ArgumentParser(description=__doc__)
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
    costs = measured.costs()
    sweep(measured, costs, console, "as measured")
    sweep(measured, relieved(costs), console, f"with a clock that plans {FASTER} times faster")


if __name__ == "__main__":
    main()
