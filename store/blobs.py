"""Replay files: one zstd file a match, JSON lines inside, named by content hash, never changed."""

import contextlib
import errno
import hashlib
import os
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from store.errors import BlobDamaged, BlobError, BlobMissing, NoRoom
from store.packed import zstd

LEVEL = 10
MAX_BYTES = 512 * 1024 * 1024
"""A file that unpacks to more than this is taken for damaged."""
CHUNK = 1 << 16
SUFFIX = ".jsonl.zst"
TEMPORARY = ".writing-"
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """A written file."""

    sha256: str
    """Of the file as it lies on disk."""
    size: int
    lines: int


class Blobs:
    """A directory of files; in the scaled form it lies on shared storage."""

    def __init__(self, root: Path, *, max_bytes: int = MAX_BYTES) -> None:
        self.root = root
        self.max_bytes = max_bytes

    def path(self, sha256: str) -> Path:
        """Where the file with this hash lies."""
        if len(sha256) != 64 or not set(sha256) <= set("0123456789abcdef"):
            raise BlobMissing(f"got {sha256!r}, expected 64 lower-case hexadecimal digits")
        return self.root / sha256[:2] / sha256[2:4] / (sha256 + SUFFIX)

    def check(self) -> None:
        """See that a small file can be written and lasts. Raises NoRoom, or OSError."""
        try:
            with self._temporary() as file:
                file.write(bytes(CHUNK))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            if error.errno in _NO_ROOM:
                raise NoRoom(f"no room under {self.root}: {error.strerror}") from error
            raise

    def write(self, lines: Iterable[bytes]) -> Blob:
        """Store lines (JSON documents without a line feed); on failure nothing is left."""
        try:
            return self._write(lines)
        except OSError as error:
            if error.errno in _NO_ROOM:
                raise NoRoom(
                    f"no room for a replay under {self.root}: {error.strerror}; free some space"
                    " and the match is played again"
                ) from error
            raise BlobError(f"cannot write a replay under {self.root}: {error}") from error

    def _write(self, lines: Iterable[bytes]) -> Blob:
        with self._temporary() as file:
            count, size, sha256 = _pack(lines, file)
            self._publish(file, self.path(sha256))
        return Blob(sha256=sha256, size=size, lines=count)

    def adopt(self, source: Iterable[bytes], sha256: str) -> None:
        """Store the bytes of a finished file (from a backup) under the name it must have."""
        with self._temporary() as file:
            seen = hashlib.sha256()
            for chunk in source:
                seen.update(chunk)
                file.write(chunk)
            if seen.hexdigest() != sha256:
                raise BlobDamaged(f"got content {seen.hexdigest()}, expected {sha256}")
            self._publish(file, self.path(sha256))

    @contextlib.contextmanager
    def _temporary(self) -> Iterator[IO[bytes]]:
        """A file under a temporary name, which is gone afterwards whatever happens."""
        self.root.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=TEMPORARY, dir=self.root)
        os.close(descriptor)
        try:
            with Path(name).open("wb") as file:
                yield file
        finally:
            Path(name).unlink(missing_ok=True)

    def _publish(self, file: IO[bytes], target: Path) -> None:
        """Flush the bytes to disk, rename the file, then flush the folder."""
        file.flush()
        os.fchmod(file.fileno(), 0o644)
        os.fsync(file.fileno())
        # An equal file is replaced too: its date must be fresh, or the sweeper could take it
        # between this moment and the transaction that names it.
        target.parent.mkdir(parents=True, exist_ok=True)
        Path(file.name).replace(target)
        for directory in (target.parent, target.parent.parent, self.root):
            _sync_directory(directory)

    def lines(self, sha256: str) -> Iterator[bytes]:
        """All lines, unpacked piece by piece and never more than `max_bytes`."""
        path = self.path(sha256)
        try:
            packed = path.read_bytes()
        except FileNotFoundError:
            raise BlobMissing(f"no replay file {path.name} under {self.root}") from None
        if hashlib.sha256(packed).hexdigest() != sha256:
            raise BlobDamaged(f"{path} is not what its name says; restore it from a backup")
        return _unpack(packed, self.max_bytes, str(path))

    def line(self, sha256: str, number: int) -> bytes:
        """One line, from 0; unpacks no further than needed."""
        for index, line in enumerate(self.lines(sha256)):
            if index == number:
                return line
        raise BlobMissing(f"got line {number}, expected one that replay {sha256} has")

    def files(self) -> Iterator[tuple[str, Path]]:
        """Hash and path of every finished file."""
        for path in self.root.glob(f"??/??/*{SUFFIX}"):
            yield path.name.removesuffix(SUFFIX), path

    def sweep(self, known: Collection[str], *, grace: float) -> list[str]:
        """Remove files no row names, and half-written ones, if older than `grace` seconds."""
        horizon = time.time() - grace
        removed = []
        for sha256, path in self.files():
            if sha256 not in known and _remove_if_older(path, horizon):
                removed.append(sha256)
        halves = self.root.glob(f"{TEMPORARY}*")
        removed.extend(path.name for path in halves if _remove_if_older(path, horizon))
        return removed


def _remove_if_older(path: Path, horizon: float) -> bool:
    # Looked at again just before, because a writer may have renewed it since it was listed.
    with contextlib.suppress(FileNotFoundError):
        if path.stat().st_mtime < horizon:
            path.unlink()
            return True
    return False


def _pack(lines: Iterable[bytes], file: IO[bytes]) -> tuple[int, int, str]:
    sha256 = hashlib.sha256()
    size = count = 0
    options: dict[int, int] = {
        zstd.CompressionParameter.compression_level: LEVEL,
        zstd.CompressionParameter.checksum_flag: 1,
    }
    packer = zstd.ZstdCompressor(options=options)

    def put(data: bytes) -> None:
        nonlocal size
        sha256.update(data)
        size += len(data)
        file.write(data)

    for line in lines:
        if b"\n" in line:
            raise BlobError("got a line with a line feed in it, expected one JSON document")
        put(packer.compress(line + b"\n"))
        count += 1
    put(packer.flush())
    return count, size, sha256.hexdigest()


def _unpack(packed: bytes, max_bytes: int, name: str) -> Iterator[bytes]:
    unpacker = zstd.ZstdDecompressor()
    rest = b""
    total = 0
    data = packed
    try:
        while not unpacker.eof:
            piece = unpacker.decompress(data, max_length=CHUNK)
            data = b""
            if not piece and unpacker.needs_input:
                raise BlobDamaged(f"{name} ends too early; restore it from a backup")
            total += len(piece)
            if total > max_bytes:
                raise BlobDamaged(f"{name} unpacks to more than {max_bytes} bytes")
            *whole, rest = (rest + piece).split(b"\n")
            yield from whole
    except zstd.ZstdError as error:
        raise BlobDamaged(f"{name} cannot be unpacked: {error}") from error
    if rest:
        yield rest


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
