"""The lowest layer of every image that we write: a few bytes that no other version has.

An engine stores a layer by the chain of layers below it. With a lowest layer of its own a version
shares no file on disk with another, not even those of a common base image, so that no bot can tell
from a file's pages in memory what another bot has read.
"""

import hashlib
import io
import re
import tarfile
from collections.abc import Mapping, Sequence
from typing import Any

LABEL = "bullring.apart"
"""Names, in the configuration that we write, the fingerprint that the lowest layer holds."""
FILE = ".bullring-fingerprint"
FINGERPRINT = re.compile(r"[0-9a-f]{64}")
LAYER_BYTES = 10240
"""The size of such a layer: one block of a tar."""


def bottom_layer(fingerprint: str) -> bytes:
    """The layer as a tar, the same bytes for the same fingerprint on every machine."""
    if not FINGERPRINT.fullmatch(fingerprint):
        raise ValueError(f"{fingerprint[:80]!r} is no fingerprint: expected 64 hex digits.")
    data = fingerprint.encode() + b"\n"
    entry = tarfile.TarInfo(FILE)
    entry.size, entry.mode = len(data), 0o444
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        tar.addfile(entry, io.BytesIO(data))
    return packed.getvalue()


def layer_id(layer: bytes) -> str:
    """What an image's configuration calls a layer."""
    return "sha256:" + hashlib.sha256(layer).hexdigest()


def is_bottom(layer: bytes, config: object) -> bool:
    """Whether this lowest layer is one of ours, for the image with this configuration.

    Somebody may save an image that was accepted and send it again: its files are the same, so it
    must become the same image, without a second such layer.
    """
    inner = config.get("config") if isinstance(config, Mapping) else None
    labels = inner.get("Labels") if isinstance(inner, Mapping) else None
    named = labels.get(LABEL) if isinstance(labels, Mapping) else None
    if not isinstance(named, str) or not FINGERPRINT.fullmatch(named):
        return False
    return layer == bottom_layer(named)


def stands_apart(labels: Mapping[str, Any] | None, layers: Sequence[str]) -> bool:
    """Whether an image, by what the engine says of it, has a lowest layer of its own."""
    named = str((labels or {}).get(LABEL, ""))
    if not FINGERPRINT.fullmatch(named) or not layers:
        return False
    return layers[0] == layer_id(bottom_layer(named))
