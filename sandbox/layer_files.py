"""The files of an image on the host's disk, as far as this process can see the engine's folders."""

import errno
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from sandbox.engine import Json

CHUNK = 1 << 20


def folders_of(found: Json) -> list[Path]:
    """The folders of the layers of an image or a container, by what the engine says of it.

    An image's topmost layer is its upper folder; a container's own, which a bot cannot write to,
    is left out. Empty where the engine's storage is of another kind.
    """
    storage = found.get("GraphDriver") or {}
    data = storage.get("Data") or {}
    if storage.get("Name") != "overlay2":
        return []
    folders = [Path(folder) for folder in str(data.get("LowerDir") or "").split(":") if folder]
    if "RootFS" in found and data.get("UpperDir"):
        folders.insert(0, Path(data["UpperDir"]))
    return folders


def first_obstacle(folders: Sequence[Path], places: Sequence[str]) -> str | None:
    """The first of these places that is there and no folder; None also where nothing can be seen.

    The folders are given from the top: the first that has a place hides those below it. What takes
    a place of a lower layer away is a device node, and then nothing is there.
    """
    for place in places:
        for folder in folders:
            try:
                kind = stat.S_IFMT((folder / place).lstat().st_mode)
            except OSError:
                continue
            if kind not in (stat.S_IFDIR, stat.S_IFCHR):
                return place
            break
    return None


def read_in(folders: Sequence[Path]) -> int:
    """Read every file below these folders, so that all of it is in memory; returns the bytes.

    Blocking. What was in memory and what was not is then the same for every bot that starts, and
    says nothing about what ran from these files before. OSError: something is out of reach.
    """
    buffer = bytearray(CHUNK)
    total = 0
    for folder in folders:
        for place, _, names in os.walk(folder, onerror=_refuse):
            for name in names:
                total += _read(f"{place}/{name}", buffer)
    return total


def _refuse(error: OSError) -> None:
    # Otherwise a folder that cannot be listed, or is not there, would look like an empty one.
    raise error


def _read(path: str, buffer: bytearray) -> int:
    try:
        # The layers hold what a stranger sent: never follow a link, never wait at a pipe.
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.ENOENT):
            return 0
        raise
    try:
        size = 0
        while got := os.readv(file, [buffer]):
            size += got
        return size
    finally:
        os.close(file)
