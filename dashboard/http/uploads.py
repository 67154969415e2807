"""Uploaded files on disk: counted while they grow, named as ours when they are whole."""

import hashlib
import os
import secrets
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from api_models.words import size as size_words
from dashboard.http.problems import Refused

AT_ONCE = 2
"""Uploads that one owner may have under way in one process."""
RESERVE = 1024**3
"""Bytes of the disk that uploads leave free, for results and the database."""
STALE_SECONDS = 86400
_PART = ".part-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file on disk. `name` is ours and random; what the sender called it is only a label."""

    name: str
    size: int
    sha256: str
    filename: str


class UploadsInProgress:
    """The uploads of each owner that are being received; for the event loop alone."""

    def __init__(self) -> None:
        self._count: Counter[int] = Counter()

    @contextmanager
    def one(self, owner_id: int) -> Iterator[None]:
        """One more, until the end of the block."""
        if self._count[owner_id] >= AT_ONCE:
            words = f"{AT_ONCE} of your uploads are in progress; wait until one has ended"
            raise Refused(429, words, headers={"retry-after": "10"})
        self._count[owner_id] += 1
        try:
            yield
        finally:
            self._count[owner_id] -= 1
            # Without this every owner who ever uploaded would stay in memory.
            self._count += Counter()


class PartFile:
    """One file being received. Its name on disk says so until it is whole."""

    def __init__(self, folder: Path, limit: int) -> None:
        self.folder, self.limit = folder, limit
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if shutil.disk_usage(folder).free < RESERVE:
            raise Refused(507, "no room for the file: the disk is almost full; tell an organiser")
        self.part = folder / (_PART + secrets.token_hex(16))
        descriptor = os.open(self.part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        self.file: IO[bytes] = os.fdopen(descriptor, "wb")
        self.digest = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> None:
        """Take in more, up to the limit."""
        self.size += len(data)
        if self.size > self.limit:
            raise Refused(
                413, f"the file is larger than {size_words(self.limit)}; submit a smaller one"
            )
        self.digest.update(data)
        try:
            self.file.write(data)
        except OSError as error:
            raise Refused(
                507, f"no room for the file: {error.strerror}; tell an organiser"
            ) from error

    def keep(self, filename: str) -> Upload:
        """It is whole."""
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()
        name = secrets.token_hex(16)
        self.part.rename(self.folder / name)
        return Upload(
            name=name, size=self.size, sha256=self.digest.hexdigest(), filename=filename[:200]
        )

    def drop(self) -> None:
        """It is no longer wanted."""
        self.file.close()
        self.part.unlink(missing_ok=True)


def remove(folder: Path, upload: Upload) -> None:
    """Take back a file that turned out not to be wanted."""
    (folder / upload.name).unlink(missing_ok=True)


def sweep_parts(folder: Path) -> None:
    """Clear away what a process that died was receiving; another's that is under way is younger."""
    for part in folder.glob(_PART + "*"):
        try:
            if time.time() - part.stat().st_mtime > STALE_SECONDS:
                part.unlink()
        except FileNotFoundError:
            continue
