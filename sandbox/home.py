"""For an author at home: an image by its ordinary name, and a folder with a Dockerfile.

The folder goes through the same intake as on a server, so that what plays here is accepted there.
"""

import asyncio
import tarfile
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from sandbox.api import ImageProgram, SubmissionRejected
from sandbox.engine import Engine, EngineError
from sandbox.intake import Accepted, Intake, Policy
from sandbox.owner import Owner

LEFT_OUT = (".git", "__pycache__", ".venv", "build", "node_modules")
CHUNK = 1 << 18
BASES = ("bullring-base", "bullring-javascript", "bullring-cpp", "bullring-ruby")
"""Those of them that this machine has may stand after FROM."""


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


def _wanted(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if Path(entry.name).name in LEFT_OUT else entry


def _pack(folder: Path, target: Path) -> None:
    with tarfile.open(target, "w") as tar:
        for path in sorted(folder.iterdir()):
            tar.add(path, path.name, filter=_wanted)


async def packed(folder: Path) -> AsyncIterator[bytes]:
    """A folder as a build context."""
    with tempfile.TemporaryDirectory(prefix="bullring-pack-") as scratch:
        target = Path(scratch) / "context"
        await asyncio.to_thread(_pack, folder, target)
        with target.open("rb") as file:
            while data := file.read(CHUNK):
                yield data


async def build_folder(engine: Engine, owner: Owner, folder: Path) -> Accepted:
    """Build a folder with a Dockerfile by the rules of intake."""
    bases = {}
    for name in BASES:
        try:
            bases[name] = str((await engine.image(name))["Id"])
        except EngineError as error:
            if error.status != 404:
                raise
    return await Intake(engine, owner, Policy(bases=bases)).from_context(packed(folder))
