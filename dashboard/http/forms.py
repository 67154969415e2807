"""Forms as browsers send them: read a piece at a time, and never more than their limit."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs

from python_multipart.exceptions import FormParserError, MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request

from api_models.words import size as size_words
from dashboard.http.problems import Refused
from dashboard.http.uploads import PartFile, Upload, remove

FORM_BYTES = 64 * 1024
"""A plain form, without a file."""
FIELD_BYTES = 16 * 1024
MAX_FIELDS = 20
PIECE = 1024 * 1024
_GONE = "the sender went away"


async def read_form(request: Request) -> dict[str, list[str]]:
    """The fields of a plain form, never more than `FORM_BYTES`."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise Refused(415, f"got content type {kind[:60]!r}, expected a plain form")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > FORM_BYTES:
            raise Refused(413, f"the form is larger than {FORM_BYTES} bytes")
    try:
        form = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=100, errors="strict")
    except ValueError:
        raise Refused(422, "the form cannot be read: it must be UTF-8 with few fields") from None
    if any("\0" in value for values in form.values() for value in values):
        # PostgreSQL keeps no text with it, and no keyboard sends it.
        raise Refused(422, "the form holds the character NUL; leave it out")
    return form


@dataclass(slots=True)
class Received:
    """The fields of a form, and its file if there was one."""

    fields: dict[str, str] = field(default_factory=dict)
    upload: Upload | None = None


Check = Callable[[dict[str, str]], None]
"""Called with the fields so far, before the first byte of a file is kept; refuses by raising."""


class _Form:
    """Callbacks of the multipart parser; runs in a thread, a piece at a time."""

    def __init__(self, boundary: bytes, folder: Path, limit: int, check: Check) -> None:
        self.folder, self.limit, self.check = folder, limit, check
        self.received = Received()
        self.file: PartFile | None = None
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
        self.file = PartFile(self.folder, self.limit)

    def _on_part_data(self, data: bytes, start: int, end: int) -> None:
        if self._filename is not None and self.file is not None:
            self.file.write(data[start:end])
            return
        self._data += data[start:end]
        if len(self._data) > FIELD_BYTES:
            raise Refused(413, f"the field {self._name[:40]!r} is longer than {FIELD_BYTES} bytes")

    def _on_part_end(self) -> None:
        if self._filename is None:
            # PostgreSQL keeps no text with the character NUL, and no keyboard sends it.
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
        raise Refused(422, f"the form cannot be read: {error}") from None
    try:
        async for piece in _pieces(request):
            await run_in_threadpool(form.parser.write, piece)
        if not form.ended:
            raise Refused(422, "the form ends too early; send it again")
    except MultipartParseError as error:
        _abandon(form, folder)
        raise Refused(422, f"the form cannot be read: {error}") from None
    except ClientDisconnect:
        _abandon(form, folder)
        raise Refused(422, _GONE) from None
    except BaseException:
        # A request that is cancelled leaves no piece of its file behind either.
        _abandon(form, folder)
        raise
    if form.received.upload is None:
        check(form.received.fields)
    return form.received


async def discard_parts(request: Request) -> None:
    """Read a body to its end and keep nothing of it."""
    try:
        async for _ in request.stream():
            continue
    except ClientDisconnect:
        raise Refused(422, _GONE) from None


def _abandon(form: _Form, folder: Path) -> None:
    if form.file is not None:
        form.file.drop()
    if form.received.upload is not None:
        remove(folder, form.received.upload)


def _check_length(request: Request, limit: int) -> None:
    """A sender who is honest about the size need not send it all to be refused."""
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > limit + MAX_FIELDS * FIELD_BYTES:
        raise Refused(413, f"the file is larger than {size_words(limit)}; submit a smaller one")


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
