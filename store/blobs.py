"""Replay files: one file a match, named by content hash, never changed.

Replays are packed as an archive (`store/archive`) where every line comes back from it exactly;
anything else, and every file of an earlier release, is zstd with JSON lines inside.
"""

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

from store.archive import MAGIC, Archive, NotPacked, pack
from store.errors import BlobDamaged, BlobError, BlobMissing, NoRoom
from store.packed import zstd

LEVEL = 10
MAX_BYTES = 512 * 1024 * 1024
"""A file that unpacks to more than this is taken for damaged."""
CHUNK = 1 << 16
SUFFIX = ".jsonl.zst"
ARCHIVE_SUFFIX = ".bullring-archive"
TEMPORARY = ".writing-"
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """A written file."""

    sha256: str
    """Of the file as it lies on disk."""
    size: int
    lines: int
    plain: str | None = None
    """Why the lines were stored in full; None: they are an archive."""


class Blobs:
    """A directory of files; in the scaled form it lies on shared storage."""

    def __init__(self, root: Path, *, max_bytes: int = MAX_BYTES) -> None:
        self.root = root
        self.max_bytes = max_bytes

    def path(self, sha256: str) -> Path:
        """Where the file with this hash lies, in whichever form."""
        archive = self._place(sha256, ARCHIVE_SUFFIX)
        return archive if archive.exists() else self._place(sha256, SUFFIX)

    def _place(self, sha256: str, suffix: str) -> Path:
        if len(sha256) != 64 or not set(sha256) <= set("0123456789abcdef"):
            raise BlobMissing(f"got {sha256!r}, expected 64 lower-case hexadecimal digits")
        return self.root / sha256[:2] / sha256[2:4] / (sha256 + suffix)

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

    def write(self, lines: Iterable[bytes], *, plain: bool = False) -> Blob:
        """Store lines (JSON documents without a line feed); on failure nothing is left.

        With `plain` they are stored in full, so that no rules are needed to read them.
        """
        try:
            return self._write(list(lines), plain)
        except OSError as error:
            if error.errno in _NO_ROOM:
                raise NoRoom(
                    f"no room for a replay under {self.root}: {error.strerror}; free some space"
                    " and the match is played again"
                ) from error
            raise BlobError(f"cannot write a replay under {self.root}: {error}") from error

    def _write(self, lines: list[bytes], plain: bool) -> Blob:
        packed, why = (None, "as was asked for") if plain else _tried(lines, self.max_bytes)
        with self._temporary() as file:
            if packed is None:
                size, sha256 = _pack(lines, file)
            else:
                file.write(packed)
                size, sha256 = len(packed), hashlib.sha256(packed).hexdigest()
            suffix = SUFFIX if packed is None else ARCHIVE_SUFFIX
            self._publish(file, self._place(sha256, suffix))
        return Blob(sha256=sha256, size=size, lines=len(lines), plain=why)

    def adopt(self, source: Iterable[bytes], sha256: str) -> None:
        """Store the bytes of a finished file (from a backup) under the name it must have."""
        with self._temporary() as file:
            seen = hashlib.sha256()
            start = b""
            for chunk in source:
                seen.update(chunk)
                file.write(chunk)
                if len(start) < len(MAGIC):
                    start += chunk[: len(MAGIC)]
            if seen.hexdigest() != sha256:
                raise BlobDamaged(f"got content {seen.hexdigest()}, expected {sha256}")
            suffix = ARCHIVE_SUFFIX if start.startswith(MAGIC) else SUFFIX
            self._publish(file, self._place(sha256, suffix))

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
        path, packed = self._read(sha256)
        if not packed.startswith(MAGIC):
            return _unpack(packed, self.max_bytes, str(path))
        with _named(path):
            archive = Archive(packed, self.max_bytes)
        return _archived(archive, path)

    def line(self, sha256: str, number: int) -> bytes:
        """One line, from 0; unpacks no further than needed."""
        path, packed = self._read(sha256)
        if packed.startswith(MAGIC):
            with _named(path):
                return Archive(packed, self.max_bytes).line(number)
        for index, line in enumerate(_unpack(packed, self.max_bytes, str(path))):
            if index == number:
                return line
        raise BlobMissing(f"got line {number}, expected one that replay {sha256} has")

    def _read(self, sha256: str) -> tuple[Path, bytes]:
        path = self.path(sha256)
        try:
            packed = path.read_bytes()
        except FileNotFoundError:
            raise BlobMissing(f"no replay file {path.name} under {self.root}") from None
        if hashlib.sha256(packed).hexdigest() != sha256:
            raise BlobDamaged(f"{path} is not what its name says; restore it from a backup")
        return path, packed

    def files(self) -> Iterator[tuple[str, Path]]:
        """Hash and path of every finished file."""
        for suffix in (SUFFIX, ARCHIVE_SUFFIX):
            for path in self.root.glob(f"??/??/*{suffix}"):
                yield path.name.removesuffix(suffix), path

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


@contextlib.contextmanager
def _named(path: Path) -> Iterator[None]:
    """Errors inside say which file they are about."""
    try:
        yield
    except BlobError as error:
        raise type(error)(f"{path}: {error}") from error


def _tried(lines: list[bytes], max_bytes: int) -> tuple[bytes | None, str | None]:
    """The lines as an archive, or why they cannot be one."""
    try:
        return pack(lines, max_bytes), None
    except NotPacked as error:
        return None, str(error)


def _archived(archive: Archive, path: Path) -> Iterator[bytes]:
    with _named(path):
        yield from archive.lines()


def _pack(lines: Iterable[bytes], file: IO[bytes]) -> tuple[int, str]:
    sha256 = hashlib.sha256()
    size = 0
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
    put(packer.flush())
    return size, sha256.hexdigest()


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
