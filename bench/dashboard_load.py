"""Requests to a dashboard in a process of its own, and what they cost it."""

import http.client
import json
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def connect(port: int) -> http.client.HTTPConnection:
    """A connection to the dashboard on this machine."""
    return http.client.HTTPConnection("127.0.0.1", port, timeout=120)


@contextmanager
def serving(folder: Path, cache: float, match: int | None = None) -> Iterator[int]:
    """The dashboard in a process of its own, with a match being played or none; its port."""
    command = [sys.executable, "-m", "bench.dashboard_server", str(folder), str(cache)]
    command += [] if match is None else [str(match)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        port = int(process.stdout.readline())
        _get(connect(port), "/healthz")
        yield port
    finally:
        process.terminate()
        process.wait()


def _get(connection: http.client.HTTPConnection, path: str) -> tuple[int, int]:
    connection.request("GET", path, headers={"accept-encoding": "gzip"})
    answer = connection.getresponse()
    return answer.status, len(answer.read())


def numbers(connection: http.client.HTTPConnection) -> dict[str, Any]:
    """What the server counts about itself: queries, CPU seconds, memory."""
    connection.request("GET", "/bench/numbers")
    found: dict[str, Any] = json.loads(connection.getresponse().read())
    return found


def _ask_at_once(port: int, path: str, requests: int, clients: int) -> tuple[list[float], int]:
    """The seconds of each request, by `clients` at once, and the bytes of an answer."""
    times: list[float] = []
    sizes: list[int] = []

    def work() -> None:
        connection = connect(port)
        for _ in range(requests // clients):
            began = time.perf_counter()
            status, size = _get(connection, path)
            times.append(time.perf_counter() - began)
            sizes.append(size)
            assert status == 200, (path, status)
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return times, sizes[-1]


def measure(port: int, path: str, requests: int, clients: int) -> dict[str, Any]:
    """Times of `requests` requests by `clients` at once, each on a connection it keeps."""
    probe = connect(port)
    _get(probe, path)
    queries = numbers(probe)["queries"]
    _get(probe, path)
    before = numbers(probe)
    began = time.perf_counter()
    times, size = _ask_at_once(port, path, requests, clients)
    seconds = time.perf_counter() - began
    cuts = statistics.quantiles(times, n=100)
    cpu = numbers(connect(port))["cpu_s"]
    return {
        "path": path,
        "p50_ms": 1000 * cuts[49],
        "p95_ms": 1000 * cuts[94],
        "p99_ms": 1000 * cuts[98],
        "per_s": len(times) / seconds,
        # What the server itself worked; unlike the rest it hardly depends on a busy machine.
        "cpu_ms": 1000 * (cpu - before["cpu_s"]) / len(times),
        "kib": size / 1024,
        "queries": before["queries"] - queries,
    }


def beside(port: int, path: str, requests: int, clients: int) -> dict[str, Any]:
    """A route and, just before it, /healthz: other work on the machine then slows both."""
    base = measure(port, "/healthz", max(requests // 2, 20), clients)
    own = {"healthz_ms": base["p50_ms"], "healthz_cpu_ms": base["cpu_ms"]}
    return measure(port, path, requests, clients) | own
