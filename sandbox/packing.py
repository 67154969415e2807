"""A folder as a build context, packed the same way on every machine; needs no Docker."""

import asyncio
import tarfile
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from sandbox.api import SubmissionRejected
from sandbox.dockerignore import Ignored

LEFT_OUT = (
    ".git", ".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".venv", "__pycache__",
    "build", "node_modules",
)  # fmt: skip
"""Caches and the like, wherever they lie; what else a bot does not need, .dockerignore names."""
IGNORE_FILE = ".dockerignore"
ALWAYS = ("Dockerfile",)
CHUNK = 1 << 18


def _wanted(entry: tarfile.TarInfo, ignored: Ignored) -> tarfile.TarInfo | None:
    if Path(entry.name).name in LEFT_OUT:
        return None
    # A folder stays if a later line may bring back something in it.
    whole = not (entry.isdir() and ignored.can_bring_back)
    if whole and entry.name not in ALWAYS and ignored.leaves_out(entry.name):
        return None
    # The same files give the same bytes, whoever packs them and whenever.
    entry.mtime = entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def pack(folder: Path, target: Path) -> None:
    """Write a folder as a build context, without what no bot needs; blocking."""
    file = folder / IGNORE_FILE
    try:
        ignored = Ignored(file.read_text("utf-8", "replace") if file.is_file() else "")
        with tarfile.open(target, "w") as tar:
            for path in sorted(folder.iterdir()):
                tar.add(path, path.name, filter=lambda entry: _wanted(entry, ignored))
    except OSError as error:
        raise SubmissionRejected(
            "unreadable", f"{error.filename or folder} cannot be read ({error.strerror or error}).",
            f"Make it readable, or name it in {IGNORE_FILE}.",
        ) from error  # fmt: skip


async def packed(folder: Path) -> AsyncIterator[bytes]:
    """A folder as a build context."""
    with tempfile.TemporaryDirectory(prefix="bullring-pack-") as scratch:
        target = Path(scratch) / "context"
        await asyncio.to_thread(pack, folder, target)
        with target.open("rb") as file:
            while data := file.read(CHUNK):
                yield data
