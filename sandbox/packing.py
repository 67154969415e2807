"""A folder as a build context, packed the same way on every machine; needs no Docker."""

import asyncio
import tarfile
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

LEFT_OUT = (".git", "__pycache__", ".venv", "build", "node_modules")
CHUNK = 1 << 18


def _wanted(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    if Path(entry.name).name in LEFT_OUT:
        return None
    # The same files give the same bytes, whoever packs them and whenever.
    entry.mtime = entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def pack(folder: Path, target: Path) -> None:
    """Write a folder as a build context, without what no bot needs; blocking."""
    with tarfile.open(target, "w") as tar:
        for path in sorted(folder.iterdir()):
            tar.add(path, path.name, filter=_wanted)


async def packed(folder: Path) -> AsyncIterator[bytes]:
    """A folder as a build context."""
    with tempfile.TemporaryDirectory(prefix="bullring-pack-") as scratch:
        target = Path(scratch) / "context"
        await asyncio.to_thread(pack, folder, target)
        with target.open("rb") as file:
            while data := file.read(CHUNK):
                yield data
