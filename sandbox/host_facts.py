"""What there is to know about this machine before bots run on it, collected once.

What it means is decided in `sandbox.doctor`.
"""

import asyncio
import os
import platform
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from sandbox import cgroup
from sandbox.api import PlatformFault
from sandbox.base.make import BASE_TAG
from sandbox.build import disk_folder
from sandbox.engine import Engine, EngineError, Json
from sandbox.health import free_memory
from sandbox.host_sampler import read_cores
from sandbox.host_time import Sample, Timeline
from sandbox.owner import SITE_LABEL, Owner

LOOK_S = 0.5
"""How long the cores are looked at: enough to see other work, without a noticeable wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFacts:
    """What the checks look at."""

    engine_error: str | None
    info: Json
    version: Json
    machine: str
    cores: int
    swap_bytes: int
    clock_source: str
    bubblewrap: str | None
    free_disk: int
    cgroup_version: int | None
    base_image: bool
    orphans: int
    files_in_reach: bool = False
    """Whether this process can read the files of images where the engine keeps them."""
    runtime: str | None = None
    """The runtime that bots are to have; None: the engine's own."""
    busy_share: float | None = None
    """Of the cores that bots may get, the part in use just now; None where that is unknown."""
    free_memory: int = 1 << 40
    """Bytes that programs can still get; plenty where the system does not say."""


def _text(path: str, default: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return default


def _swap() -> int:
    for line in _text("/proc/meminfo", "").splitlines():
        if line.startswith("SwapTotal:"):
            return int(line.split()[1]) * 1024
    return 0


def _cgroup_version() -> int | None:
    mounts = cgroup.parse_mounts(_text("/proc/self/mountinfo", ""))
    for controller, version in (("freezer", 1), ("", 2)):
        if controller in mounts and os.access(mounts[controller][1], os.W_OK):
            return version
    return None


async def _busy_share() -> float | None:
    """Look twice at the cores that are left to bots: all but the first."""
    timeline = Timeline(2)
    cores = sorted(read_cores())[1:]
    for pause in (0.0, LOOK_S):
        await asyncio.sleep(pause)
        at, times = time.monotonic(), read_cores()
        if times:
            timeline.add(Sample(at=at, cores=times))
    span = timeline.between(timeline.first, timeline.last, cores)
    return None if span is None else span.share


async def collect(
    engine: Engine | None, owner: Owner | None, error: str | None, runtime: str | None = None
) -> HostFacts:
    """Look at this machine; `error` says why there is no engine."""
    info: Json = {}
    version: Json = {}
    base, orphans = False, 0
    if engine is not None:
        try:
            info, version = await engine.info(), await engine.version()
            base = await _has_base(engine)
            if owner is not None:
                found = await engine.containers(f"{SITE_LABEL}={owner.site}")
                tokens = [str(each["Labels"].get("bullring.owner", "")) for each in found]
                orphans = sum(owner.is_gone(token) for token in tokens)
        except PlatformFault as fault:
            error = str(fault)
    clock = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
    return HostFacts(
        engine_error=error,
        info=info,
        version=version,
        machine=str(info.get("Architecture", platform.machine())),
        cores=os.cpu_count() or 1,
        swap_bytes=_swap(),
        clock_source=_text(clock, "unknown"),
        bubblewrap=shutil.which("bwrap"),
        free_disk=shutil.disk_usage(disk_folder(info) if info else Path("/")).free,
        cgroup_version=_cgroup_version(),
        base_image=base,
        orphans=orphans,
        files_in_reach=_files_in_reach(info),
        runtime=runtime,
        busy_share=await _busy_share(),
        free_memory=free_memory(),
    )


def _files_in_reach(info: Json) -> bool:
    root = Path(info.get("DockerRootDir", "/nowhere")) / str(info.get("Driver", ""))
    return info.get("Driver") == "overlay2" and os.access(root, os.R_OK | os.X_OK)


async def _has_base(engine: Engine) -> bool:
    try:
        await engine.image(BASE_TAG)
    except EngineError as error:
        if error.status == 404:
            return False
        raise
    return True
