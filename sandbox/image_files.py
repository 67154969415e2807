"""Images as files: out of the engine and into it, and the turn to do so on this machine."""

import asyncio
import fcntl
import os
from collections.abc import AsyncIterable, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sandbox import http
from sandbox.engine import Engine, EngineError
from sandbox.tarcheck import too_large


async def spool(data: AsyncIterable[bytes], path: Path, limit: int, what: str, fix: str) -> None:
    """Write a stream to disk, counting; stops reading at the first byte too many."""
    size = 0
    with path.open("wb") as out:
        async for part in data:
            size += len(part)
            if size > limit:
                raise too_large(what, limit, fix)
            out.write(part)


async def export_image(image: str, path: Path, limit: int) -> None:
    """Write an image of the engine as an archive."""
    async with http.request("GET", f"/images/{image}/get") as response:
        if response.status != 200:
            raise EngineError(f"The image {image} cannot be exported.", response.status)
        await spool(response.parts(), path, limit, "The built image", "Leave out build tools.")


async def load_image(engine: Engine, archive: Path, image: str) -> None:
    """Give the engine an archive that we wrote, and see that it has the image then."""
    answer = b""
    async with http.request("POST", "/images/load", {"quiet": "1"}, archive) as response:
        async for line in response.lines():
            answer = line
    try:
        await engine.image(image)
    except EngineError as error:
        text = answer[:300].decode("utf-8", "replace")
        raise EngineError(f"The engine did not load the image: {text}") from error


@asynccontextmanager
async def turn(lock_file: Path) -> AsyncIterator[None]:
    """One at a time on this machine, whichever process it is in."""
    lock = os.open(lock_file, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                await asyncio.sleep(0.1)
        yield
    finally:
        os.close(lock)
