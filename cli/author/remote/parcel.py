"""What is submitted: a folder, an image of this machine, an archive, or a name in a registry."""

import asyncio
import hashlib
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cli.options import refuse

if TYPE_CHECKING:
    from sandbox.engine import Engine

CHUNK = 1 << 16
SCAN_BYTES = 1 << 40
SCAN_FILES = 1 << 16
IMAGE = "image:"
IMAGE_FILES = ("manifest.json", "oci-layout")
"""Either of them at the top of an archive makes it a saved image."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """One submission, ready to be sent."""

    kind: str
    """`build_context`, `image_archive` or `reference`."""
    identity: str
    """Equal for equal content: a hash of the file, an image's id, a reference."""
    file: Path | None = None
    reference: str = ""

    @property
    def size(self) -> int:
        """Bytes to be sent."""
        return 0 if self.file is None else self.file.stat().st_size

    def key(self, bot: str, *, again: bool = False) -> str:
        """The Idempotency-Key: the same content for the same bot is the same submission."""
        salt = secrets.token_hex(8) if again else ""
        text = "\0".join((bot, self.kind, self.identity, salt))
        return "cli-" + hashlib.sha256(text.encode()).hexdigest()[:48]


class Form:
    """A multipart form whose file is read while it is sent; says how far it is."""

    def __init__(
        self, fields: Mapping[str, str], file: Path | None, advance: Callable[[int], None]
    ) -> None:
        self.boundary = secrets.token_hex(16)
        self._file = file
        self._advance = advance
        parts = [self._part(f'name="{name}"', value) for name, value in fields.items()]
        if file is not None:
            parts.append(self._part('name="file"; filename="bot.tar"', ""))
        # The file's own bytes come between its head and the line end that closes its part.
        self._head = b"\r\n".join(parts)
        self._tail = f"\r\n--{self.boundary}--\r\n".encode()

    def _part(self, about: str, value: str) -> bytes:
        start = f"--{self.boundary}\r\nContent-Disposition: form-data; {about}\r\n\r\n"
        return start.encode() + value.encode()

    def __len__(self) -> int:
        size = 0 if self._file is None else self._file.stat().st_size
        return len(self._head) + size + len(self._tail)

    def __iter__(self) -> Iterator[bytes]:
        yield self._head
        if self._file is not None:
            with self._file.open("rb") as file:
                while data := file.read(CHUNK):
                    yield data
                    self._advance(len(data))
        yield self._tail

    @property
    def content_type(self) -> str:
        """The header that names the boundary."""
        return f"multipart/form-data; boundary={self.boundary}"


def make_parcel(
    what: str, scratch: Path, *, build_here: bool, tell: Callable[[str], None]
) -> Parcel:
    """Find out what was named and make it ready; what cannot be submitted ends the command."""
    if "@sha256:" in what:
        return Parcel(kind="reference", identity=what, reference=what)
    if what.startswith(IMAGE):
        return asyncio.run(_image(what.removeprefix(IMAGE), None, scratch, tell))
    path = Path(what).expanduser()
    if path.is_dir():
        if not (path / "Dockerfile").is_file():
            refuse(
                f"{what} has no Dockerfile, so it cannot be built; `bullring new FOLDER` makes a"
                " folder that has one"
            )
        if build_here:
            return asyncio.run(_image(None, path, scratch, tell))
        return _folder(path, scratch)
    if not path.is_file():
        refuse(
            f"there is no {what!r} here; name a folder with a Dockerfile, image:NAME, an archive of"
            " either, or registry/name@sha256:…"
        )
    return Parcel(kind=_archive_kind(path), identity=_hash(path), file=path)


def _folder(folder: Path, scratch: Path) -> Parcel:
    from sandbox.api import SubmissionRejected
    from sandbox.packing import pack

    target = scratch / "context.tar"
    try:
        pack(folder, target)
    except SubmissionRejected as error:
        refuse(str(error))
    return Parcel(kind="build_context", identity=_hash(target), file=target)


async def _image(
    name: str | None, folder: Path | None, scratch: Path, tell: Callable[[str], None]
) -> Parcel:
    from sandbox.api import PlatformFault, SubmissionRejected
    from sandbox.engine import Engine

    try:
        engine = Engine()
    except PlatformFault as error:
        refuse(f"{error} Or let the league build it: submit the folder without --build-here.")
    try:
        image = await _image_id(engine, name, folder, tell)
        target = scratch / "image.tar.gz"
        tell(f"Saving the image {image[:19]}…")
        from sandbox.home import save_image

        await save_image(engine, image, target)
    except (PlatformFault, SubmissionRejected) as error:
        refuse(str(error))
    finally:
        engine.close()
    return Parcel(kind="image_archive", identity=image, file=target)


async def _image_id(
    engine: "Engine", name: str | None, folder: Path | None, tell: Callable[[str], None]
) -> str:
    from sandbox.home import build_plainly, image_named

    if folder is not None:
        return await build_plainly(engine, folder, tell)
    return (await image_named(engine, name or "")).image


def _archive_kind(path: Path) -> str:
    from sandbox.api import SubmissionRejected
    from sandbox.tarcheck import decompressed, entries
    from sandbox.zipcheck import is_zip, zip_entries

    what = str(path)
    names = set()
    try:
        with path.open("rb") as file:
            given = (
                (entry for entry, _ in zip_entries(file, SCAN_FILES))
                if is_zip(file)
                else (entry for _, entry in entries(decompressed(file, SCAN_BYTES, what), what))
            )
            for entry in given:
                name = entry.name.removeprefix("./")
                if name in IMAGE_FILES:
                    return "image_archive"
                names.add(name)
    except (SubmissionRejected, OSError) as error:
        refuse(f"{path}: {error}")
    if "Dockerfile" not in names:
        refuse(
            f"{path} holds neither a Dockerfile at its top nor a saved image; make it with"
            " `tar -C FOLDER -cf bot.tar .` or `docker save NAME -o bot.tar`"
        )
    return "build_context"


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
