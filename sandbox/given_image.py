"""An image archive as a stranger gave it: where its files lie, its manifest, its documents.

Nothing of it is unpacked or believed here; layers are passed on as windows into the archive.
"""

import json
import tarfile
from collections.abc import Container, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any

from sandbox.api import SubmissionRejected
from sandbox.limits import ImageLimits
from sandbox.tarcheck import decompressed, entries, safe_name

CHUNK = 1 << 18


def plain_archive(given: IO[bytes], path: Path, limits: ImageLimits) -> IO[bytes]:
    """The archive without the gzip around it, counted while it is unpacked."""
    if given.read(2) != b"\x1f\x8b":
        given.seek(0)
        return given
    given.seek(0)
    reader = decompressed(given, limits.unpacked_bytes, "The archive")
    with path.open("wb") as out:
        while data := reader.read(CHUNK):
            out.write(data)
    return path.open("rb")


class GivenImage:
    """The one image of a plain archive; whatever is not as `docker save` writes it is refused."""

    def __init__(self, archive: IO[bytes], limits: ImageLimits) -> None:
        self._archive = archive
        self._limits = limits
        self._places, manifest = _scan(archive, limits)
        self._config_name, self._layer_names = _manifest(manifest, limits)
        for name in (self._config_name, *self._layer_names):
            if name not in self._places:
                raise SubmissionRejected(
                    "bad_archive", f"manifest.json names {name[:100]!r}, which is not in the "
                    "archive.", "Make it with `docker save`.",
                )  # fmt: skip

    def config(self) -> object:
        """The document that says how the image runs, unchecked."""
        start, size = self._places[self._config_name]
        _check_document(self._config_name, size, self._limits)
        self._archive.seek(start)
        return _json(self._archive.read(size), "the configuration")

    def layers(self) -> Iterator["Window"]:
        """Every layer as a file, from the lowest on."""
        for name in self._layer_names:
            yield Window(self._archive, *self._places[name])


class Window:
    """A part of a file, as a file."""

    def __init__(self, file: IO[bytes], start: int, size: int) -> None:
        self._file = file
        self._start = start
        self._size = size
        self._at = 0

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes, or all that are left."""
        left = self._size - self._at
        wanted = left if size < 0 else min(size, left)
        self._file.seek(self._start + self._at)
        data = self._file.read(wanted)
        self._at += len(data)
        return data

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go on reading elsewhere in the part."""
        self._at = offset + (self._at if whence == 1 else self._size if whence == 2 else 0)
        return self._at


def _scan(archive: IO[bytes], limits: ImageLimits) -> tuple[dict[str, tuple[int, int]], bytes]:
    """Where each file of the (plain) archive lies, and the manifest."""
    places: dict[str, tuple[int, int]] = {}
    manifest: bytes | None = None
    archive.seek(0)
    reader = decompressed(archive, limits.archive_bytes * 2, "The archive")
    links: dict[str, str] = {}
    for number, (tar, entry) in enumerate(entries(reader, "The archive")):
        name = safe_name(entry.name, "The archive")
        # A layer has three files and a folder in the oldest form of `docker save`.
        if number > limits.layers * 6:
            raise SubmissionRejected(
                "too_many_files", f"The archive holds more than {limits.layers * 6} entries.",
                f"At most {limits.layers} layers are allowed; use fewer instructions.",
            )  # fmt: skip
        if entry.isfile():
            _check_new(name, places)
            places[name] = (entry.offset_data, entry.size)
            if name == "manifest.json":
                manifest = _small(tar, entry, limits)
        elif entry.issym():
            links[name] = str(PurePosixPath(name).parent / entry.linkname)
        elif not entry.isdir():
            raise SubmissionRejected(
                "special_file", f"The archive holds {name[:100]!r}, which is not a plain file.",
                "Make it with `docker save`.",
            )  # fmt: skip
    for name, target in links.items():
        place = places.get(_resolved(target))
        if place:
            places[name] = place
    if manifest is None:
        raise SubmissionRejected(
            "bad_archive", "The archive has no manifest.json: it is not an image archive.",
            "Make it with `docker save IMAGE > bot.tar`.",
        )  # fmt: skip
    return places, manifest


def _check_new(name: str, known: Container[str]) -> None:
    if name in known:
        raise SubmissionRejected(
            "duplicate_name", f"The archive holds {name[:100]!r} twice, expected each file once.",
            "Make it with `docker save`, and append nothing to it.",
        )  # fmt: skip


def _resolved(path: str) -> str:
    """A path with its `..` folded, as old `docker save` writes links between layers."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if parts:
                parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _small(tar: tarfile.TarFile, entry: tarfile.TarInfo, limits: ImageLimits) -> bytes:
    _check_document(entry.name, entry.size, limits)
    file = tar.extractfile(entry)
    return file.read() if file else b""


def _check_document(name: str, size: int, limits: ImageLimits) -> None:
    if size > limits.manifest_bytes:
        raise SubmissionRejected(
            "too_large", f"{name[:100]!r} has {size} bytes; at most {limits.manifest_bytes} are "
            "read.", "Use fewer labels and layers.",
        )  # fmt: skip


def _manifest(data: bytes, limits: ImageLimits) -> tuple[str, list[str]]:
    images = _json(data, "manifest.json")
    if not isinstance(images, list) or len(images) != 1 or not isinstance(images[0], dict):
        count = len(images) if isinstance(images, list) else 0
        raise SubmissionRejected(
            "bad_archive", f"The archive holds {count} images, expected exactly one.",
            "Save one image: `docker save IMAGE > bot.tar`.",
        )  # fmt: skip
    config, layers = images[0].get("Config"), images[0].get("Layers")
    if (
        not isinstance(config, str)
        or not isinstance(layers, list)
        or not all(isinstance(layer, str) for layer in layers)
    ):
        raise SubmissionRejected(
            "bad_archive", "manifest.json does not name a configuration and layers.",
            "Make the archive with `docker save`.",
        )  # fmt: skip
    if not 0 < len(layers) <= limits.layers:
        raise SubmissionRejected(
            "too_many_layers", f"The image has {len(layers)} layers, allowed are 1 to "
            f"{limits.layers}.", "Join RUN and COPY instructions.",
        )  # fmt: skip
    return config, layers


def _json(data: bytes, name: str) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SubmissionRejected(
            "bad_archive", f"{name} in the archive is not readable JSON.", "Use `docker save`."
        ) from error
