"""Submissions become images: an archive, a build context, or a reference by digest.

All three end the same way: the image is exported, checked, rewritten and loaded under a name of
ours. Nothing of a refused submission stays behind. Quotas and queues are the league's.

An accepted image is held by a name of its own until it is released; `keep` gives it a lasting one.
The engine removes an image with its last name: a release takes nothing that another keeps.
"""

import asyncio
import re
import secrets
import tempfile
from collections.abc import AsyncIterable, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sandbox import http, seccomp
from sandbox.api import SubmissionRejected
from sandbox.archive import normalise
from sandbox.build import BUILD_LABEL, build, check_free_disk, clean, disk_folder, watched
from sandbox.context import normalise_context
from sandbox.disk import device_of
from sandbox.engine import Engine, EngineError
from sandbox.image_files import export_image, load_image, spool, turn
from sandbox.limits import BuildLimits, ImageLimits, build_limits, image_limits
from sandbox.owner import Owner

TAG = "bullring-bot"
"""How images that stay are named: those of accepted bots."""
HELD = "bullring-check"
"""How images that are being checked or played at home are named; their owner follows."""
REFERENCE = re.compile(r"([a-z0-9][a-z0-9.:-]*)/([a-z0-9][a-z0-9._/-]*)@(sha256:[0-9a-f]{64})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """A submission that became an image."""

    image: str
    """The image's id, to be run as `ImageProgram(image=…)`."""
    name: str
    """The name that holds it in the engine until it is released."""
    fingerprint: str
    """Equal for two images with the same files and command."""
    unpacked: int
    files: int
    warnings: tuple[str, ...] = ()
    log: str = ""
    """The end of the build log, for builds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What this installation accepts."""

    bases: Mapping[str, str] = field(default_factory=dict)
    """Allowed base images: the name authors write, and the id it stands for."""
    registries: tuple[str, ...] = ()
    """Hosts from which an image may be pulled by digest."""
    image: ImageLimits = field(default_factory=image_limits)
    build: BuildLimits = field(default_factory=build_limits)
    cores: tuple[int, ...] = ()
    """Where builds may run; empty: anywhere."""


async def pinned(
    engine: Engine, names: Sequence[str], needed: Sequence[str] | None = None
) -> dict[str, str]:
    """The allow-list for `Policy.bases`: each name with the id that it has now, here.

    Only those of `needed` have to be there (None: all); others are allowed as soon as they are.
    """
    found = {}
    for name in names:
        try:
            found[name] = str((await engine.image(name))["Id"])
        except EngineError as error:
            if error.status != 404 or needed is None or name in needed:
                raise
    return found


async def held_names(engine: Engine, owner: Owner) -> list[tuple[str, str]]:
    """Every name by which owners of this site hold an image, with the owner's token."""
    begin = f"{HELD}/{owner.site}-"
    names = [name for name in await engine.image_names() if name.startswith(begin)]
    return [(name, name.removeprefix(begin).partition("-")[0]) for name in names]


async def keep(engine: Engine, image: str) -> None:
    """Let an image stay after its release: its bot was accepted."""
    await engine.tag_image(image, TAG, short_id(image))


async def let_go(engine: Engine, accepted: Accepted) -> None:
    """Release an image; it is removed unless it is kept, or held by another."""
    await engine.remove_image(accepted.name)


async def let_all_go(engine: Engine, owner: Owner) -> None:
    """Release everything that this owner holds."""
    for name, token in await held_names(engine, owner):
        if token == owner.token:
            await engine.remove_image(name)


def short_id(image: str) -> str:
    """The tag of an image under a name of ours."""
    return image.removeprefix("sha256:")[:32]


class Intake:
    """Takes submissions, one at a time on this machine."""

    def __init__(self, engine: Engine, owner: Owner, policy: Policy) -> None:
        self._engine = engine
        self._owner = owner
        self._policy = policy

    async def from_archive(self, data: AsyncIterable[bytes]) -> Accepted:
        """Accept the output of `docker save`, plain or with gzip."""
        async with self._work() as folder:
            await spool(data, folder / "given", self._policy.image.archive_bytes,
                        "The image archive", "Use a smaller base image.")  # fmt: skip
            return await self._accept(folder / "given", folder)

    async def from_context(self, data: AsyncIterable[bytes]) -> Accepted:
        """Accept a tar of a folder with a Dockerfile, and build it."""
        token = f"{self._owner.token}-{secrets.token_hex(6)}"
        labels = {BUILD_LABEL: token, **self._owner.labels(), "bullring": "build"}
        async with self._work() as folder:
            given, context = folder / "given", folder / "context"
            await spool(data, given, self._policy.image.context_bytes,
                        "The build context", "Send sources only.")  # fmt: skip
            await asyncio.to_thread(
                normalise_context, given, context, self._policy.bases, labels, self._policy.image
            )
            try:
                return await self._build(context, folder)
            finally:
                await clean(self._engine, token)

    async def _build(self, context: Path, folder: Path) -> Accepted:
        info = await self._engine.info()
        root = disk_folder(info)
        driver = str(info.get("CgroupDriver", ""))
        limits = self._policy.build
        disk = device_of(Path(info["DockerRootDir"]))
        building = build(context, limits, driver, self._policy.cores, disk)
        built = await watched(building, root, limits)
        await export_image(built.image, folder / "built", self._policy.image.unpacked_bytes)
        accepted = await self._accept(folder / "built", folder)
        return Accepted(
            image=accepted.image,
            name=accepted.name,
            fingerprint=accepted.fingerprint,
            unpacked=accepted.unpacked,
            files=accepted.files,
            warnings=accepted.warnings,
            log=built.log,
        )

    async def from_reference(self, reference: str) -> Accepted:
        """Accept `registry/name@sha256:…` of an allowed registry."""
        found = REFERENCE.fullmatch(reference)
        if not found:
            raise SubmissionRejected(
                "reference", f"{reference[:150]!r} does not name one image for ever.",
                "Write registry/name@sha256:<64 hex digits>.",
            )  # fmt: skip
        if found[1] not in self._policy.registries:
            known = ", ".join(self._policy.registries) or "none"
            raise SubmissionRejected(
                "registry", f"The registry {found[1]!r} is not allowed here; allowed: {known}.",
                "Push the image there, or submit an archive.",
            )  # fmt: skip
        async with self._work() as folder:
            root = disk_folder(await self._engine.info())
            try:
                await watched(self._pull(f"{found[1]}/{found[2]}", found[3]), root,
                              self._policy.build)  # fmt: skip
                await export_image(reference, folder / "pulled", self._policy.image.unpacked_bytes)
                return await self._accept(folder / "pulled", folder)
            finally:
                await self._engine.remove_image(reference)

    async def _pull(self, name: str, digest: str) -> None:
        query = {"fromImage": name, "tag": digest}
        async with http.request("POST", "/images/create", query) as response:
            async for line in response.lines():
                if response.status != 200 or b'"error"' in line:
                    text = line[:300].decode("utf-8", "replace")
                    raise SubmissionRejected(
                        "pull_failed", f"The image could not be pulled: {text}",
                        "Make sure that it exists and is public.",
                    )  # fmt: skip

    async def _accept(self, given: Path, folder: Path) -> Accepted:
        machine = str((await self._engine.info())["Architecture"])
        architecture = seccomp.image_architecture(machine)
        clean_archive = folder / "clean"
        # Two checks of one image hold it by two names: the first to end leaves it to the other.
        held = f"{HELD}/{self._owner.site}-{self._owner.token}-{secrets.token_hex(4)}"
        done = await asyncio.to_thread(
            normalise, given, clean_archive, architecture, self._policy.image, held
        )
        await load_image(self._engine, clean_archive, done.image)
        return Accepted(
            image=done.image,
            name=f"{held}:{short_id(done.image)}",
            fingerprint=done.fingerprint,
            unpacked=done.unpacked,
            files=done.files,
            warnings=done.warnings,
        )

    @asynccontextmanager
    async def _work(self) -> AsyncIterator[Path]:
        """A folder for one submission, and the machine-wide turn to work on it."""
        folder_of_engine = disk_folder(await self._engine.info())
        async with turn(self._owner.state_dir / "intake.lock"):
            check_free_disk(folder_of_engine, self._policy.build)
            with tempfile.TemporaryDirectory(prefix=self._owner.scratch_prefix()) as folder:
                yield Path(folder)
