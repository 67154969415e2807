"""For an author at home: an image by its ordinary name, and a folder with a Dockerfile.

The folder goes through the same intake as on a server, so that what plays here is accepted there.
"""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sandbox.api import ImageProgram, SubmissionRejected
from sandbox.base import BASES
from sandbox.engine import Engine, EngineError
from sandbox.intake import Accepted, Intake, Policy, pinned
from sandbox.owner import Owner
from sandbox.packing import packed


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
