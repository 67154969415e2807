"""An image archive from a stranger becomes one of our own: read, checked, written anew.

The engine only loads what was written here: plain layers, a small configuration, nothing else.
Knows files, not the engine. The fingerprint is made on the way.
"""

import hashlib
import io
import json
import re
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from sandbox.api import SubmissionRejected
from sandbox.engine import compact
from sandbox.layers import FOLDER, LayerWriter, Tree
from sandbox.limits import ImageLimits
from sandbox.tarcheck import Budget, decompressed, entries, safe_name

CHUNK = 1 << 18
UNFIT = re.compile(r"[\0\ud800-\udfff]")
"""What JSON can say, and no command line or environment can hold."""
MOUNT_POINTS = ("tmp", "run", "run/bullring", "proc", "dev", "dev/shm", "sys", "etc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Normalised:
    """An image as we wrote it."""

    image: str
    """Its id: the digest of the configuration we wrote."""
    fingerprint: str
    unpacked: int
    files: int
    warnings: tuple[str, ...]


def _json(data: bytes, name: str) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SubmissionRejected(
            "bad_archive", f"{name} in the archive is not readable JSON.", "Use `docker save`."
        ) from error


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
            places[name] = (entry.offset_data, entry.size)
            if name == "manifest.json":
                manifest = _small(tar, entry, limits)
        elif entry.issym():
            links[name] = str(PurePosixPath(name).parent / entry.linkname)
        elif not entry.isdir():
            raise SubmissionRejected(
                "special_file", f"The archive holds {name[:100]!r}, which is no plain file.",
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


def _read_at(archive: IO[bytes], place: tuple[int, int]) -> bytes:
    archive.seek(place[0])
    return archive.read(place[1])


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


def _strings(value: object, what: str, limits: ImageLimits, default: Sequence[str]) -> list[str]:
    if value is None:
        return list(default)
    good = isinstance(value, list) and all(isinstance(item, str) for item in value)
    if not isinstance(value, list) or not good:
        raise SubmissionRejected("bad_config", f"{what} is not a list of strings.", "Rebuild it.")
    if any(UNFIT.search(item) for item in value):
        raise SubmissionRejected(
            "bad_config", f"{what} holds a character that no program can be given.", "Rebuild it."
        )
    if len(value) > limits.labels or any(len(item.encode()) > limits.label_bytes for item in value):
        raise SubmissionRejected(
            "bad_config", f"{what} has too many or too long entries: at most {limits.labels} of "
            f"{limits.label_bytes} bytes.", "Shorten it.",
        )  # fmt: skip
    return value


def checked_config(document: object, architecture: str, limits: ImageLimits) -> dict[str, Any]:
    """The few fields of an image configuration that we keep, or a refusal."""
    if not isinstance(document, dict) or not isinstance(document.get("config") or {}, dict):
        raise SubmissionRejected("bad_config", "The image has no configuration.", "Rebuild it.")
    if (document.get("os"), document.get("architecture")) != ("linux", architecture):
        got = f"{document.get('os')}/{document.get('architecture')}"
        raise SubmissionRejected(
            "architecture", f"The image is for {got[:60]!r}, this server runs "
            f"linux/{architecture}.", f"Build it with --platform linux/{architecture}.",
        )  # fmt: skip
    config = document.get("config") or {}
    for key, word in (("Volumes", "VOLUME"), ("Healthcheck", "HEALTHCHECK"),
                      ("OnBuild", "ONBUILD")):  # fmt: skip
        if config.get(key):
            raise SubmissionRejected(
                word.lower(), f"The image declares {word}, which is not allowed.",
                f"Remove {word} from its Dockerfile, and from its base image.",
            )  # fmt: skip
    labels = config.get("Labels") or {}
    if not isinstance(labels, dict) or len(labels) > limits.labels:
        raise SubmissionRejected(
            "bad_config", f"The image has more than {limits.labels} labels.", "Remove some."
        )
    command = {
        "Entrypoint": _strings(config.get("Entrypoint"), "ENTRYPOINT", limits, ()),
        "Cmd": _strings(config.get("Cmd"), "CMD", limits, ()),
        "Env": _strings(config.get("Env"), "ENV", limits, ()),
        "WorkingDir": _strings([config.get("WorkingDir") or "/"], "WORKDIR", limits, ())[0],
    }
    if not command["Entrypoint"] and not command["Cmd"]:
        raise SubmissionRejected(
            "no_command", "The image has neither CMD nor ENTRYPOINT.",
            'Add CMD ["python3", "/bot/bot.py"], or what starts your bot.',
        )  # fmt: skip
    return command


def normalise(
    source: Path, target: Path, architecture: str, limits: ImageLimits, tag: str
) -> Normalised:
    """Read the archive at `source`, write a clean one to `target`; blocking, run it in a thread."""
    budget = Budget.of(limits.unpacked_bytes, limits.files)
    writer = LayerWriter(budget)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch, source.open("rb") as given:
        plain = _plain(given, Path(scratch) / "plain", limits)
        with plain:
            places, manifest = _scan(plain, limits)
            config_name, layer_names = _manifest(manifest, limits)
            for name in (config_name, *layer_names):
                if name not in places:
                    raise SubmissionRejected(
                        "bad_archive", f"manifest.json names {name[:100]!r}, which is not in the "
                        "archive.", "Make it with `docker save`.",
                    )  # fmt: skip
            _check_document(config_name, places[config_name][1], limits)
            document = _json(_read_at(plain, places[config_name]), "the configuration")
            command = checked_config(document, architecture, limits)
            layers: list[tuple[str, Path]] = []
            for number, name in enumerate(layer_names, start=1):
                path = Path(scratch) / f"{number}.tar"
                window = _Window(plain, *places[name])
                with path.open("wb") as out:
                    # A window is read and sought in, and is no whole file.
                    layers.append((writer.copy(window, out, number), path))  # type: ignore[arg-type]
            _check_places(writer.tree, str(command["WorkingDir"]))
            image = _write(target, command, architecture, layers, tag)
    warnings = tuple(
        f"{name!r} was setuid or setgid; the bits were removed" for name in writer.tree.setuid[:20]
    )
    return Normalised(
        image=image,
        fingerprint=writer.tree.digest(command),
        unpacked=budget.limit_unpacked - budget.unpacked,
        files=budget.limit_files - budget.files,
        warnings=warnings,
    )


def _check_places(tree: Tree, workdir: str) -> None:
    """Where the sandbox mounts something, an image may have a folder or nothing."""
    for place in (*MOUNT_POINTS, workdir.strip("/")):
        if place and tree.facts(place) not in (None, FOLDER):
            raise SubmissionRejected(
                "in_the_way", f"/{place[:100]} in the image is not a folder.",
                "Remove it: the sandbox, or your WORKDIR, needs a folder there.",
            )  # fmt: skip


def _plain(given: IO[bytes], path: Path, limits: ImageLimits) -> IO[bytes]:
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


class _Window:
    """A part of a file, as a file."""

    def __init__(self, file: IO[bytes], start: int, size: int) -> None:
        self._file = file
        self._start = start
        self._size = size
        self._at = 0

    def read(self, size: int = -1) -> bytes:
        left = self._size - self._at
        wanted = left if size < 0 else min(size, left)
        self._file.seek(self._start + self._at)
        data = self._file.read(wanted)
        self._at += len(data)
        return data

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + (self._at if whence == 1 else self._size if whence == 2 else 0)
        return self._at


def _write(
    target: Path,
    command: Mapping[str, Any],
    architecture: str,
    layers: Sequence[tuple[str, Path]],
    tag: str,
) -> str:
    config = compact(
        {
            "architecture": architecture,
            "os": "linux",
            "created": "1970-01-01T00:00:00Z",
            "config": command,
            "rootfs": {"type": "layers", "diff_ids": [digest for digest, _ in layers]},
        }
    ).encode()
    image = hashlib.sha256(config).hexdigest()
    manifest = [
        {
            "Config": f"{image}.json",
            "RepoTags": [f"{tag}:{image[:32]}"],
            "Layers": [f"{number}/layer.tar" for number in range(len(layers))],
        }
    ]
    with tarfile.open(target, "w") as tar:
        for name, data in (
            (f"{image}.json", config),
            ("manifest.json", compact(manifest).encode()),
        ):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        for number, (_, path) in enumerate(layers):
            tar.add(path, f"{number}/layer.tar")
    return f"sha256:{image}"
