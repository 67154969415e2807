"""Uploads: streamed to disk and counted on the way, so that nobody can send more than the limit."""

import hashlib
import os
import secrets
import shutil
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from python_multipart.exceptions import FormParserError, MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request

from dashboard.problems import Refused
from dashboard.text import size as size_words

FIELD_BYTES = 16 * 1024
MAX_FIELDS = 20
PIECE = 1024 * 1024
AT_ONCE = 2
"""Uploads that one owner may have under way in one process."""
RESERVE = 1024**3
"""Bytes of the disk that uploads leave free, for results and the database."""
STALE_SECONDS = 86400
_PART = ".part-"
_GONE = "the sender went away"


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file on disk. `name` is ours and random; what the sender called it is only a label."""

    name: str
    size: int
    sha256: str
    filename: str


@dataclass(slots=True)
class Received:
    """The fields of a form, and its file if there was one."""

    fields: dict[str, str] = field(default_factory=dict)
    upload: Upload | None = None


Check = Callable[[dict[str, str]], None]
"""Called with the fields so far, before the first byte of a file is kept; refuses by raising."""


class UnderWay:
    """The uploads of each owner that are being received; for the event loop alone."""

    def __init__(self) -> None:
        self._count: Counter[int] = Counter()

    @contextmanager
    def one(self, owner_id: int) -> Iterator[None]:
        """One more, until the end of the block."""
        if self._count[owner_id] >= AT_ONCE:
            words = f"{AT_ONCE} of your uploads are under way; wait until one has ended"
            raise Refused(429, words, headers={"retry-after": "10"})
        self._count[owner_id] += 1
        try:
            yield
        finally:
            self._count[owner_id] -= 1
            # Without this every owner who ever uploaded would stay in memory.
            self._count += Counter()


class _File:
    """One file being received. Its name on disk says so until it is whole."""

    def __init__(self, folder: Path, limit: int) -> None:
        self.folder, self.limit = folder, limit
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if shutil.disk_usage(folder).free < RESERVE:
            raise Refused(507, "no room for the file: the disk is almost full; tell the organiser")
        self.part = folder / (_PART + secrets.token_hex(16))
        descriptor = os.open(self.part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        self.file: IO[bytes] = os.fdopen(descriptor, "wb")
        self.digest = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> None:
        self.size += len(data)
        if self.size > self.limit:
            raise Refused(
                413, f"the file is larger than {size_words(self.limit)}; hand in a smaller one"
            )
        self.digest.update(data)
        try:
            self.file.write(data)
        except OSError as error:
            raise Refused(
                507, f"no room for the file: {error.strerror}; tell the organiser"
            ) from error

    def keep(self, filename: str) -> Upload:
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()
        name = secrets.token_hex(16)
        self.part.rename(self.folder / name)
        return Upload(
            name=name, size=self.size, sha256=self.digest.hexdigest(), filename=filename[:200]
        )

    def drop(self) -> None:
        self.file.close()
        self.part.unlink(missing_ok=True)


class _Form:
    """Callbacks of the multipart parser; runs in a thread, a piece at a time."""

    def __init__(self, boundary: bytes, folder: Path, limit: int, check: Check) -> None:
        self.folder, self.limit, self.check = folder, limit, check
        self.received = Received()
        self.file: _File | None = None
        self._header = b""
        self._value = b""
        self._name = ""
        self._filename: str | None = None
        self._data = bytearray()
        self.ended = False
        self.parser = MultipartParser(
            boundary,
            {
                "on_header_field": self._on_header_field,
                "on_header_value": self._on_header_value,
                "on_header_end": self._on_header_end,
                "on_headers_finished": self._on_headers_finished,
                "on_part_begin": self._on_part_begin,
                "on_part_data": self._on_part_data,
                "on_part_end": self._on_part_end,
                "on_end": self._on_end,
            },
        )

    def _on_part_begin(self) -> None:
        self._name, self._filename = "", None
        self._data.clear()

    def _on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _on_header_end(self) -> None:
        if self._header.lower() == b"content-disposition":
            _, options = parse_options_header(self._value)
            self._name = options.get(b"name", b"").decode("utf-8", "replace")
            if b"filename" in options:
                name = options[b"filename"].decode("utf-8", "replace")
                self._filename = name.replace("\0", "\ufffd")
        self._header = self._value = b""

    def _on_headers_finished(self) -> None:
        if self._filename is None:
            if len(self.received.fields) >= MAX_FIELDS:
                raise Refused(413, f"got more than {MAX_FIELDS} fields in one form")
            return
        if self.file is not None or self.received.upload is not None:
            raise Refused(422, "got two files in one form, expected one")
        self.check(self.received.fields)
        self.file = _File(self.folder, self.limit)

    def _on_part_data(self, data: bytes, start: int, end: int) -> None:
        if self._filename is not None and self.file is not None:
            self.file.write(data[start:end])
            return
        self._data += data[start:end]
        if len(self._data) > FIELD_BYTES:
            raise Refused(413, f"the field {self._name[:40]!r} is longer than {FIELD_BYTES} bytes")

    def _on_part_end(self) -> None:
        if self._filename is None:
            # PostgreSQL keeps no text with the character NUL, and nobody types it.
            text = self._data.decode("utf-8", "replace").replace("\0", "\ufffd")
            self.received.fields[self._name] = text
        elif self.file is not None:
            # A form without a chosen file sends an empty one.
            if self.file.size == 0 and not self._filename:
                self.file.drop()
            else:
                self.received.upload = self.file.keep(self._filename)
            self.file = None

    def _on_end(self) -> None:
        self.ended = True


async def receive_form(request: Request, folder: Path, limit: int, check: Check) -> Received:
    """Read a multipart form; on any failure nothing is left on the disk."""
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    boundary = options.get(b"boundary")
    if kind != b"multipart/form-data" or not boundary:
        raise Refused(415, "expected a form with a file (multipart/form-data)")
    _check_length(request, limit)
    try:
        form = _Form(boundary, folder, limit, check)
    except FormParserError as error:
        raise Refused(400, f"the form cannot be read: {error}") from None
    try:
        async for piece in _pieces(request):
            await run_in_threadpool(form.parser.write, piece)
        if not form.ended:
            raise Refused(400, "the form ends too early; send it again")
    except MultipartParseError as error:
        _abandon(form, folder)
        raise Refused(400, f"the form cannot be read: {error}") from None
    except ClientDisconnect:
        _abandon(form, folder)
        raise Refused(400, _GONE) from None
    except BaseException:
        # A request that is cancelled leaves no piece of its file behind either.
        _abandon(form, folder)
        raise
    if form.received.upload is None:
        check(form.received.fields)
    return form.received


async def discard(request: Request) -> None:
    """Read a body to its end and keep nothing of it."""
    try:
        async for _ in request.stream():
            continue
    except ClientDisconnect:
        raise Refused(400, _GONE) from None


def remove(folder: Path, upload: Upload) -> None:
    """Take back a file that turned out not to be wanted."""
    (folder / upload.name).unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Clear away what a process that died was receiving; another's that is under way is younger."""
    for part in folder.glob(_PART + "*"):
        try:
            if time.time() - part.stat().st_mtime > STALE_SECONDS:
                part.unlink()
        except FileNotFoundError:
            continue


def _abandon(form: _Form, folder: Path) -> None:
    if form.file is not None:
        form.file.drop()
    if form.received.upload is not None:
        remove(folder, form.received.upload)


def _check_length(request: Request, limit: int) -> None:
    """A sender who is honest about the size need not send it all to be refused."""
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > limit + MAX_FIELDS * FIELD_BYTES:
        raise Refused(413, f"the file is larger than {size_words(limit)}; hand in a smaller one")


async def _pieces(request: Request) -> AsyncIterator[bytes]:
    """The body in pieces large enough to be worth a thread each."""
    waiting = bytearray()
    async for chunk in request.stream():
        waiting += chunk
        if len(waiting) >= PIECE:
            yield bytes(waiting)
            waiting.clear()
    if waiting:
        yield bytes(waiting)
