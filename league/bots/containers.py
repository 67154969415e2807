"""Bots in containers on an author's own machine: an image by its name, or a folder to build."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from league.bots.files import SAMPLES
from league.bots.named import LocalBot, UnknownBot, clean_name
from sandbox.api import ImageProgram, SubmissionRejected
from sandbox.engine import Engine
from sandbox.home import build_folder, image_named
from sandbox.owner import Owner

IMAGE = "image:"


async def find_contained(
    texts: Sequence[str], engine: Engine, owner: Owner, tell: Callable[[str], None]
) -> list[LocalBot]:
    """The bots behind `image:NAME`, a folder with a Dockerfile, or a sample's name.

    Folders go through the same intake as on a server; a folder named twice is built once. Building
    takes its time, so it is told.
    """
    known: dict[str, LocalBot] = {}
    for text in texts:
        if text not in known:
            known[text] = await _find(text, engine, owner, tell)
    return [known[text] for text in texts]


async def _find(text: str, engine: Engine, owner: Owner, tell: Callable[[str], None]) -> LocalBot:
    try:
        if text.startswith(IMAGE):
            name = text.removeprefix(IMAGE)
            return LocalBot(name=clean_name(name), program=await image_named(engine, name))
        folder = _folder(text)
        tell(f"building {text}")
        built = await build_folder(engine, owner, folder)
    except SubmissionRejected as error:
        raise UnknownBot(f"{text}: {error}") from error
    return LocalBot(
        name=clean_name(folder.name),
        program=ImageProgram(image=built.image),
        sample=folder.parent == SAMPLES,
    )


def _folder(text: str) -> Path:
    path = Path(text).expanduser().resolve()
    if re.fullmatch(r"[A-Za-z0-9_-]+", text) and (SAMPLES / text / "Dockerfile").is_file():
        path = SAMPLES / text
    if not (path / "Dockerfile").is_file():
        raise UnknownBot(
            f"{text!r} cannot play in a container: name it image:NAME, or give a folder with a "
            "Dockerfile"
        )
    return path
