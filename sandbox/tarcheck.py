"""Reading tar files that strangers made: bounded in bytes, entries and header sizes.

Nothing is ever unpacked on this side; callers get entries one by one and write tars of their own.
"""

import gzip
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO

from sandbox.api import SubmissionRejected

MAX_READ = 1 << 20
"""A header's extra records are held in memory in one piece; file contents come in small ones."""

MAX_NAME = 4096
MAX_DEPTH = 128


def megabytes(size: int) -> str:
    """A size for people."""
    return f"{size / (1 << 20):.1f} MiB"


def too_large(what: str, limit: int, fix: str) -> SubmissionRejected:
    """The refusal of something over a byte limit."""
    return SubmissionRejected("too_large", f"{what} is over the limit of {megabytes(limit)}.", fix)


@dataclass(slots=True)
class Budget:
    """What all the tars of one submission may still hold."""

    unpacked: int
    files: int
    limit_unpacked: int
    limit_files: int

    @classmethod
    def of(cls, unpacked: int, files: int) -> "Budget":
        """A full budget."""
        return cls(unpacked, files, unpacked, files)

    def take_bytes(self, size: int) -> None:
        """Count unpacked bytes."""
        self.unpacked -= size
        if self.unpacked < 0:
            raise too_large("The unpacked image", self.limit_unpacked,
                            "Leave out build tools and caches.")  # fmt: skip

    def take_file(self) -> None:
        """Count one entry."""
        self.files -= 1
        if self.files < 0:
            raise SubmissionRejected(
                "too_many_files", f"The image holds more than {self.limit_files} files.",
                "Leave out caches and documentation.",
            )  # fmt: skip


class BoundedReader:
    """A binary reader that refuses one huge read and counts everything it hands out."""

    def __init__(self, source: IO[bytes], total: int, what: str) -> None:
        self._source = source
        self._left = total
        self._total = total
        self._what = what

    def read(self, size: int = -1) -> bytes:
        """Read at most `size` bytes."""
        if size < 0 or size > MAX_READ:
            raise SubmissionRejected(
                "bad_archive", f"{self._what} has a tar header of {size} bytes.",
                "Make it with `docker save` or plain `tar`.",
            )  # fmt: skip
        try:
            data = self._source.read(size)
        except (OSError, EOFError, zlib.error) as error:
            raise SubmissionRejected(
                "bad_archive", f"{self._what} cannot be decompressed ({error}).", "Send it again."
            ) from error
        self._left -= len(data)
        if self._left < 0:
            raise too_large(f"{self._what}, unpacked,", self._total, "Make it smaller.")
        return data


def decompressed(source: IO[bytes], total: int, what: str) -> BoundedReader:
    """A counted reader of a plain or gzip stream; other compressions are refused."""
    magic = source.read(6)
    source.seek(-len(magic), 1)
    if magic.startswith(b"\x1f\x8b"):
        # The wrapper only reads; GzipFile offers the same.
        return BoundedReader(gzip.GzipFile(fileobj=source), total, what)  # type: ignore[arg-type]
    for start, name in ((b"\x28\xb5\x2f\xfd", "zstd"), (b"\xfd7zXZ", "xz"), (b"BZh", "bzip2")):
        if magic.startswith(start):
            raise SubmissionRejected(
                "compression", f"{what} is compressed with {name}.", "Send it plain or with gzip."
            )
    if magic.startswith(b"PK\x03\x04"):
        raise SubmissionRejected(
            "zip", f"{what} is a zip file, expected a tar.",
            "If it is a packed folder, send it as one (kind build_context).",
        )  # fmt: skip
    return BoundedReader(source, total, what)


def safe_name(name: str, what: str) -> str:
    """An entry's name as a clean relative path; "" is the root itself."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\0" in name:
        raise SubmissionRejected(
            "unsafe_path", f"{what} holds the path {name[:100]!r}, which leads out of it.",
            "Make it with `docker save` or plain `tar`.",
        )  # fmt: skip
    if len(name.encode("utf-8", "surrogateescape")) > MAX_NAME or len(path.parts) > MAX_DEPTH:
        raise SubmissionRejected(
            "unsafe_path", f"{what} holds a path of {len(name)} characters.", "Use shorter paths."
        )
    return "" if str(path) == "." else str(path)


class _Header(tarfile.TarInfo):
    """A tar header that may not ask for much memory, nor lead backwards."""

    def _proc_member(self, tar: tarfile.TarFile) -> tarfile.TarInfo:
        data = self.type in tarfile.REGULAR_TYPES
        if self.size < 0 or (self.size > MAX_READ and not data):
            raise SubmissionRejected(
                "bad_archive", f"A tar header claims {self.size} bytes for itself.",
                "Make the archive with `docker save` or plain `tar`.",
            )  # fmt: skip
        # The one place at which a header has been read and its data has not; no types tell of it.
        member: tarfile.TarInfo = super()._proc_member(tar)  # type: ignore[misc]
        return member


def entries(reader: BoundedReader, what: str) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    """The entries of a tar stream in order; broken ones and sparse files are refused."""
    try:
        # `errorlevel=2` and no extraction: this only ever reads, and needs no more of a file.
        with tarfile.open(fileobj=reader, mode="r|", errorlevel=2, tarinfo=_Header) as tar:  # type: ignore[call-overload]
            for entry in tar:
                if entry.issparse():
                    raise SubmissionRejected(
                        "sparse", f"{what} holds the sparse file {entry.name[:100]!r}.",
                        "Pack it without --sparse.",
                    )  # fmt: skip
                # Names are held to the same length; a link could lead through a mebibyte.
                if len(entry.linkname) > MAX_NAME:
                    raise SubmissionRejected(
                        "unsafe_path", f"{what} holds a link of {len(entry.linkname)} characters.",
                        "Use shorter paths.",
                    )  # fmt: skip
                yield tar, entry
                # A stream keeps every entry it has passed, and none is read twice here.
                tar.members.clear()
    except (tarfile.TarError, ValueError, OverflowError, UnicodeError, RecursionError) as error:
        raise SubmissionRejected(
            "bad_archive", f"{what} is not a readable tar file ({error}).",
            "Make it with `docker save` or plain `tar`.",
        ) from error  # fmt: skip
