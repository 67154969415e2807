"""An image archive from a stranger becomes one of our own: read, checked, rewritten.

The engine only loads what was written here: plain layers, a small configuration, nothing else.
Knows files, not the engine. The fingerprint is made on the way.
"""

import hashlib
import io
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox import bottom
from sandbox.api import SubmissionRejected
from sandbox.config import MOUNT_POINTS
from sandbox.engine import compact
from sandbox.given_image import GivenImage, Window, plain_archive
from sandbox.image_config import checked_config
from sandbox.layers import FOLDER, LayerWriter, Tree
from sandbox.limits import ImageLimits
from sandbox.tarcheck import Budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Normalised:
    """An image as we wrote it."""

    image: str
    """Its id: the digest of the configuration we wrote."""
    fingerprint: str
    unpacked: int
    files: int
    warnings: tuple[str, ...]


def normalise(
    source: Path, target: Path, architecture: str, limits: ImageLimits, tag: str
) -> Normalised:
    """Read the archive at `source`, write a clean one to `target`; blocking, run it in a thread."""
    budget = Budget.of(limits.unpacked_bytes, limits.files)
    writer = LayerWriter(budget)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch, source.open("rb") as file:
        with plain_archive(file, Path(scratch) / "plain", limits) as archive:
            given = GivenImage(archive, limits)
            document = given.config()
            command = checked_config(document, architecture, limits)
            layers: list[tuple[str, Path]] = []
            for number, layer in enumerate(given.layers(), start=1):
                if number == 1 and _is_bottom(layer, document):
                    continue
                path = Path(scratch) / f"{number}.tar"
                with path.open("wb") as out:
                    # A window supports read and seek, and is not a complete file object.
                    layers.append((writer.copy(layer, out, number), path))  # type: ignore[arg-type]
        _check_places(writer.tree, str(command["WorkingDir"]))
        fingerprint = writer.tree.digest(command)
        layers.insert(0, _bottom(fingerprint, Path(scratch) / "bottom.tar"))
        config = {**command, "Labels": {bottom.LABEL: fingerprint}}
        image = _write(target, config, architecture, layers, tag)
    warnings = tuple(
        f"{name!r} was setuid or setgid; the bits were removed" for name in writer.tree.setuid[:20]
    )
    return Normalised(
        image=image,
        fingerprint=fingerprint,
        unpacked=budget.limit_unpacked - budget.unpacked,
        files=budget.limit_files - budget.files,
        warnings=warnings,
    )


def _is_bottom(layer: Window, document: object) -> bool:
    """Whether an image that we wrote has come back; its lowest layer is then written again."""
    found = layer.read(bottom.LAYER_BYTES + 1)
    layer.seek(0)
    return bottom.is_bottom(found, document)


def _bottom(fingerprint: str, path: Path) -> tuple[str, Path]:
    """The layer that keeps the files of this version apart from those of all others."""
    layer = bottom.bottom_layer(fingerprint)
    path.write_bytes(layer)
    return bottom.layer_id(layer), path


def _check_places(tree: Tree, workdir: str) -> None:
    """Where the sandbox mounts something, an image may have a folder or nothing."""
    for place in MOUNT_POINTS:
        if tree.facts(place) not in (None, FOLDER):
            raise SubmissionRejected(
                "in_the_way", f"/{place} in the image is not a folder.",
                "Remove it: the sandbox needs a folder there.",
            )  # fmt: skip
    found = tree.obstacle(workdir.strip("/"))
    if found is not None:
        path, what = found
        raise SubmissionRejected(
            "workdir" if what == "link" else "in_the_way",
            f"WORKDIR is {workdir[:100]!r}, but /{path[:100]} in the image is a {what}, expected a "
            "folder or nothing.",
            "Name the real folder in WORKDIR.",
        )


def _write(
    target: Path,
    inner: Mapping[str, Any],
    architecture: str,
    layers: Sequence[tuple[str, Path]],
    tag: str,
) -> str:
    config = compact(
        {
            "architecture": architecture,
            "os": "linux",
            "created": "1970-01-01T00:00:00Z",
            "config": inner,
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
