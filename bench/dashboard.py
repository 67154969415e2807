"""How fast the pages and the API answer, each beside /healthz in the same run.

    python -m bench.dashboard --bots 200 --matches 100000

The store is filled with bots, seasons and matches of that size; a few matches are really played, so
that replays and ratings are there. The server is a process of its own; requests go over loopback.
Then 200 watchers follow one running match, and Chromium, where it is, weighs whole pages and counts
the frames of the viewer.
"""

import argparse
import asyncio
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

from bench import dashboard_browser, dashboard_live
from dashboard.passwords import hash_password
from dashboard.settings import Settings
from nimmt.keys import commitment
from store import (
    Block,
    Bot,
    Match,
    MatchState,
    Owner,
    RatingPoint,
    Seat,
    Store,
    Version,
    VersionState,
    pages,
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
    "/live",
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


@contextmanager
def serving(folder: Path, cache: float, match: int | None = None) -> Iterator[int]:
    """The dashboard in a process of its own, with a match being played or none; its port."""
    command = [sys.executable, "-m", "bench.dashboard_server", str(folder), str(cache)]
    command += [] if match is None else [str(match)]
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
    before = _numbers(probe)["queries"]
    _get(probe, path)
    numbers = _numbers(probe)
    queries = numbers["queries"] - before
    began = time.perf_counter()
    threads = [threading.Thread(target=work) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - began
    cuts = statistics.quantiles(times, n=100)
    cpu = _numbers(http.client.HTTPConnection("127.0.0.1", port, timeout=120))["cpu_s"]
    return {
        "path": path,
        "p50_ms": 1000 * cuts[49],
        "p95_ms": 1000 * cuts[94],
        "p99_ms": 1000 * cuts[98],
        "per_s": len(times) / seconds,
        # What the server itself worked; unlike the rest it hardly depends on a busy machine.
        "cpu_ms": 1000 * (cpu - numbers["cpu_s"]) / len(times),
        "kib": sizes[-1] / 1024,
        "queries": queries,
    }


def beside(port: int, path: str, requests: int, clients: int) -> dict[str, Any]:
    """A route and, just before it, /healthz: other work on the machine then slows both."""
    base = measure(port, "/healthz", max(requests // 2, 20), clients)
    own = {"healthz_ms": base["p50_ms"], "healthz_cpu_ms": base["cpu_ms"]}
    return measure(port, path, requests, clients) | own


def _numbers(connection: http.client.HTTPConnection) -> dict[str, Any]:
    connection.request("GET", "/bench/numbers")
    found: dict[str, Any] = json.loads(connection.getresponse().read())
    return found


def watch(port: int, match: int, watchers: int, seconds: float) -> dict[str, Any]:
    """A running match with many watchers, and /healthz beside them."""
    quiet = measure(port, "/healthz", 200, 1)
    probe = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    before, found = _numbers(probe), dashboard_live.Arrivals()

    def work() -> None:
        nonlocal found
        found = asyncio.run(dashboard_live.follow(port, match, watchers, seconds))

    following = threading.Thread(target=work)
    following.start()
    time.sleep(seconds / 2)
    busy = measure(port, "/healthz", 200, 1)
    following.join()
    # The server has closed the connection that was silent meanwhile.
    after = _numbers(http.client.HTTPConnection("127.0.0.1", port, timeout=120))
    return dashboard_live.summary(found, watchers) | {
        "watchers": watchers,
        "cpu_share": (after["cpu_s"] - before["cpu_s"]) / seconds,
        "peak_mib": after["peak_kib"] / 1024,
        "healthz_ms": quiet["p50_ms"],
        "healthz_watched_ms": busy["p50_ms"],
    }


def report_watchers(row: dict[str, Any]) -> None:
    """A few lines on the terminal."""
    print(f"\n{row['watchers']} watchers of one match, {row['moves']} moves to all of them")
    print(f"from the first watcher to the last: p50 {row['spread_p50_ms']:.1f} ms, "
          f"worst {row['spread_worst_ms']:.1f} ms; lost: {row['broken']:.0f}")  # fmt: skip
    print(f"server: {100 * row['cpu_share']:.0f} % of a core, {row['peak_mib']:.0f} MiB at most; "
          f"/healthz p50 {row['healthz_ms']:.2f} ms alone, "
          f"{row['healthz_watched_ms']:.2f} ms beside them")  # fmt: skip


def report_browser(found: dict[str, Any]) -> None:
    """Pages and frames on the terminal."""
    print("\nin Chromium: KiB of a whole page over the wire, images left out")
    for path, kib in found["weights"].items():
        print(f"{path:44} {kib:8.1f}")
    for speed, row in found["frames"].items():
        print(f"replay at {speed}: {row['per_s']:.0f} frames/s, p95 {row['p95_ms']:.1f} ms, "
              f"worst {row['worst_ms']:.0f} ms")  # fmt: skip


def running_match(store: Store) -> int:
    """The match of the seeded league that an attempt holds."""
    with store.read() as session:
        [found] = pages.matches(session, states=[MatchState.RUNNING], limit=1)
        return found.id


def report(rows: list[dict[str, Any]], title: str) -> None:
    """A table on the terminal."""
    print(f"\n{title}")
    print(f"{'route':44} {'p50 ms':>8} {'p95':>8} {'p99':>8} {'x healthz':>9} {'CPU ms':>7} "
          f"{'x':>5} {'req/s':>7} {'KiB':>6} {'queries':>7}")  # fmt: skip
    for row in rows:
        print(f"{row['path']:44} {row['p50_ms']:8.2f} {row['p95_ms']:8.2f} {row['p99_ms']:8.2f} "
              f"{row['p50_ms'] / row['healthz_ms']:9.1f} {row['cpu_ms']:7.2f} "
              f"{row['cpu_ms'] / row['healthz_cpu_ms']:5.1f} {row['per_s']:7.0f} "
              f"{row['kib']:6.1f} {row['queries']:7d}")  # fmt: skip


def main() -> None:
    """Fill, serve, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, default=40)
    parser.add_argument("--matches", type=int, default=2000)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--watchers", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=20.0, help="how long they watch")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bullring-bench-") as name:
        settings = Settings(data_dir=Path(name))
        store = Store(settings.database, settings.blobs)
        store.migrate()
        began = time.perf_counter()
        fill(store, options.bots, options.matches)
        match = running_match(store)
        store.close()
        print(f"{options.bots} bots, {options.matches} matches more, filled in "
              f"{time.perf_counter() - began:.0f} s")  # fmt: skip
        results: dict[str, Any] = {}
        for title, cache in (
            ("as served (pages kept for 2 s)", 2.0),
            ("without the page cache", 0.0),
        ):
            with serving(Path(name), cache) as port:
                rows = [beside(port, path, options.requests, options.clients) for path in ROUTES]
            report(rows, title)
            results[title] = rows
        with serving(Path(name), 2.0, match) as port:
            results["watchers"] = watch(port, match, options.watchers, options.seconds)
            report_watchers(results["watchers"])
            if dashboard_browser.find_chromium() is not None:
                results["browser"] = dashboard_browser.measure(port)
                report_browser(results["browser"])
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
