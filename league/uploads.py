"""Where a worker finds what was submitted: the data folder, or the file service of the league."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

from store.remote import RemoteFiles

CHUNK = 1 << 18


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
        # A name that an upload was stored under, never a path that somebody sent.
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
