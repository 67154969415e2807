"""Replays in files: plain, gzip or zstd, one game or one a line; and match archives."""

import gzip
import io
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, cast

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

SUFFIXES = (
    ".json",
    ".jsonl",
    ".json.gz",
    ".jsonl.gz",
    ".json.zst",
    ".jsonl.zst",
    ".bullring-archive",
)
ARCHIVE = b"bullring-archive/"
MAX_LINE = 32 * 1024 * 1024
"""The most bytes of one game, unpacked: a bomb is refused long before memory runs out."""

MAX_ARCHIVE = 512 * 1024 * 1024
"""The most bytes of all games of an archive together; they are rebuilt one by one."""


class UnreadableReplay(Exception):
    """A file that holds no replay; the message says why."""


def find(paths: Iterable[Path]) -> Iterator[Path]:
    """The files themselves, and every replay file below a folder."""
    for path in paths:
        if not path.exists():
            raise UnreadableReplay(f"there is no {str(path)!r} here; name a replay or a folder")
        if path.is_dir():
            # In the archive of a season the replays have a folder of their own.
            kept = path / "data/replays" if (path / "manifest.json").is_file() else path
            found = [file for file in sorted(kept.rglob("*")) if file.name.endswith(SUFFIXES)]
            if not found:
                raise UnreadableReplay(f"{path}: no file ending in {', '.join(SUFFIXES)}")
            yield from found
        else:
            yield path


def read(path: Path) -> Iterator[tuple[str, Any]]:
    """Every document in a file, each with a label that finds it again."""
    try:
        if _is_archive(path):
            yield from _archived(path)
            return
        with path.open("rb") as file, _unpacked(file) as stream:
            first = _line(stream)
            whole = _is_whole(first)
            if not whole and len(first) < MAX_LINE:
                first += stream.read(MAX_LINE + 1 - len(first))
                yield str(path), _parsed(first)
                return
            yield str(path), _parsed(first)
            for number in range(2, sys.maxsize):
                line = _line(stream)
                if not line:
                    return
                if line.strip():
                    yield f"{path}, line {number}", _parsed(line)
    except (OSError, EOFError, zstd.ZstdError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UnreadableReplay(f"{path}: {reason}; expected a file of replays") from None


def _is_archive(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(ARCHIVE)) == ARCHIVE


def _archived(path: Path) -> Iterator[tuple[str, Any]]:
    """The games of a match as a league keeps it; only a league's own tools can rebuild them."""
    try:
        from store import BlobError
        from store.archive import MAGIC, Archive
    except ImportError:
        raise ValueError(
            "a match archive, which needs a league's packages: pip install 'bullring[server]'"
        ) from None
    with path.open("rb") as file:
        packed = file.read(MAX_LINE + 1)
    if len(packed) > MAX_LINE:
        raise ValueError(f"an archive of more than {MAX_LINE // 2**20} MiB")
    if not packed.startswith(MAGIC):
        raise ValueError(f"{packed[:20]!r}, this reads {MAGIC.decode().strip()}")
    try:
        for number, line in enumerate(Archive(packed, MAX_ARCHIVE).lines(), 1):
            yield f"{path}, line {number}", _parsed(line)
    except BlobError as error:
        raise ValueError(str(error)) from None


def _unpacked(file: IO[bytes]) -> IO[bytes]:
    magic = file.read(4)
    file.seek(0)
    if magic[:2] == b"\x1f\x8b":
        return cast("IO[bytes]", gzip.open(file))
    if magic == b"\x28\xb5\x2f\xfd":
        return io.BufferedReader(zstd.open(file))
    return file


def _line(stream: IO[bytes]) -> bytes:
    line = stream.readline(MAX_LINE + 1)
    if len(line) > MAX_LINE:
        raise ValueError(f"a game of more than {MAX_LINE // 2**20} MiB")
    return line


def _is_whole(line: bytes) -> bool:
    """Whether the first line is a document by itself, or the beginning of an indented one."""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _parsed(text: bytes) -> Any:
    if len(text) > MAX_LINE:
        raise ValueError(f"a game of more than {MAX_LINE // 2**20} MiB")
    if not text.strip():
        raise ValueError("the file is empty")
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("lists nested too deep for a replay") from None
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from None


def is_notes(document: object) -> bool:
    """Whether this is what a bot noted in one game; a league keeps those beside its replays."""
    return isinstance(document, dict) and "notes" in document and "format" not in document
