"""Requests to a dashboard in a process of its own, and what they cost it."""

import http.client
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any


def connect(port: int) -> http.client.HTTPConnection:
    """A connection to the dashboard on this machine."""
    return http.client.HTTPConnection("127.0.0.1", port, timeout=120)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How a route is asked for: so many requests, by so many clients at once."""

    port: int
    requests: int
    clients: int
    headers: dict[str, str] = field(default_factory=dict)


@contextmanager
def serving(
    folder: Path,
    cache: float,
    match: int | None = None,
    environment: dict[str, str] | None = None,
) -> Iterator[int]:
    """The dashboard in a process of its own, with a match being played or none; its port."""
    command = [sys.executable, "-m", "bench.dashboard_server", str(folder), str(cache)]
    command += [] if match is None else [str(match)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})}
    )
    assert process.stdout is not None
    try:
        port = int(process.stdout.readline())
        _get(connect(port), "/healthz", {})
        yield port
    finally:
        process.terminate()
        process.wait()


def _get(
    connection: http.client.HTTPConnection, path: str, headers: dict[str, str]
) -> tuple[int, int]:
    connection.request("GET", path, headers={"accept-encoding": "gzip", **headers})
    answer = connection.getresponse()
    return answer.status, len(answer.read())


def numbers(connection: http.client.HTTPConnection) -> dict[str, Any]:
    """What the server counts about itself: queries, CPU seconds, memory."""
    connection.request("GET", "/bench/numbers")
    found: dict[str, Any] = json.loads(connection.getresponse().read())
    return found


def _ask_at_once(asking: Asking, path: str) -> tuple[list[float], int]:
    """The seconds of each request, and the bytes of an answer."""
    times: list[float] = []
    sizes: list[int] = []

    def work() -> None:
        connection = connect(asking.port)
        # Fewer than two have no percentiles.
        for _ in range(max(2, asking.requests // asking.clients)):
            began = time.perf_counter()
            status, size = _get(connection, path, asking.headers)
            times.append(time.perf_counter() - began)
            sizes.append(size)
            assert status == 200, (path, status)
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(asking.clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return times, sizes[-1]


def measure(asking: Asking, path: str) -> dict[str, Any]:
    """Times of these requests, each client on a connection it keeps."""
    probe = connect(asking.port)
    _get(probe, path, asking.headers)
    queries = numbers(probe)["queries"]
    _get(probe, path, asking.headers)
    before = numbers(probe)
    began = time.perf_counter()
    times, size = _ask_at_once(asking, path)
    seconds = time.perf_counter() - began
    cuts = statistics.quantiles(times, n=100)
    cpu = numbers(connect(asking.port))["cpu_s"]
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


def beside(asking: Asking, path: str) -> dict[str, Any]:
    """A route and, just before it, /healthz: other work on the machine then slows both."""
    base = measure(replace(asking, requests=max(asking.requests // 2, 20)), "/healthz")
    own = {"healthz_ms": base["p50_ms"], "healthz_cpu_ms": base["cpu_ms"]}
    return measure(asking, path) | own
