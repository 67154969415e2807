"""For an author at home: an image by its ordinary name, and a folder with a Dockerfile.

The folder goes through the same intake as on a server, so that what plays here is accepted there.
"""

import asyncio
import gzip
import tarfile
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from sandbox.api import ImageProgram, SubmissionRejected
from sandbox.base import BASES
from sandbox.dockerignore import Ignored
from sandbox.engine import Engine, EngineError
from sandbox.intake import Accepted, Intake, Policy, pinned
from sandbox.owner import Owner

LEFT_OUT = (
    ".git", ".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".venv", "__pycache__",
    "build", "node_modules",
)  # fmt: skip
"""Caches and the like, wherever they lie; what else a bot does not need, .dockerignore names."""
IGNORE_FILE = ".dockerignore"
ALWAYS = ("Dockerfile",)
CHUNK = 1 << 18


async def image_named(engine: Engine, name: str) -> ImageProgram:
    """The image that a name stands for now, as a program."""
    try:
        return ImageProgram(image=str((await engine.image(name))["Id"]))
    except EngineError as error:
        if error.status != 404:
            raise
        raise SubmissionRejected(
            "no_image", f"This machine has no image named {name!r}.",
            f"Build it: docker build -t {name} .",
        ) from error  # fmt: skip


def _wanted(entry: tarfile.TarInfo, ignored: Ignored) -> tarfile.TarInfo | None:
    if Path(entry.name).name in LEFT_OUT:
        return None
    # A folder stays if a later line may bring back something in it.
    whole = not (entry.isdir() and ignored.can_bring_back)
    if whole and entry.name not in ALWAYS and ignored.leaves_out(entry.name):
        return None
    # The same files give the same bytes, whoever packs them and whenever.
    entry.mtime = entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def pack(folder: Path, target: Path) -> None:
    """Write a folder as a build context, without what no bot needs; blocking."""
    file = folder / IGNORE_FILE
    ignored = Ignored(file.read_text("utf-8", "replace") if file.is_file() else "")
    with tarfile.open(target, "w") as tar:
        for path in sorted(folder.iterdir()):
            tar.add(path, path.name, filter=lambda entry: _wanted(entry, ignored))


async def packed(folder: Path) -> AsyncIterator[bytes]:
    """A folder as a build context."""
    with tempfile.TemporaryDirectory(prefix="bullring-pack-") as scratch:
        target = Path(scratch) / "context"
        await asyncio.to_thread(pack, folder, target)
        with target.open("rb") as file:
            while data := file.read(CHUNK):
                yield data


async def build_plainly(engine: Engine, folder: Path, tell: Callable[[str], None]) -> str:
    """Build a folder as `docker build` would, with everything this machine allows; returns the
    image's id. What the league refuses in an image it refuses later."""

    def work(api: Any) -> str:
        for event in api.build(path=str(folder), rm=True, forcerm=True, decode=True):
            if "error" in event:
                raise SubmissionRejected(
                    "build_failed", str(event["error"]).strip(), "Fix the Dockerfile."
                )
            for line in str(event.get("stream", "")).splitlines():
                if line.strip():
                    tell(line)
            if "aux" in event and "ID" in event["aux"]:
                built.append(str(event["aux"]["ID"]))
        return built[-1]

    built: list[str] = []
    return await engine.call(work)


async def save_image(engine: Engine, image: str, target: Path) -> None:
    """Write an image as an archive, as `docker save` would, compressed."""

    def work(api: Any) -> None:
        # Level 1: an upload over a slow line gains, one to this machine hardly loses.
        with target.open("wb") as out, gzip.GzipFile("", "wb", 1, out, mtime=0) as packed_file:
            for piece in api.get_image(image):
                packed_file.write(piece)

    await engine.call(work)


async def build_folder(engine: Engine, owner: Owner, folder: Path) -> Accepted:
    """Build a folder with a Dockerfile by the rules of intake, on any base that is here."""
    bases = await pinned(engine, BASES, needed=())
    return await Intake(engine, owner, Policy(bases=bases)).from_context(packed(folder))
