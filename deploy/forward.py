"""Forwards a port: `python -m deploy.forward PORT HOST:PORT`. On a worker's machine it brings the
league's registry to the loopback address, the only one where the engine needs no certificate."""

import asyncio
import contextlib
import sys

CHUNK = 1 << 16


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Everything from one end to the other, then the end itself."""
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()


async def forward(port: int, target: str, host: str = "0.0.0.0") -> asyncio.Server:
    """Listen, and connect every caller to the target."""
    name, _, number = target.rpartition(":")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.closing(writer):
            try:
                there, back = await asyncio.open_connection(name, int(number))
            except OSError as error:
                sys.stderr.write(f"{target} cannot be reached: {error}\n")
                return
            with contextlib.closing(back):
                await asyncio.gather(copy(reader, back), copy(there, writer))

    return await asyncio.start_server(serve, host, port)


async def main(port: int, target: str) -> None:
    """Until the process is ended."""
    server = await forward(port, target)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
