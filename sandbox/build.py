"""One build of an author's context by the engine: no network, limits, and a watchdog.

Takes a context that `context.py` wrote; gives back an image id. Cleans up what it made.
"""

import asyncio
import contextlib
import json
import shutil
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sandbox import http
from sandbox.api import PlatformFault, SubmissionRejected
from sandbox.disk import Device, bound_group
from sandbox.engine import Engine, EngineError, Json
from sandbox.limits import BuildLimits
from sandbox.tarcheck import megabytes

T = TypeVar("T")

BUILD_LABEL = "bullring.build"
LOOK_SECONDS = 0.2
PIDS = 256
"""Processes of all build steps together, where this machine's cgroups can be told so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A finished build."""

    image: str
    log: str


def disk_folder(info: Json) -> Path:
    """A folder on the disk that the engine writes to, as far as this process can see it."""
    root = Path(info["DockerRootDir"])
    return root if root.exists() else Path("/")


def check_free_disk(folder: Path, limits: BuildLimits) -> None:
    """Refuse to begin on a machine that is nearly full: our fault, not the author's."""
    free = shutil.disk_usage(folder).free
    if free < limits.min_free_disk:
        raise PlatformFault(
            f"Only {megabytes(free)} of disk are free at {folder}; a submission needs "
            f"{megabytes(limits.min_free_disk)}. Free some, or lower min_free_disk in limits.toml."
        )


async def watched(work: Awaitable[T], folder: Path, limits: BuildLimits) -> T:
    """Wait for `work`, but stop it when it takes too long or eats the engine's disk."""
    start = shutil.disk_usage(folder).free
    task = asyncio.ensure_future(work)
    deadline = asyncio.get_running_loop().time() + limits.seconds
    try:
        while True:
            done, _ = await asyncio.wait([task], timeout=LOOK_SECONDS)
            if done:
                return task.result()
            used = start - shutil.disk_usage(folder).free
            if used > limits.disk:
                raise SubmissionRejected(
                    "build_disk", f"The build wrote {megabytes(used)} to the disk; the limit is "
                    f"{megabytes(limits.disk)}.", "Write less while building.",
                )  # fmt: skip
            if asyncio.get_running_loop().time() > deadline:
                raise SubmissionRejected(
                    "build_time", f"The build was stopped after {limits.seconds:g} seconds.",
                    "Do less in RUN, or submit a finished image archive.",
                )  # fmt: skip
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await task


def build_cgroup(root: Path = Path("/sys/fs/cgroup")) -> str | None:
    """A parent cgroup that limits the processes of build steps; None where we cannot make one."""
    for folder in (root / "pids" / "bullring-build", root / "bullring-build"):
        if not (folder.parent / "cgroup.procs").exists():
            continue
        try:
            folder.mkdir(exist_ok=True)
            (folder / "pids.max").write_text(str(PIDS))
        except OSError:
            return None
        return "/bullring-build"
    return None


def remove_build_cgroup(root: Path = Path("/sys/fs/cgroup")) -> None:
    """Remove the parent cgroup again, in every hierarchy where the engine made it."""
    for folder in (root / "bullring-build", *root.glob("*/bullring-build")):
        with contextlib.suppress(OSError):
            folder.rmdir()


class _Log:
    """The last bytes of a build's log."""

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._text = ""

    def add(self, text: str) -> None:
        self._text = (self._text + text)[-self._keep :]

    def text(self) -> str:
        return self._text


async def build(
    context: Path,
    limits: BuildLimits,
    cgroup_driver: str,
    cores: Sequence[int] = (),
    disk: Device | None = None,
) -> Built:
    """Build a context, on these cores alone if any are named.

    Raises SubmissionRejected with the end of the log when a step fails.
    """
    log = _Log(limits.log_bytes)
    query = {
        "networkmode": "none",
        "memory": str(limits.memory),
        "memswap": str(limits.memory),
        "rm": "1",
        "forcerm": "1",
        "nocache": "1",
        "q": "0",
        "shmsize": str(1 << 20),
        "cpuperiod": "100000",
        "cpuquota": "100000",
    }
    if cores:
        query["cpusetcpus"] = ",".join(map(str, cores))
    parent = await asyncio.to_thread(build_cgroup) if cgroup_driver == "cgroupfs" else None
    if parent:
        query["cgroupparent"] = parent
    bounding = asyncio.ensure_future(_bound(parent, disk, limits.disk_rate))
    try:
        image = await _stream(context, query, log)
    finally:
        bounding.cancel()
    return Built(image=image, log=log.text())


async def _bound(
    parent: str | None, disk: Device | None, rate: int, root: Path = Path("/sys/fs/cgroup")
) -> None:
    """Limit the disk for every step as it comes; a step has a cgroup of its own in the parent."""
    while parent is not None and disk is not None:
        for hierarchy in (root / "blkio", root):
            bound_group(hierarchy / parent.lstrip("/"), disk, rate)
        await asyncio.sleep(LOOK_SECONDS)


async def _stream(context: Path, query: dict[str, str], log: _Log) -> str:
    image = ""
    async with http.request("POST", "/build", query, context) as response:
        async for line in response.lines():
            message = json.loads(line)
            if response.status != 200:
                raise _failed(str(message.get("message", "")), log)
            if "error" in message:
                raise _failed(str(message["error"]), log)
            log.add(str(message.get("stream", "")))
            aux = message.get("aux")
            if isinstance(aux, dict):
                image = str(aux.get("ID", image))
    if not image:
        raise EngineError("The Docker engine ended a build without an image.")
    return image


def _failed(error: str, log: _Log) -> SubmissionRejected:
    tail = log.text()[-2000:]
    return SubmissionRejected(
        "build_failed", f"The build failed: {error[:500]}",
        f"There is no network in a build; everything has to be in the context. Log:\n{tail}",
    )  # fmt: skip


async def clean(engine: Engine, token: str) -> None:
    """Remove every container and image that one build made, intermediate ones too."""
    label = f"{BUILD_LABEL}={token}"
    for found in await engine.containers(label):
        await engine.remove(str(found["Id"]))
    # A parent can only go after its children, so each round takes off the leaves.
    for _ in range(100):
        left = await engine.images(label)
        if not left:
            await asyncio.to_thread(remove_build_cgroup)
            return
        for found in left:
            await engine.remove_image(str(found["Id"]))
    raise PlatformFault(f"Images of the build {token} cannot be removed.")
