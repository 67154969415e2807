"""Image archives and build contexts for tests, honest ones and hostile ones."""

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

CONFIG: dict[str, Any] = {
    "architecture": "amd64",
    "os": "linux",
    "config": {"Cmd": ["/bot"], "Env": ["PATH=/bin"], "WorkingDir": "/"},
}


def entry(name: str, kind: bytes = tarfile.REGTYPE, **fields: Any) -> tarfile.TarInfo:
    """A tar entry without contents."""
    info = tarfile.TarInfo(name)
    info.type = kind
    info.mode = 0o755
    for key, value in fields.items():
        setattr(info, key, value)
    return info


Entries = Iterable[tuple[tarfile.TarInfo, bytes]]


def tar_of(items: Entries, **options: Any) -> bytes:
    """A tar of entries with their contents."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", **options) as tar:
        for info, data in items:
            info.size = len(data) if info.isreg() else 0
            tar.addfile(info, io.BytesIO(data))
    return packed.getvalue()


def files(**contents: bytes) -> Entries:
    """Plain files; `__` in a name stands for a slash and `_dot_` for a dot."""
    return [
        (entry(name.replace("__", "/").replace("_dot_", ".")), data)
        for name, data in contents.items()
    ]


def archive(
    layers: list[bytes] | None = None,
    config: Mapping[str, Any] | None = None,
    manifest: object = None,
    extra: Entries = (),
) -> bytes:
    """An image archive in the form of `docker save`."""
    layers = [tar_of(files(bot=b"#!"))] if layers is None else layers
    plain = [gzip.decompress(x) if x[:2] == b"\x1f\x8b" else x for x in layers[:1]]
    document = {
        **(config or CONFIG),
        "rootfs": {
            "type": "layers",
            "diff_ids": ["sha256:" + hashlib.sha256(x).hexdigest() for x in plain],
        },
    }
    names = [f"{number}/layer.tar" for number in range(len(layers))]
    listed = [{"Config": "config.json", "RepoTags": ["x:y"], "Layers": names}]
    items = [
        (entry("config.json"), json.dumps(document).encode()),
        (entry("manifest.json"), json.dumps(listed if manifest is None else manifest).encode()),
        *((entry(name), data) for name, data in zip(names, layers, strict=True)),
        *extra,
    ]
    return tar_of(items)


async def stream(data: bytes, size: int = 1 << 16) -> AsyncIterator[bytes]:
    """Bytes as an upload."""
    for start in range(0, len(data), size):
        yield data[start : start + size]
