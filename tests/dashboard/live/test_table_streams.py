"""How many streams of a table there may be: one person keeps no other out."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from dashboard.http import TooMany
from dashboard.live import Look, TableStreams
from dashboard.live.tables import MAX_STREAMS_OF_SEAT

Stream = AsyncGenerator[bytes, None]
TABLE = 7


def nothing_new(_: int) -> Look:
    return Look(frames=[], state={"state": "playing"}, is_over=False)


def watch(tables: TableStreams, seat: int, address: str) -> Stream:
    return tables.watch(TABLE, seat, nothing_new, 0, address=address)


async def opened(tables: TableStreams, seat: int, address: str) -> Stream:
    """A stream that has begun: its first event has come."""
    stream = watch(tables, seat, address)
    await anext(stream)
    return stream


def test_whoever_follows_a_seat_many_times_keeps_no_other_seat_out() -> None:
    async def follow() -> None:
        tables = TableStreams()
        own = [await opened(tables, 0, "10.0.0.1") for _ in range(MAX_STREAMS_OF_SEAT)]
        # From another address, too: it is the seat that has enough.
        for address in ("10.0.0.1", "10.0.0.2"):
            with pytest.raises(TooMany, match="streams of one seat"):
                watch(tables, 0, address)
        others = [await opened(tables, seat, "10.0.0.2") for seat in range(1, 10)]
        assert tables.watchers == MAX_STREAMS_OF_SEAT + 9
        # A window that is closed makes room for another.
        await own.pop().aclose()
        own.append(await opened(tables, 0, "10.0.0.1"))
        for stream in (*own, *others):
            await stream.aclose()
        assert tables.watchers == 0

    asyncio.run(follow())
