"""How fast the pages and the API answer, each beside /healthz in the same run.

    python -m bench.dashboard --bots 200 --matches 100000

The store is filled with bots, seasons and matches of that size; a few matches are really played, so
that replays and ratings are there. The server is a process of its own; requests go over loopback.
"""

import argparse
import http.client
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import sqlalchemy as sa
from sqlmodel import select

from dashboard.passwords import hash_password
from dashboard.settings import Settings
from nimmt.keys import commitment
from store import (
    Block,
    Bot,
    Match,
    Owner,
    RatingPoint,
    Seat,
    Store,
    Version,
    VersionState,
    seasons,
)
from tests.dashboard.seed import seed_league

ROUTES = (
    "/healthz",
    "/",
    "/seasons",
    "/seasons/spring",
    "/bots",
    "/bots/heron/close",
    "/matches",
    "/matches/1",
    "/matches/1/games/0/0",
    "/matches/1/games/0/0/data",
    "/docs/api",
    "/sign-in",
    "/feed.atom",
    "/api/v1/rules",
    "/api/v1/bots",
    "/api/v1/matches",
    "/api/v1/matches?bot=heron/close",
    "/api/v1/matches/1",
    "/api/v1/matches/1/games/0/0/replay",
    "/api/v1/seasons/spring",
    "/api/v1/seasons/spring/standings",
    "/api/v1/bots/heron/close/ratings",
)


def fill(store: Store, bots: int, matches: int) -> None:
    """A real small league, then rows like it until the sizes are reached."""
    seed_league(store, hash_password("correct horse battery"), boards=8, meetings=4)
    rng = Random(1)
    with store.write() as session:
        spring = seasons.by_name(session, "spring")
        assert spring is not None
        ladder = seasons.ladder_of(session, spring.id)
        pattern = session.get_one(Match, 1)
        block = session.get_one(Block, (1, 0))
        seats = list(session.exec(select(Seat).where(Seat.match_id == 1)))
        versions = _add_bots(session, bots)
        first = 1 + max(session.exec(select(Match.id)))
        for start in range(first, first + matches, 5000):
            numbers = range(start, min(start + 5000, first + matches))
            rows = [_match(pattern, number) for number in numbers]
            session.exec(sa.insert(Match), params=rows)
            placed, blocks = [], []
            for number in numbers:
                table = rng.sample(versions, 4)
                placed += [
                    _seat(seat, number, pair) for seat, pair in zip(seats, table, strict=True)
                ]
                ids = [version for _, version in table]
                blocks.append(_block(block, number, ids))
            session.exec(sa.insert(Seat), params=placed)
            session.exec(sa.insert(Block), params=blocks)
        points = [
            {"ladder_id": ladder.id, "version_id": versions[0][1], "live": 1500.0 + n % 40}
            for n in range(min(matches, 2000))
        ]
        session.exec(sa.insert(RatingPoint), params=points)
    with store.engine.connect() as connection:
        connection.execute(sa.text("ANALYZE"))
        connection.commit()


def _add_bots(session: Any, count: int) -> list[tuple[int, int]]:
    pairs = [(bot, version) for bot, version in session.exec(select(Version.bot_id, Version.id))]
    owner = Owner(handle="crowd")
    session.add(owner)
    session.flush()
    for number in range(count - len(pairs)):
        bot = Bot(owner_id=owner.id, name=f"bot-{number}", rules=["six-nimmt"], current_version=1)
        session.add(bot)
        session.flush()
        version = Version(bot_id=bot.id, number=1, state=VersionState.ACCEPTED, program=["x"])
        session.add(version)
        session.flush()
        pairs.append((bot.id, version.id))
    return pairs


def _match(pattern: Match, number: int) -> dict[str, Any]:
    key = number.to_bytes(32, "big")
    fields = pattern.model_dump()
    return fields | {"id": number, "key": key, "commitment": commitment(key)}


def _seat(pattern: Seat, match_id: int, pair: tuple[int, int]) -> dict[str, Any]:
    return pattern.model_dump() | {"match_id": match_id, "bot_id": pair[0], "version_id": pair[1]}


def _block(pattern: Block, match_id: int, versions: list[int]) -> dict[str, Any]:
    return pattern.model_dump() | {"match_id": match_id, "versions": versions}


SERVER = """
import socket, sys
import sqlalchemy as sa
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from dashboard.app import create_app
from dashboard.settings import Settings
from store import Store

settings = Settings(data_dir=sys.argv[1], page_cache_seconds=float(sys.argv[2]),
                    read_limit="100000000/minute")
store = Store(settings.database, settings.blobs)
app = create_app(settings, store)
counted = [0]
sa.event.listen(store.engine, "before_cursor_execute",
                lambda *args: counted.__setitem__(0, counted[0] + args[2].startswith("SELECT")))
async def queries(request):
    return PlainTextResponse(str(counted[0]))
app.router.routes.append(Route("/bench/queries", queries))
# asyncio switches Nagle's algorithm off only for sockets that say they are TCP.
sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
sock.bind(("127.0.0.1", 0))
sock.listen(128)
import structlog, logging
structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
print(sock.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False)).run(sockets=[sock])
"""


@contextmanager
def serving(folder: Path, cache: float) -> Iterator[int]:
    """The dashboard in a process of its own; its port."""
    command = [sys.executable, "-c", SERVER, str(folder), str(cache)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        port = int(process.stdout.readline())
        _get(http.client.HTTPConnection("127.0.0.1", port, timeout=120), "/healthz")
        yield port
    finally:
        process.terminate()
        process.wait()


def _get(connection: http.client.HTTPConnection, path: str) -> tuple[int, int]:
    connection.request("GET", path, headers={"accept-encoding": "gzip"})
    answer = connection.getresponse()
    return answer.status, len(answer.read())


def measure(port: int, path: str, requests: int, clients: int) -> dict[str, Any]:
    """Times of `requests` requests by `clients` at once, each on a connection it keeps."""
    times: list[float] = []
    sizes: list[int] = []

    def work() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        for _ in range(requests // clients):
            began = time.perf_counter()
            status, size = _get(connection, path)
            times.append(time.perf_counter() - began)
            sizes.append(size)
            assert status == 200, (path, status)
        connection.close()

    probe = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    _get(probe, path)
    before = _queries(probe)
    _get(probe, path)
    queries = _queries(probe) - before
    began = time.perf_counter()
    threads = [threading.Thread(target=work) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - began
    cuts = statistics.quantiles(times, n=100)
    return {
        "path": path,
        "p50_ms": 1000 * cuts[49],
        "p95_ms": 1000 * cuts[94],
        "p99_ms": 1000 * cuts[98],
        "per_s": len(times) / seconds,
        "kib": sizes[-1] / 1024,
        "queries": queries,
    }


def beside(port: int, path: str, requests: int, clients: int) -> dict[str, Any]:
    """A route and, just before it, /healthz: other work on the machine then slows both."""
    base = measure(port, "/healthz", max(requests // 2, 20), clients)
    return measure(port, path, requests, clients) | {"healthz_ms": base["p50_ms"]}


def _queries(connection: http.client.HTTPConnection) -> int:
    connection.request("GET", "/bench/queries")
    return int(connection.getresponse().read())


def report(rows: list[dict[str, Any]], title: str) -> None:
    """A table on the terminal."""
    print(f"\n{title}")
    print(f"{'route':44} {'p50 ms':>8} {'p95':>8} {'p99':>8} {'x healthz':>9} {'req/s':>8} "
          f"{'KiB':>7} {'queries':>7}")  # fmt: skip
    for row in rows:
        print(f"{row['path']:44} {row['p50_ms']:8.2f} {row['p95_ms']:8.2f} {row['p99_ms']:8.2f} "
              f"{row['p50_ms'] / row['healthz_ms']:9.1f} {row['per_s']:8.0f} {row['kib']:7.1f} "
              f"{row['queries']:7d}")  # fmt: skip


def main() -> None:
    """Fill, serve, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, default=40)
    parser.add_argument("--matches", type=int, default=2000)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bullring-bench-") as name:
        settings = Settings(data_dir=Path(name))
        store = Store(settings.database, settings.blobs)
        store.migrate()
        began = time.perf_counter()
        fill(store, options.bots, options.matches)
        store.close()
        print(f"{options.bots} bots, {options.matches} matches more, filled in "
              f"{time.perf_counter() - began:.0f} s")  # fmt: skip
        results = {}
        for title, cache in (
            ("as served (pages kept for 2 s)", 2.0),
            ("without the page cache", 0.0),
        ):
            with serving(Path(name), cache) as port:
                rows = [beside(port, path, options.requests, options.clients) for path in ROUTES]
            report(rows, title)
            results[title] = rows
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
