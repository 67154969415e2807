"""Requests to the engine that must be stoppable at any moment: builds, pulls, exports.

The `docker` package cannot cancel a running request; here closing the connection does, and the
engine cancels the work when it sees that.
"""

import asyncio
import contextlib
import os
import urllib.parse
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from sandbox.engine import DEFAULT_URL, EngineError

CHUNK = 1 << 18
MAX_LINE = 1 << 20


def engine_socket(url: str | None = None) -> Path:
    """The unix socket of the local engine."""
    given = url or os.environ.get("DOCKER_HOST") or DEFAULT_URL
    scheme, _, path = given.partition("://")
    if scheme != "unix":
        raise EngineError(
            f"Submissions need a Docker engine on a unix socket, got {given!r}: bots talk through "
            "sockets of this machine. Unset DOCKER_HOST or point it to a unix:// socket."
        )
    return Path(path)


class Response:
    """A streamed answer of the engine."""

    def __init__(self, reader: asyncio.StreamReader, status: int, chunked: bool) -> None:
        self.status = status
        self._reader = reader
        self._chunked = chunked

    async def parts(self) -> AsyncIterator[bytes]:
        """The body, as it comes."""
        if not self._chunked:
            while data := await self._reader.read(CHUNK):
                yield data
            return
        while size := int((await self._reader.readline()).split(b";")[0] or b"0", 16):
            while size:
                data = await self._reader.read(min(size, CHUNK))
                if not data:
                    raise EngineError("The Docker engine hung up in the middle of an answer.")
                size -= len(data)
                yield data
            await self._reader.readline()

    async def lines(self) -> AsyncIterator[bytes]:
        """The body, line by line."""
        rest = b""
        async for part in self.parts():
            *whole, rest = (rest + part).split(b"\n")
            for line in whole:
                if line.strip():
                    yield line
            if len(rest) > MAX_LINE:
                raise EngineError("The Docker engine sent an endless line.")
        if rest.strip():
            yield rest


@contextlib.asynccontextmanager
async def request(
    method: str,
    path: str,
    query: Mapping[str, str] | None = None,
    body: Path | None = None,
    url: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> AsyncIterator[Response]:
    """Make one request; leaving the block hangs up."""
    try:
        reader, writer = await asyncio.open_unix_connection(engine_socket(url), limit=MAX_LINE)
    except OSError as error:
        raise EngineError(f"The Docker engine cannot be reached ({error}).") from error
    try:
        target = path + (f"?{urllib.parse.urlencode(query)}" if query else "")
        size = _size(body)
        more = [f"{name}: {value}" for name, value in (headers or {}).items()]
        head = [f"{method} {target} HTTP/1.1", "Host: docker", "Connection: close",
                "Content-Type: application/x-tar", f"Content-Length: {size}", *more,
                "", ""]  # fmt: skip
        writer.write("\r\n".join(head).encode())
        if body is not None:
            with body.open("rb") as file:
                while data := file.read(CHUNK):
                    writer.write(data)
                    await writer.drain()
        await writer.drain()
        yield await _answer(reader)
    except (ConnectionError, asyncio.IncompleteReadError) as error:
        raise EngineError(f"The Docker engine hung up ({error}).") from error
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


def _size(body: Path | None) -> int:
    return body.stat().st_size if body else 0


async def _answer(reader: asyncio.StreamReader) -> Response:
    first = await reader.readline()
    words = first.split()
    if len(words) < 2 or not words[1].isdigit():
        raise EngineError(f"The Docker engine answered {first[:100]!r}.")
    chunked = False
    while (line := (await reader.readline()).strip().lower()) != b"":
        chunked = chunked or line == b"transfer-encoding: chunked"
    return Response(reader, int(words[1]), chunked)
