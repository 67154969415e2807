"""Writing an archive: all its files in order, into a folder in one step, or as a zip stream."""

import contextlib
import hashlib
import io
import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from dashboard.archive.data import File, SeasonData, data_files, replay_file
from dashboard.archive.site import look, match_files, season_files

FORMAT = "bullring-archive/1"
MANIFEST = "manifest.json"
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)
"""The earliest that the format knows: the same season is the same zip."""

Advance = Callable[[int], object]


class TargetTaken(Exception):
    """The folder to write exists and is not empty."""


def archive_files(data: SeasonData, advance: Advance = lambda _: None) -> Iterator[File]:
    """Every file of the archive, the manifest last; `advance(1)` after each match."""
    listed: dict[str, dict[str, object]] = {}
    for name, body in _contents(data, advance):
        listed[name] = {"size": len(body), "sha256": hashlib.sha256(body).hexdigest()}
        yield name, body
    manifest = {
        "format": FORMAT,
        "season": data.season["name"],
        "commitment": data.season["commitment"],
        "look": look(),
        "files": dict(sorted(listed.items())),
    }
    yield MANIFEST, json.dumps(manifest, indent=1).encode() + b"\n"


def _contents(data: SeasonData, advance: Advance) -> Iterator[File]:
    yield from data_files(data)
    yield from season_files(data)
    for match in data.matches:
        replays = data.replays(match["match"]) if match["state"] == "done" else []
        if replays:
            yield replay_file(match["match"], replays)
        yield from match_files(data, match, replays)
        advance(1)


def write_folder(data: SeasonData, target: Path, advance: Advance = lambda _: None) -> int:
    """Write everything beside the target, then give it its name; returns the bytes written.

    Whatever goes wrong, there is no half archive, and nothing outside the folder is touched.
    """
    target = target.resolve()
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise TargetTaken(f"{target} already exists; name another folder with --to")
    target.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{target.name}-writing-", dir=target.parent))
    total = 0
    try:
        for name, body in archive_files(data, advance):
            path = work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
            total += len(body)
        work.chmod(0o755)
        work.replace(target)
    except BaseException:
        # Half an archive looks like a whole one, even to the person who stopped it.
        with contextlib.suppress(OSError):
            shutil.rmtree(work)
        raise
    return total


class _Pipe(io.RawIOBase):
    """Takes what the zip writer writes and passes it on; like a network it cannot seek back."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: object, /) -> int:
        piece = bytes(memoryview(data))  # type: ignore[arg-type]  # buffers have no type before 3.12
        self.pieces.append(piece)
        return len(piece)

    def take(self) -> bytes:
        """All that came since the last time."""
        taken, self.pieces = b"".join(self.pieces), []
        return taken


def stream_zip(data: SeasonData) -> Iterator[bytes]:
    """The archive as a zip file, made while it is sent; all inside one folder."""
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, body in archive_files(data):
            entry = zipfile.ZipInfo(f"{data.season['name']}-archive/{name}", _ZIP_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, body)
            yield pipe.take()
    yield pipe.take()
