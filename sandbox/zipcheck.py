"""Reading zip files that strangers made, entry by entry: bounded in bytes, entries and names.

Not by `zipfile`, which holds every entry of the directory in memory before the first is looked at.
"""

import os
import stat
import struct
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from sandbox.api import SubmissionRejected
from sandbox.tarcheck import MAX_NAME

MAGIC = b"PK\x03\x04"
_END = struct.Struct("<4s4H2LH")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_COMMENT = 0xFFFF
_WIDE = 0xFFFFFFFF
STORED, DEFLATED = 0, 8
CHUNK = 1 << 16
NOISE = ("__MACOSX", ".DS_Store")
"""What the systems of authors add by themselves."""


def _bad(why: str) -> SubmissionRejected:
    return SubmissionRejected(
        "bad_archive", f"The zip file cannot be read: {why}.",
        "Pack the folder again, or with tar: tar -C FOLDER -cf bot.tar .",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Record:
    """One entry, as the directory at the end of the file describes it."""

    name: str
    mode: int
    method: int
    checksum: int
    packed: int
    size: int
    offset: int

    @property
    def is_folder(self) -> bool:
        return self.name.endswith("/")


def is_zip(source: IO[bytes]) -> bool:
    """Whether it begins like one; the place in the file stays."""
    magic = source.read(len(MAGIC))
    source.seek(-len(magic), os.SEEK_CUR)
    return magic == MAGIC


def zip_entries(
    source: IO[bytes], most: int
) -> Iterator[tuple[tarfile.TarInfo, "IO[bytes] | None"]]:
    """The entries as a tar would have them, without the one folder that may hold them all."""
    records = [
        record
        for record in _directory(source, most)
        if not set(NOISE) & set(record.name.rstrip("/").split("/"))
    ]
    back = source.tell()
    if sum(record.packed for record in records) > source.seek(0, os.SEEK_END):
        raise _bad("its entries overlap")
    source.seek(back)
    top = _common_folder(records)
    for record in records:
        info = tarfile.TarInfo(record.name[len(top) :].rstrip("/") or ".")
        info.mode = record.mode & 0o777 or (0o755 if record.is_folder else 0o644)
        if record.is_folder:
            info.type = tarfile.DIRTYPE
            yield info, None
        elif stat.S_ISLNK(record.mode):
            info.type = tarfile.SYMTYPE
            info.linkname = _link(source, record)
            yield info, None
        else:
            info.size = record.size
            # It only reads, which is all that is asked of it.
            yield info, _Content(source, record)  # type: ignore[misc]


def _common_folder(records: list[_Record]) -> str:
    """The folder at the top, with its slash, if there is nothing beside it."""
    tops = {record.name.partition("/")[0] for record in records}
    alone = len(tops) == 1 and all("/" in record.name for record in records)
    return f"{tops.pop()}/" if alone else ""


def _directory(source: IO[bytes], most: int) -> Iterator[_Record]:
    length = source.seek(0, os.SEEK_END)
    tail_length = min(length, _COMMENT + _END.size)
    source.seek(length - tail_length)
    tail = source.read(tail_length)
    place = tail.rfind(b"PK\x05\x06")
    if place < 0 or len(tail) - place < _END.size:
        raise _bad("its directory is missing; it may be cut off")
    _, disk, first, _, count, size, offset, _ = _END.unpack_from(tail, place)
    if disk or first:
        raise _bad("it is one part of several")
    if count == 0xFFFF or size == _WIDE or offset == _WIDE or offset + size > length:
        raise _bad("it is larger than a zip file of the plain kind can be, or cut off")
    if count > most:
        raise SubmissionRejected(
            "too_many_files", f"The zip file holds {count} files, at most {most} are read.",
            "Leave out caches and documentation.",
        )  # fmt: skip
    source.seek(offset)
    for _ in range(count):
        yield _record(source)


def _record(source: IO[bytes]) -> _Record:
    head = source.read(_ENTRY.size)
    if len(head) < _ENTRY.size or not head.startswith(b"PK\x01\x02"):
        raise _bad("its directory is broken")
    (_, made, _, flags, method, _, _, checksum, packed, size, name_length, extra, comment,
     _, _, attributes, offset) = _ENTRY.unpack(head)  # fmt: skip
    raw = source.read(name_length)
    source.seek(extra + comment, os.SEEK_CUR)
    name = raw.decode("utf-8" if flags & 0x800 else "cp437", "replace").replace("\\", "/")
    if len(raw) > MAX_NAME:
        raise _bad(f"it holds a name of {len(raw)} bytes")
    if flags & 1:
        raise _bad(f"{name[:100]!r} is encrypted")
    if method not in (STORED, DEFLATED):
        raise _bad(f"{name[:100]!r} is packed in a way that is rare (method {method})")
    # Only what was made on Unix says who may run a file.
    mode = attributes >> 16 if made >> 8 == 3 else 0
    return _Record(name, mode, method, checksum, packed, size, offset)


def _link(source: IO[bytes], record: _Record) -> str:
    if record.size > MAX_NAME:
        raise _bad(f"it holds a link of {record.size} bytes")
    return _Content(source, record).read(record.size).decode("utf-8", "replace")


class _Content:
    """What is in one entry: exactly as many bytes as it claims, or a refusal."""

    def __init__(self, source: IO[bytes], record: _Record) -> None:
        self._source, self._record = source, record
        back = source.tell()
        source.seek(record.offset)
        head = source.read(_LOCAL.size)
        if len(head) < _LOCAL.size or not head.startswith(MAGIC):
            raise _bad(f"{record.name[:100]!r} is not where the directory says")
        *_, name_length, extra = _LOCAL.unpack(head)
        self._place = record.offset + _LOCAL.size + name_length + extra
        source.seek(back)
        self._packed_left = record.packed
        self._left = record.size
        self._checksum = 0
        self._inflate = zlib.decompressobj(-zlib.MAX_WBITS) if record.method == DEFLATED else None

    def read(self, size: int = -1) -> bytes:
        """The next bytes, at most `size`."""
        wanted = self._left if size < 0 else min(size, self._left)
        pieces = []
        while wanted:
            piece = self._next(min(wanted, CHUNK))
            pieces.append(piece)
            wanted -= len(piece)
            self._left -= len(piece)
            self._checksum = zlib.crc32(piece, self._checksum)
        if not self._left and self._checksum != self._record.checksum:
            raise _bad(f"{self._record.name[:100]!r} is damaged")
        return b"".join(pieces)

    def _next(self, most: int) -> bytes:
        if self._inflate is None:
            piece = self._raw(most)
        else:
            try:
                piece = b""
                while not piece and not self._inflate.eof:
                    data = self._inflate.unconsumed_tail or self._raw(CHUNK)
                    piece = self._inflate.decompress(data, most)
                    # Without input it still gives what it has held back.
                    if not data:
                        break
            except zlib.error as error:
                raise _bad(f"{self._record.name[:100]!r} is damaged ({error})") from error
        if not piece:
            raise _bad(f"{self._record.name[:100]!r} is shorter than the directory says")
        return piece

    def _raw(self, most: int) -> bytes:
        back = self._source.tell()
        self._source.seek(self._place)
        data = self._source.read(min(most, self._packed_left))
        self._place += len(data)
        self._packed_left -= len(data)
        # The directory is read on while the entries are.
        self._source.seek(back)
        return data
