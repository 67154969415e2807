"""Where a worker finds what was submitted: the data folder, or the file service of the league."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Protocol

import store
from store import Store
from store.remote import RemoteFiles

CHUNK = 1 << 18
SWEEP_SECONDS = 3600.0


class Uploads(Protocol):
    """Submitted files, by the name that `Submission.source` has for them."""

    def read(self, name: str) -> AsyncIterator[bytes]:
        """The file in pieces."""

    def remove(self, name: str) -> None:
        """Remove it; gone is fine."""


class FolderUploads:
    """In a folder of this machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def read(self, name: str) -> AsyncIterator[bytes]:
        """The file in pieces."""
        # A name that an upload was stored under, never a path from a request.
        with (self._folder / Path(name).name).open("rb") as file:
            while data := await asyncio.to_thread(file.read, CHUNK):
                yield data

    def remove(self, name: str) -> None:
        """Remove it; gone is fine."""
        (self._folder / Path(name).name).unlink(missing_ok=True)


class RemoteUploads:
    """With the file service."""

    def __init__(self, files: RemoteFiles) -> None:
        self._files = files

    async def read(self, name: str) -> AsyncIterator[bytes]:
        """The file in pieces."""
        with ExitStack() as stack:
            file = await asyncio.to_thread(stack.enter_context, self._files.upload(name))
            while data := await asyncio.to_thread(file.read, CHUNK):
                yield data

    def remove(self, name: str) -> None:
        """Remove it; gone is fine."""
        self._files.remove_upload(name)


def sweep_uploads(database: Store, folder: Path, *, grace: float = SWEEP_SECONDS) -> list[str]:
    """Remove uploads older than `grace` seconds whose submissions are over; says which.

    A worker removes them itself, unless it died or could not reach them at that moment.
    """
    if not folder.is_dir():
        return []
    horizon = time.time() - grace
    old = []
    for path in folder.iterdir():
        with suppress(FileNotFoundError):
            if path.is_file() and path.stat().st_mtime < horizon:
                old.append(path.name)
    with database.read() as session:
        over = store.bots.finished_uploads(session, old)
    for name in over:
        (folder / name).unlink(missing_ok=True)
    return over
