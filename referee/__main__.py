"""The referee process: a plan and JSON lines in, events and a result out; ends when stdin ends.

First line in: {"plan": …, "folders": [[directory by bot] by pass], "mode": socket mode}. The rest
of the talk is in docs/protocol.md, part "Supervisor and referee".
"""

import asyncio
import json
import os
import resource
import sys
import traceback
from pathlib import Path
from typing import Any

from referee.match import MatchReferee
from referee.plan import MatchPlan
from referee.records import from_json

LINE_BYTES = 1 << 26
OPEN_FILES = 8192
"""Connections cost descriptors, and a bot may open many before it says Hello."""


class Output(asyncio.BaseProtocol):
    """Our stdout: never blocks the loop, and says when all has been written."""

    def __init__(self) -> None:
        self.closed = asyncio.Event()

    def connection_lost(self, exc: Exception | None) -> None:
        """Everything is written, or the reader is gone."""
        self.closed.set()


async def connect() -> tuple[asyncio.StreamReader, asyncio.WriteTransport, Output]:
    """Our stdin and stdout."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=LINE_BYTES)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    writer, output = await loop.connect_write_pipe(Output, sys.stdout)
    return reader, writer, output


def _end_with_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """An unhandled error is a bug of ours: report it and end, never play on."""
    error = context.get("exception")
    sys.stderr.write(f"{context['message']}\n")
    if error is not None:
        traceback.print_exception(error)
    sys.stderr.flush()
    os._exit(70)


async def play(
    reader: asyncio.StreamReader, writer: asyncio.WriteTransport, output: Output
) -> None:
    """Play the match that the first line describes."""

    def send(message: dict[str, Any]) -> None:
        # A replay is JSON already and by far the largest part of the output: it follows its
        # game as a line of its own, and no process on the way has to parse it.
        replay = message.pop("replay", None)
        lines = [json.dumps(message, separators=(",", ":")), *([] if replay is None else [replay])]
        writer.write("".join(f"{line}\n" for line in lines).encode())

    first = json.loads(await reader.readline())
    plan = from_json(MatchPlan, first["plan"])
    folders = [[Path(folder) for folder in by_bot] for by_bot in first["folders"]]
    referee = MatchReferee(plan, folders, first["mode"], send)

    async def listen() -> None:
        while line := await reader.readline():
            referee.receive(json.loads(line))
        # The supervisor is gone: no result is wanted any more, and no bot may be kept waiting.
        os._exit(0)

    listening = asyncio.get_running_loop().create_task(listen())
    await referee.run()
    listening.cancel()
    # Closing sends what is still buffered first.
    writer.close()
    await output.closed.wait()


async def main() -> None:
    """Run one match."""
    asyncio.get_running_loop().set_exception_handler(_end_with_error)
    await play(*await connect())


if __name__ == "__main__":
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    asyncio.run(main())
