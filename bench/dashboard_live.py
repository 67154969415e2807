"""Many watchers of one running match: how long a move takes to all of them, and what it costs."""

import asyncio
import statistics
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from bench.dashboard_load import connect, measure, numbers

REQUEST = "GET /api/v1/matches/{match}/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@dataclass(slots=True)
class Arrivals:
    """When each watcher got each event."""

    at: dict[str, list[float]] = field(default_factory=dict)
    broken: int = 0

    def spread_ms(self, watchers: int) -> list[float]:
        """From the first watcher to the last, for events that all of them got."""
        whole = [times for times in self.at.values() if len(times) == watchers]
        return [1000 * (max(times) - min(times)) for times in whole]


async def _watch(port: int, match: int, arrivals: Arrivals, until: float) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    writer.write(REQUEST.format(match=match).encode())
    try:
        async with asyncio.timeout_at(until):
            while line := await reader.readline():
                if line.startswith(b"id: "):
                    number = line[4:].decode().strip()
                    arrivals.at.setdefault(number, []).append(time.perf_counter())
        arrivals.broken += 1
    except TimeoutError:
        pass
    finally:
        writer.close()


async def follow(port: int, match: int, watchers: int, seconds: float) -> Arrivals:
    """All of them, from connections of their own, for `seconds`."""
    arrivals = Arrivals()
    until = asyncio.get_running_loop().time() + seconds
    async with asyncio.TaskGroup() as group:
        for _ in range(watchers):
            group.create_task(_watch(port, match, arrivals, until))
    return arrivals


def summary(arrivals: Arrivals, watchers: int) -> dict[str, float]:
    """The numbers that are printed."""
    spread = arrivals.spread_ms(watchers)
    if len(spread) < 2:
        raise RuntimeError(f"only {len(spread)} moves reached all {watchers} watchers")
    return {
        "moves": len(spread),
        "spread_p50_ms": statistics.median(spread),
        "spread_worst_ms": max(spread),
        "broken": arrivals.broken,
    }


def watch(port: int, match: int, watchers: int, seconds: float) -> dict[str, Any]:
    """A running match with many watchers, and /healthz beside them."""
    quiet = measure(port, "/healthz", 200, 1)
    probe = connect(port)
    before, found = numbers(probe), Arrivals()

    def work() -> None:
        nonlocal found
        found = asyncio.run(follow(port, match, watchers, seconds))

    following = threading.Thread(target=work)
    following.start()
    time.sleep(seconds / 2)
    busy = measure(port, "/healthz", 200, 1)
    following.join()
    # The server has closed the connection that was silent meanwhile.
    after = numbers(connect(port))
    return summary(found, watchers) | {
        "watchers": watchers,
        "cpu_share": (after["cpu_s"] - before["cpu_s"]) / seconds,
        "peak_mib": after["peak_kib"] / 1024,
        "healthz_ms": quiet["p50_ms"],
        "healthz_watched_ms": busy["p50_ms"],
    }


def report(row: dict[str, Any]) -> None:
    """A few lines on the terminal."""
    print(f"\n{row['watchers']} watchers of one match, {row['moves']} moves to all of them")
    print(f"from the first watcher to the last: p50 {row['spread_p50_ms']:.1f} ms, "
          f"worst {row['spread_worst_ms']:.1f} ms; lost: {row['broken']:.0f}")  # fmt: skip
    print(f"server: {100 * row['cpu_share']:.0f} % of a core, {row['peak_mib']:.0f} MiB at most; "
          f"/healthz p50 {row['healthz_ms']:.2f} ms alone, "
          f"{row['healthz_watched_ms']:.2f} ms beside them")  # fmt: skip
