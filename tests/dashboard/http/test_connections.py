"""Connections that say nothing, or half of something, are closed; slow uploads are not."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
import uvicorn

from dashboard.http.connections import PatientProtocol

Ask = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[bytes]]


class Hasty(PatientProtocol):
    """The same within a test's patience."""

    head_seconds = 0.3
    body_seconds = 0.3


async def echo(scope: dict[str, object], receive: object, send: object) -> None:
    assert callable(receive)
    assert callable(send)
    if scope["type"] != "http":
        return
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size += len(message["body"])
        if not message["more_body"]:
            break
    headers = [(b"content-length", str(len(str(size))).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": str(size).encode()})


async def talk(ask: Ask) -> bytes:
    config = uvicorn.Config(echo, http=Hasty, log_config=None, lifespan="off", port=0)
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    try:
        while not server.started:
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            return await asyncio.wait_for(ask(reader, writer), 20)
        finally:
            writer.close()
    finally:
        server.should_exit = True
        await serving


async def ended(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""


@pytest.mark.parametrize(
    "half",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: here\r\n",
        b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 10\r\n\r\nabc",
    ],
    ids=["nothing", "half of the headers", "half of the body"],
)
async def test_a_request_that_stops_half_way_is_closed(half: bytes) -> None:
    async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(half)
        return await ended(reader)

    assert await talk(ask) == b""


async def test_headers_in_drops_have_one_limit_in_all() -> None:
    async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(b"GET / HTTP/1.1\r\n")
        waiting = asyncio.create_task(ended(reader))
        # Never silent for long, and never done: only a limit for the whole head ends it.
        while not waiting.done():
            writer.write(b"X: y\r\n")
            await asyncio.sleep(0.05)
        return waiting.result()

    assert await talk(ask) == b""


async def test_a_slow_body_that_goes_on_and_the_next_request_are_answered() -> None:
    async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 10\r\n\r\n")
        for _ in range(10):
            await asyncio.sleep(0.1)
            writer.write(b"a")
        first = await reader.readuntil(b"\r\n\r\n") + await reader.readexactly(2)
        writer.write(b"GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
        return first + await reader.read()

    said = await talk(ask)
    assert said.count(b"200 OK") == 2
    assert said.endswith(b"0")
