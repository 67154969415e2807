"""The Docker runner: contained bots through the engine's API, and the reaper of what was left.

What a container may do is in `config.py`; how one lives and ends is in `bot.py`.
"""

import asyncio
import logging
import re
import secrets
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from sandbox import cgroup, gvisor, seccomp
from sandbox.api import ImageProgram, Limits, PlatformFault, Program, StartRefused
from sandbox.bot import DockerBot
from sandbox.config import MOUNT_POINTS, Place, check_digest, container_config
from sandbox.disk import device_of
from sandbox.engine import CALL_SECONDS, Engine, EngineError, Json, default_engine
from sandbox.intake import held_names
from sandbox.layer_files import first_obstacle, folders_of, read_in
from sandbox.limits import uid_range
from sandbox.local_images import LocalImages
from sandbox.output import OutputReader
from sandbox.owner import OWNER_LABEL, SITE_LABEL, Owner
from sandbox.registry import REGISTRY_SECONDS, Registry

T = TypeVar("T")
LOG = logging.getLogger(__name__)

NAME_PREFIX = "bullring-"
NAME_TRIES = 20
STARTS_AT_ONCE = 8
"""More only queue inside the engine, where a timeout would look like a broken engine."""

CANNOT_EXECUTE = (126, 127)
"""Status of a container whose command could not be executed, or was not found."""


NO_PROGRAM = re.compile(r"(?:exec: |failed to load ).*?(?=: unknown$|$)", re.DOTALL)
"""What runc and runsc say of a command that is not in the image, or cannot be executed."""

IN_THE_WAY = ("to rootfs at", "Cannot mkdir", "chdir to cwd")
"""What the engine says when a file or link of the image stands where a folder has to be."""


NOT_READ = (
    "the files of %s were not read in before the start: %s. By what is in memory a bot may find out"
    " what ran before; let the worker read the engine's folder (BULLRING_DOCKER_ROOT)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaped:
    """What a reaper removed."""

    containers: tuple[str, ...]
    images: tuple[str, ...]
    """Unfinished builds, and what checks that died held; accepted bots are never touched."""
    owners: tuple[str, ...]
    processes: tuple[int, ...] = ()
    """What gVisor had left of containers that are gone."""


async def to_the_end(work: Coroutine[None, None, T]) -> T:
    """Finish `work` even when the caller is cancelled: half a cleanup leaves a container behind."""
    task = asyncio.get_running_loop().create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


class DockerSandbox:
    """Runs strangers' bots in containers of the local Docker engine.

    `apart`: bots may meet for something, so they have no file in common, and none of them finds a
    sign of what ran from its own files before.
    """

    contained = True

    def __init__(
        self,
        engine: Engine | None = None,
        owner: Owner | None = None,
        runtime: str | None = None,
        registry: str | None = None,
        *,
        apart: bool = False,
        engine_seconds: float = CALL_SECONDS,
        registry_seconds: float = REGISTRY_SECONDS,
    ) -> None:
        self._own_engine = engine is not None
        self.engine = engine or default_engine(engine_seconds)
        self.owner = owner or Owner()
        self.name = f"docker+{runtime}" if runtime else "docker"
        self._runtime = runtime
        kept = Registry(registry, self.engine, registry_seconds) if registry else None
        self.images = LocalImages(self.engine, self.owner, kept, apart=apart)
        self._seccomp: str | None = None
        self._machine = ""
        self._disk: str | None = None
        self._apart = apart
        self._known: dict[str, str] = {}
        self._folders: dict[str, list[Path]] = {}
        self._not_read: set[str] = set()
        self._starts = asyncio.Semaphore(STARTS_AT_ONCE)

    def close(self) -> None:
        """Release the lock, and the engine if it was given; no bot may be running."""
        self.owner.close()
        if self._own_engine:
            self.engine.close()

    @asynccontextmanager
    async def run(
        self,
        program: Program,
        limits: Limits,
        socket_dir: Path,
        *,
        labels: Mapping[str, str] | None = None,
        cores: Sequence[int] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> AsyncIterator[DockerBot]:
        """Start one bot in a container of its own; remove it with everything when done."""
        if not isinstance(program, ImageProgram):
            raise ValueError(f"The Docker runner runs images, not {program!r}.")
        check_digest(program.image)

        program = replace(program, image=await self._check_image(program.image))
        await self._read_in(program.image)

        def config(uid: int) -> Json:
            place = Place(
                uid=uid,
                socket_dir=socket_dir.absolute(),
                seccomp=self._seccomp or "",
                cores=None if cores is None else tuple(cores),
                runtime=self._runtime,
                disk=self._disk,
                labels={**(labels or {}), **self.owner.labels()},
                env=env or {},
            )
            return container_config(program, limits, place)

        # The stack is filled step by step, so that a failure half way cleans up that half.
        stack = AsyncExitStack()
        try:
            yield await to_the_end(self._start(stack, config, limits))
        finally:
            await to_the_end(stack.aclose())

    async def _start(
        self, stack: AsyncExitStack, config: Callable[[int], Json], limits: Limits
    ) -> DockerBot:
        async with self._starts:
            container = await self._create(config)
            stack.push_async_callback(self._remove, container)
            if gvisor.is_gvisor(self._runtime):
                self.owner.note(container)
            stream = await self.engine.attach(container)
            loop = asyncio.get_running_loop()
            flood = asyncio.Event()
            reader = OutputReader(stream, limits, flood.set)
            stack.push_async_callback(reader.close)
            try:
                await self.engine.start(container)
            except EngineError as error:
                raise await self._start_error(container, error) from error
            reader.start()
            pid = int((await self.engine.inspect(container))["State"]["Pid"])
        files = cgroup.find(pid, container) if pid else None
        bot = DockerBot(self.engine, container, reader, files)
        stack.push_async_callback(bot.close)
        watcher = loop.create_task(_kill_on(flood, bot))
        stack.push_async_callback(_cancel, watcher)
        return bot

    async def _create(self, config: Callable[[int], Json]) -> str:
        """Create under a name made of a random uid: the engine keeps names, so uids, unique."""
        uids = uid_range()
        for _ in range(NAME_TRIES):
            uid = uids.first + secrets.randbelow(uids.count)
            try:
                return await self.engine.create(config(uid), f"{NAME_PREFIX}{uid}")
            except EngineError as error:
                if error.status != 409:
                    raise start_error(error, 0, []) from error
        raise PlatformFault(
            f"No free uid in {NAME_TRIES} tries: too many containers named {NAME_PREFIX}… exist. "
            "Run `bullring doctor --reap`."
        )

    async def _start_error(self, container: str, error: EngineError) -> Exception:
        """Whose fault it is that a container did not start."""
        found = await self.engine.inspect(container)
        status = int(found["State"].get("ExitCode", 0))
        mounted = [mount["Source"] for mount in found["Mounts"]]
        folders = folders_of(found)
        blocked = await asyncio.to_thread(first_obstacle, folders, MOUNT_POINTS)
        return start_error(error, status, mounted, blocked=blocked is not None)

    async def _remove(self, container: str) -> None:
        await self.engine.remove(container)
        if gvisor.is_gvisor(self._runtime):
            await asyncio.to_thread(gvisor.kill_leftovers, {container})
            self.owner.forget(container)

    async def _check_image(self, image: str) -> str:
        """The id of the image to run; images never change, so what was seen stays true."""
        if self._seccomp is None:
            info = await self.engine.info()
            self._machine = str(info["Architecture"])
            device = device_of(Path(info["DockerRootDir"]))
            self._disk = device.path if device else None
            self._seccomp = seccomp.profile(self._machine)
        if image not in self._known:
            found = await self.images.ready(image)
            refuse_image(found, seccomp.image_architecture(self._machine))
            self._known[image] = str(found["Id"])
            self._folders[str(found["Id"])] = folders_of(found)
        return self._known[image]

    async def _read_in(self, image: str) -> None:
        """Have every file of the image in memory, so that what ran from it before leaves no sign.

        Where the engine's folders are out of reach the bot starts all the same, and the log says so
        once for each image; `bullring doctor` tells it beforehand.
        """
        if not self._apart:
            return
        try:
            if not (folders := self._folders.get(image)):
                raise OSError("the engine's storage driver is not overlay2")
            await asyncio.to_thread(read_in, folders)
        except OSError as error:
            if image not in self._not_read:
                LOG.warning(NOT_READ, image, error)
            self._not_read.add(image)

    async def reap(self) -> Reaped:
        """Remove every container and directory whose owner is gone; safe at any time."""
        removed = []
        for found in await self.engine.containers(f"{SITE_LABEL}={self.owner.site}"):
            if self.owner.is_gone(str(found["Labels"].get(OWNER_LABEL, ""))):
                pid = int((await self.engine.inspect(found["Id"]))["State"]["Pid"])
                files = cgroup.find(pid, found["Id"]) if pid else None
                if files is not None:
                    cgroup.thaw(files)
                await self.engine.remove(found["Id"])
                removed.append(str(found["Id"]))
        left = await self._reap_processes()
        return Reaped(
            containers=tuple(removed),
            processes=tuple(left),
            images=tuple(await self._reap_images()),
            owners=tuple(self.owner.sweep()),
        )

    async def _reap_processes(self) -> list[int]:
        """Kill what gVisor runs on for containers of dead owners that the engine no longer has."""
        noted = self.owner.noted_by_the_dead() if gvisor.is_gvisor(self._runtime) else set()
        if not noted:
            return []
        known = await self.engine.containers(f"{SITE_LABEL}={self.owner.site}")
        gone = noted - {str(found["Id"]) for found in known}
        return await asyncio.to_thread(gvisor.kill_leftovers, gone)

    async def _reap_images(self) -> list[str]:
        removed: dict[str, None] = {}
        for name, token in await held_names(self.engine, self.owner):
            if self.owner.is_gone(token):
                await self.engine.remove_image(name)
                removed[name] = None
        # An image below another can only go after it: each round takes the topmost ones.
        while True:
            left = [
                str(found["Id"])
                for found in await self.engine.images(f"{SITE_LABEL}={self.owner.site}")
                if self.owner.is_gone(str((found["Labels"] or {}).get(OWNER_LABEL, "")))
            ]
            if not left or set(left) <= set(removed):
                return list(removed)
            for image in left:
                await self.engine.remove_image(image)
                removed[image] = None


def refuse_image(image: Json, architecture: str) -> None:
    """Refuse what intake refuses too: an image may have come here by another way."""
    config = image.get("Config") or {}
    if config.get("Volumes"):
        names = ", ".join(repr(name) for name in sorted(config["Volumes"])[:5])
        raise StartRefused(
            f"The image declares VOLUME {names}: a volume would be written to the host's disk, "
            "past every limit. Remove VOLUME from the Dockerfile and write to /tmp."
        )
    if image.get("Os") != "linux" or image.get("Architecture") != architecture:
        raise StartRefused(
            f"The image is for {image.get('Os')}/{image.get('Architecture')}, this machine runs "
            f"linux/{architecture}. Build it with --platform linux/{architecture}."
        )


def start_error(
    error: EngineError, status: int, mounted: Sequence[str], *, blocked: bool = False
) -> Exception:
    """A bot's fault when the image itself is why it cannot start, else ours.

    `blocked`: the image has a file or link where the sandbox mounts a folder; runsc does not say
    so. The engine's words name paths of the host, so an author only gets to see the end of them.
    """
    text = str(error)
    if all(Path(source).is_dir() for source in mounted):
        if blocked or any(words in text for words in IN_THE_WAY):
            return StartRefused(
                "The image has something other than a folder where the sandbox needs one: /tmp, "
                "/run, /run/bullring, /proc, /dev, /sys, /etc or its working directory. Remove it."
            )
        if (reason := NO_PROGRAM.search(text)) and status in CANNOT_EXECUTE:
            return StartRefused(
                f"The image's command cannot be executed ({reason[0][:300]}). See that CMD or "
                "ENTRYPOINT names a file of the image that every user may read and execute."
            )
    return error


async def _kill_on(flood: asyncio.Event, bot: DockerBot) -> None:
    await flood.wait()
    await bot.hang_up()
    await bot.kill()


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])
