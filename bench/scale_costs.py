"""What each act of a large league costs: matches, claims, results, planning, bells, files.

Measured one after another on an empty database; `bench.scale` shows it and simulates with it.
"""

import asyncio
import hashlib
import os
import secrets
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import redis

import store
from bench.leagues import crowd, season
from bench.scale_meter import Cost, Meter, one_connection, size_of
from bench.scale_model import Costs
from bench.stages import Instant
from league import ladder as ladders
from league import worker
from league.ladder import LadderPlan
from league.ladder import queue as ladder_tables
from league.matches import Player, TableBot
from league.matches.plan import plan_of
from league.matches.result import outcome_of
from league.seasons import SeasonPlan
from league.settings import LeagueSettings
from league.wiring import make_worker, open_store
from league.worker import tick as clock
from store import Blobs, Doorbell, Store

HOUSE = [f"house/{name}" for name in ("random", "lowest", "highest", "gap")]


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
    for bell in clock.tick(database, settings).matches:
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
        # A ladder without bots plans nothing.
        store.workers.beat(session, store.Worker(name="bench", slots=1))
        [ladder_row] = store.ladders.ladders(session, only_open=True)
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
                for seat in store.match_lists.seated(session, [match_id])[match_id]:
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

    acts = {"claim": claim, "renew a lease": beat, "store a result": finish, "heartbeat": sign}
    return {name: meter.measure(act, len(ids)) for name, act in acts.items()}


def _outcome(database: Store, match_id: int, boards: int) -> store.MatchOutcome:
    with database.read() as session:
        match = store.present(session, store.Match, match_id)
    bots = [TableBot(name=f"b{n}", version=1, image=None, program=("x",)) for n in range(4)]
    plan = plan_of(match, bots, attempt=1, runner="process", watch=False)
    result = asyncio.run(Instant().play(plan, bots, None))
    blob = store.Blob(sha256="0" * 64, size=1, lines=boards)
    return outcome_of(result, 4, match.passes, runner="process", replay=blob, notes=None)


def planning(database: Store, meter: Meter, matches: int) -> dict[str, Cost]:
    """One turn of the clock with all bots on one ladder, without and with matches to plan."""
    with database.read() as session:
        [row] = store.ladders.ladders(session, only_open=True)

    def plan(count: int) -> Callable[[], object]:
        def act() -> None:
            with database.write() as session:
                # A worker that has been silent for a minute is not counted.
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
    return {"one turn of the clock": one, "each match that it plans": each}


def bell_cost(url: str, bells: int) -> float:
    """CPU seconds of Redis for one bell, rung and heard."""
    app = worker.make_celery(LeagueSettings(redis_url=url))
    due = clock.Due(
        matches=tuple(Doorbell(match_id=n, queue="season") for n in range(bells)), submissions=()
    )
    with redis.Redis.from_url(url) as client:
        before = _redis_cpu(client)
        worker.ring(app, due)
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
        tick, each = acts["one turn of the clock"], acts["each match that it plans"]
        return Costs(
            claim=acts["claim"].database,
            beat=acts["renew a lease"].database,
            finish=acts["store a result"].database,
            sign=acts["heartbeat"].database,
            tick=tick.own + tick.database,
            tick_database=tick.database,
            plan=each.own + each.database,
            plan_database=each.database,
            bell=self.bell,
            file=self.file,
        )


def measure(url: str, redis_url: str, *, bots: int, matches: int, boards: int) -> Measured:
    """All costs, one after another; minutes."""
    with tempfile.TemporaryDirectory() as name, one_connection(url, Path(name)) as database:
        folder = Path(name)
        _say(f"playing a real match of {boards} boards")
        match = real_match(folder / "real", boards)
        _say(f"putting {bots:,} bots on one ladder")
        crowd(database, bots)
        with database.write() as session:
            ladders.open_ladder(session, LadderPlan(rules="six-nimmt", boards=boards), "bench")
        meter = Meter(database)
        before = size_of(database)
        _say(f"claiming and storing {matches} matches")
        acts = playing(database, meter, boards, matches)
        row_bytes = (size_of(database) - before) / matches
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


def _say(text: str) -> None:
    sys.stderr.write(text + " …\n")
