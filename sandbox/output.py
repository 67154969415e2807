"""A bot's output: read slowly, kept short, counted. Knows the engine's framing, nothing else.

An unread or greedily read stream burns the daemon's CPU, outside every bot's limits; a slow reader
makes the bot wait in its own write() instead.
"""

import asyncio
import contextlib
import socket
from collections.abc import Callable
from typing import Any

from sandbox.api import Limits

CHUNK = 16384
HEADER = 8


class Tail:
    """The last bytes of a stream of framed output (8 bytes of header, then the payload)."""

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._kept = bytearray()
        self._header = bytearray()
        self._left = 0
        self.total = 0
        """Payload bytes seen so far."""

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream, cut anywhere."""
        while data:
            if self._left:
                part, data = data[: self._left], data[self._left :]
                self._left -= len(part)
                self.total += len(part)
                self._kept += part
                if len(self._kept) > 2 * self._keep:
                    del self._kept[: -self._keep]
                continue
            need = HEADER - len(self._header)
            self._header += data[:need]
            data = data[need:]
            if len(self._header) == HEADER:
                self._left = int.from_bytes(self._header[4:8], "big")
                self._header.clear()

    def value(self) -> bytes:
        """The bytes kept: the last ones."""
        return bytes(self._kept[-self._keep :])


class OutputReader:
    """Reads one container's output at a limited rate until it ends or floods."""

    def __init__(self, stream: Any, limits: Limits, on_flood: Callable[[], None]) -> None:
        self._stream = stream
        # The client library hands out a file object; the event loop needs the socket below it.
        self._socket: socket.socket = getattr(stream, "_sock", stream)
        self._socket.setblocking(False)
        self._limits = limits
        self._on_flood = on_flood
        self._tail = Tail(limits.log_tail)
        self._task: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None
        self.flooded = False

    def start(self) -> None:
        """Begin to read."""
        self._task = asyncio.get_running_loop().create_task(self._read())

    async def _read(self) -> None:
        loop = asyncio.get_running_loop()
        allowance = float(self._limits.log_burst)
        last = loop.time()
        with contextlib.suppress(OSError):
            while data := await loop.sock_recv(self._socket, CHUNK):
                self._tail.feed(data)
                if self._tail.total > self._limits.log_budget:
                    self.flooded = True
                    self._on_flood()
                    return
                now = loop.time()
                allowance += (now - last) * self._limits.log_rate - len(data)
                allowance = min(allowance, self._limits.log_burst)
                last = now
                if allowance < 0:
                    await asyncio.sleep(-allowance / self._limits.log_rate)

    def tail(self) -> bytes:
        """The last bytes of output."""
        return self._tail.value()

    async def finish(self, seconds: float) -> None:
        """Give the reader a moment to take in what a bot that has ended still wrote."""
        if self._task is not None:
            await asyncio.wait([self._task], timeout=seconds)

    async def close(self) -> None:
        """Stop reading and hang up, once: a container with an unread stream cannot end."""
        # One closing for all callers; a caller that is cancelled does not stop it half way.
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_task(self._hang_up())
        await asyncio.shield(self._closing)

    async def _hang_up(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        # The response owns the file and the file the socket; from outside in, each close works.
        response = getattr(self._stream, "_response", None)
        if response is not None:
            response.close()
        self._stream.close()
        self._socket.close()
