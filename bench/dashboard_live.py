"""Many watchers of one running match: how long a move takes to all of them, and what it costs."""

import asyncio
import statistics
import time
from dataclasses import dataclass, field

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
    """All of them, from connections of their own, for so long."""
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
