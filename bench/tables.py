"""Many tables with people at once: how long a move takes, beside /healthz, and the memory.

    python -m bench.tables --tables 50

A whole league in one process (`bullring up`, bots as plain processes) plays that many tables of
quick samples. Each has a scripted person who thinks for a while, answers by the API of the page,
and follows the table by its stream; all of them are in this process. Two latencies of a move:
until its POST is answered, and until the next frame comes, which tells what the bots did. A move
that needs them waits for three bots. /healthz is asked all the while, so trust the ratios.
"""

import http.client
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import quantiles
from urllib.parse import urlsplit

from bench.options import described
from tests.dashboard.play.visitor import Visitor, lowest

SAMPLES = ("house/gap", "house/random", "house/leastcost")
START_SECONDS = 1800.0
"""Until all tables have begun: a machine that is busy starts bots slowly."""


@dataclass
class Seen:
    """What all people together saw; lists grow from many threads."""

    answered: list[float] = field(default_factory=list)
    told: list[float] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)
    """From opening a table to its first ask."""
    health: list[float] = field(default_factory=list)
    over: int = 0
    failures: list[str] = field(default_factory=list)


class Person(Visitor):
    """A scripted person from an address of their own."""

    def __init__(self, url: str, number: int) -> None:
        super().__init__(url)
        self.address = f"10.0.{number // 250}.{number % 250 + 1}"

    def _connect(
        self, method: str, path: str, body: str | None, **headers: str
    ) -> http.client.HTTPConnection:
        return super()._connect(method, path, body, x_forwarded_for=self.address, **headers)


@contextmanager
def league(tables: int, kept_log: Path | None) -> Iterator[tuple[str, int]]:
    """A league that plays so many tables; its address and process."""
    with tempfile.TemporaryDirectory() as folder:
        chosen = {
            "BULLRING_DATA_DIR": folder,
            "BULLRING_TABLE_SLOTS": str(tables),
            "BULLRING_TABLES_IN_LEAGUE": str(2 * tables),
            # Each person comes from an address of their own, as a proxy would say.
            "BULLRING_TRUSTED_PROXIES": "1",
            # Those who sit down first wait for the last.
            "BULLRING_TABLE_MOVE_SECONDS": "3600",
            "BULLRING_FAIR_HOST": "false",
            "BULLRING_REVIEWS": "false",
            "BULLRING_WRITE_LIMIT": "100000/minute",
            "BULLRING_PAGE_LIMIT": "100000/minute",
        }
        kept = {name: value for name, value in os.environ.items() if "BULLRING_" not in name}
        log = (kept_log or Path(folder) / "log").open("w")
        process = subprocess.Popen(
            [sys.executable, "-m", "cli", "up", "--port", "0"],
            env=kept | chosen,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            yield line.rsplit(" ", 1)[-1].strip(), process.pid
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)
            log.close()


def sit(url: str, think: float, seed: int, seen: Seen, begun: threading.Barrier) -> None:
    """One person: opens a table, plays it to its end, and notes how long everything took."""
    rng = Random(seed)
    try:
        person = Person(url, seed)
        opened = time.perf_counter()
        code = person.open(rules="six-nimmt", seats=4, length="round", opponent=list(SAMPLES))
        token = person.token(f"/play/{code}")
        sent: float | None = None
        first = True
        for name, _, frame in person.stream(code):
            if name == "end":
                break
            if name != "frame":
                continue
            if sent is not None and frame["type"] in ("events", "over"):
                seen.told.append(time.perf_counter() - sent)
                sent = None
            if frame["type"] == "ask":
                if first:
                    seen.waited.append(time.perf_counter() - opened)
                    first = False
                    # All tables are being played before the first card falls.
                    begun.wait(START_SECONDS)
                time.sleep(rng.expovariate(1 / think))
                sent = time.perf_counter()
                status, body = person.choose(code, token, frame["ask"], lowest(frame))
                seen.answered.append(time.perf_counter() - sent)
                assert status == 204, body
            if frame["type"] == "over":
                seen.over += 1
    except Exception as error:
        # The others play on, and the report tells of it.
        seen.failures.append(f"{type(error).__name__}: {error}"[:200])
        begun.abort()


def ask_health(url: str, seen: Seen, done: threading.Event) -> None:
    """Ask /healthz ten times a second."""
    while not done.wait(0.1):
        connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
        began = time.perf_counter()
        connection.request("GET", "/healthz")
        connection.getresponse().read()
        seen.health.append(time.perf_counter() - began)
        connection.close()


def memory(root: int) -> tuple[int, float, float]:
    """Processes below one; the memory of it alone and of all, in MiB, shared pages once."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                after_name = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents.setdefault(int(after_name[1]), []).append(int(entry.name))
    tree, todo = [], [root]
    while todo:
        pid = todo.pop()
        tree.append(pid)
        todo += parents.get(pid, [])
    sizes = [_pss(pid) for pid in tree]
    return len(tree) - 1, sizes[0], sum(sizes)


def _pss(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)


def row(title: str, seconds: list[float], beside: list[float]) -> str:
    """Percentiles of one thing, and how many times /healthz they are."""
    if len(seconds) < 2:
        return f"{title:32} too few"
    cuts, base = quantiles(seconds, n=100), quantiles(beside, n=100)
    shown = "".join(f" {1000 * cuts[at]:9.1f}" for at in (49, 94, 98))
    return f"{title:32}{shown} {cuts[49] / base[49]:9.1f} {len(seconds):7}"


def main() -> None:
    """Play, measure, print."""
    parser = described(__doc__)
    parser.add_argument("--tables", type=int, default=50, help="that are played at once")
    parser.add_argument("--think", type=float, default=4.0, help="mean seconds a person thinks")
    parser.add_argument("--arrive", type=float, default=1.0, help="seconds between two people")
    parser.add_argument("--log", type=Path, help="keep what the league writes here")
    options = parser.parse_args()
    seen, done = Seen(), threading.Event()
    with league(options.tables, options.log) as (url, pid):
        idle = memory(pid)
        health = threading.Thread(target=ask_health, args=(url, seen, done))
        # The main thread waits too: then all tables have had their first ask.
        begun = threading.Barrier(options.tables + 1)
        people = [
            threading.Thread(target=sit, args=(url, options.think, seed, seen, begun))
            for seed in range(options.tables)
        ]
        began = time.perf_counter()
        health.start()
        for thread in people:
            thread.start()
            time.sleep(options.arrive)
        try:
            begun.wait(START_SECONDS)
        except threading.BrokenBarrierError:
            seen.failures.append("not all tables began in time")
        busy = memory(pid)
        for thread in people:
            thread.join()
        took = time.perf_counter() - began
        done.set()
        health.join()
    print(f"{seen.over} of {options.tables} tables played in {took:.0f} s, thinking"
          f" {options.think:g} s a move; {len(seen.answered) / took:.1f} moves/s")  # fmt: skip
    print(f"{'':32} {'p50 ms':>9} {'p95':>9} {'p99':>9} {'x healthz':>9} {'number':>7}")
    print(row("/healthz", seen.health, seen.health))
    print(row("a move until it is answered", seen.answered, seen.health))
    print(row("a move until the next frame", seen.told, seen.health))
    print(row("a new table until its first ask", seen.waited, seen.health))
    count, own, total = busy
    print(f"memory: {idle[2]:.0f} MiB idle; {total:.0f} MiB with {options.tables} tables"
          f" ({own:.0f} of them the server and worker, {count} processes below it,"
          f" {(total - idle[2]) / options.tables:.1f} MiB a table)")  # fmt: skip
    for failure in sorted(set(seen.failures)):
        print(f"failed {seen.failures.count(failure)} times: {failure}")


if __name__ == "__main__":
    main()
