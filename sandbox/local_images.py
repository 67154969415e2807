"""The images of accepted bots on this machine: fetched, set apart, and evicted when long unused.

A version is recorded by the id that its image had when it was accepted. Images from the time before
each had a lowest layer of its own (`bottom.py`) are written again here, once, and that copy runs;
what is recorded stays as it was.
"""

import asyncio
import shutil
import tempfile
import time
from pathlib import Path

from sandbox import bottom, seccomp
from sandbox.api import PlatformFault, StartRefused, SubmissionRejected
from sandbox.archive import normalise
from sandbox.build import disk_folder
from sandbox.engine import Engine, EngineError, Json
from sandbox.image_files import export_image, load_image, turn
from sandbox.intake import HELD, short_id
from sandbox.limits import build_limits, image_limits
from sandbox.owner import Owner
from sandbox.registry import Registry

CACHED = "bullring-cached"
"""How images are named that the registry has too; the site follows."""
APART = "bullring-apart"
"""How copies of earlier images with a lowest layer of their own are named; the site follows."""
LATELY_SECONDS = 3600.0
"""An image used since then stays, however full the disk is: a match may need it now."""


def cached_name(owner: Owner) -> str:
    """The repository of images that may be evicted here, because the registry has them."""
    return f"{CACHED}/{owner.site}"


class LocalImages:
    """What this machine's engine has of a league's images."""

    def __init__(
        self, engine: Engine, owner: Owner, registry: Registry | None = None, *, apart: bool = False
    ) -> None:
        self._engine = engine
        self._owner = owner
        self._registry = registry
        self._apart = apart
        self._marks = owner.state_dir / "images"

    async def ready(self, image: str) -> Json:
        """What the engine says of the image to run for a recorded one.

        Raises PlatformFault where it cannot be had, StartRefused where it can no longer be
        written by today's rules.
        """
        found = await self._found(image)
        self._mark(image)
        if not self._apart or _stands_apart(found):
            return found
        return await self._set_apart(image)

    async def _found(self, image: str) -> Json:
        """An image of this machine, fetched first where the league keeps its images elsewhere."""
        try:
            return await self._engine.image(image)
        except EngineError as error:
            if error.status != 404:
                raise
            if self._registry is None:
                raise PlatformFault(
                    f"The image {image} is not on this machine: load or pull it, then try again."
                ) from error
        await self._registry.fetch(image, cached_name(self._owner))
        return await self._engine.image(image)

    async def _set_apart(self, image: str) -> Json:
        repository = f"{APART}/{self._owner.site}"
        name = f"{repository}:{short_id(image)}"
        async with turn(self._owner.state_dir / "apart.lock"):
            try:
                return await self._engine.image(name)
            except EngineError as error:
                if error.status != 404:
                    raise
            held = f"{HELD}/{self._owner.site}-{self._owner.token}-apart"
            written = await self._write_again(image, held)
            await self._engine.tag_image(written, repository, short_id(image))
            await self._engine.remove_image(f"{held}:{short_id(written)}")
        return await self._engine.image(name)

    async def _write_again(self, image: str, tag: str) -> str:
        machine = str((await self._engine.info())["Architecture"])
        limits = image_limits()
        with tempfile.TemporaryDirectory(prefix=self._owner.scratch_prefix()) as scratch:
            given, clean = Path(scratch) / "given", Path(scratch) / "clean"
            try:
                await export_image(image, given, limits.unpacked_bytes)
                done = await asyncio.to_thread(
                    normalise, given, clean, seccomp.image_architecture(machine), limits, tag
                )
            except SubmissionRejected as error:
                raise StartRefused(
                    f"This version was accepted under earlier rules, and today's refuse its image: "
                    f"{error} Submit it again."
                ) from error
            await load_image(self._engine, clean, done.image)
        return done.image

    def _mark(self, image: str) -> None:
        self._marks.mkdir(mode=0o700, exist_ok=True)
        (self._marks / short_id(image)).touch()

    def _last_use(self, tag: str) -> float:
        """When an image was last asked for; one that never was counts from now on."""
        try:
            return (self._marks / tag).stat().st_mtime
        except FileNotFoundError:
            self._marks.mkdir(mode=0o700, exist_ok=True)
            (self._marks / tag).touch()
            return time.time()

    async def evict(self, idle_seconds: float) -> list[str]:
        """Remove what was not used for this long, and more while the disk is nearly full.

        Only what can be had again: copies, and images that the registry has too.
        """
        now, removed = time.time(), []
        folder = disk_folder(await self._engine.info())
        for used, name in sorted(await self._evictable()):
            full = shutil.disk_usage(folder).free < build_limits().min_free_disk
            if now - used > (LATELY_SECONDS if full else idle_seconds):
                # In use by a container, it stays.
                await self._engine.remove_image(name)
                removed.append(name)
        return removed

    async def _evictable(self) -> list[tuple[float, str]]:
        begin = tuple(f"{name}/{self._owner.site}:" for name in (CACHED, APART))
        names = [name for name in await self._engine.image_names() if name.startswith(begin)]
        return [(self._last_use(name.rpartition(":")[2]), name) for name in names]


def _stands_apart(image: Json) -> bool:
    labels = (image.get("Config") or {}).get("Labels")
    return bottom.stands_apart(labels, (image.get("RootFS") or {}).get("Layers") or ())
