"""A container's cgroup files on this host, version 1 and 2: freezing, thawing and counting.

Reads and writes files only; which container they belong to is checked by its id in the path.
"""

import asyncio
import contextlib
from dataclasses import dataclass
from pathlib import Path

from sandbox.api import Usage

FREEZE_SECONDS = 0.05
"""A cgroup freezes in about a millisecond. One that is slower freezes by itself a little later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CgroupFiles:
    """Where the files of one cgroup are, by what they are for."""

    version: int
    cpu: Path
    cpuacct: Path
    memory: Path
    pids: Path
    freezer: Path


def parse_mounts(mountinfo: str) -> dict[str, tuple[str, Path]]:
    """Mount point and root of each hierarchy, by controller; "" is the version 2 hierarchy."""
    found: dict[str, tuple[str, Path]] = {}
    for line in mountinfo.splitlines():
        left, _, right = line.partition(" - ")
        kind, _, options = right.split(" ", 2)
        root, point = left.split(" ")[3:5]
        if kind == "cgroup2":
            found.setdefault("", (root, Path(point)))
        elif kind == "cgroup":
            for controller in options.split(","):
                found.setdefault(controller, (root, Path(point)))
    return found


def parse_membership(text: str) -> dict[str, str]:
    """The cgroup of a process by controller, from `/proc/<pid>/cgroup`; "" is version 2."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            found[controller] = path
    return found


def find(pid: int, container: str, proc: Path = Path("/proc")) -> CgroupFiles | None:
    """The files of the container whose first process is `pid`; None when they are out of reach."""
    try:
        mounts = parse_mounts((proc / "self/mountinfo").read_text())
        membership = parse_membership((proc / str(pid) / "cgroup").read_text())
    except OSError:
        return None

    def place(controller: str) -> Path | None:
        path = membership.get(controller, "")
        if container not in path or controller not in mounts:
            return None
        root, point = mounts[controller]
        relative = path.removeprefix(root) if root != "/" else path
        folder = point / relative.lstrip("/")
        return folder if folder.is_dir() else None

    names = ("cpu", "cpuacct", "memory", "pids", "freezer")
    first = {name: place(name) for name in names}
    if all(first.values()):
        return CgroupFiles(version=1, **{k: v for k, v in first.items() if v is not None})
    unified = place("")
    if unified is not None and (unified / "cgroup.freeze").exists():
        return CgroupFiles(version=2, **dict.fromkeys(names, unified))
    return None


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None


def _pairs(path: Path) -> dict[str, int]:
    with contextlib.suppress(OSError, ValueError):
        lines = (line.split() for line in path.read_text().splitlines())
        return {line[0]: int(line[1]) for line in lines if len(line) == 2}
    return {}


def _seconds(value: int | None, unit: float) -> float | None:
    return None if value is None else value * unit


def cpu_seconds(files: CgroupFiles) -> float | None:
    """CPU time of everything in a cgroup so far; None when the cgroup is gone."""
    if files.version == 1:
        return _seconds(_number(files.cpuacct / "cpuacct.usage"), 1e-9)
    return _seconds(_pairs(files.cpu / "cpu.stat").get("usage_usec"), 1e-6)


def processes(files: CgroupFiles) -> list[int]:
    """The processes in a cgroup, by their numbers here; empty when the cgroup is gone."""
    with contextlib.suppress(OSError, ValueError):
        return [int(pid) for pid in (files.cpuacct / "cgroup.procs").read_text().split()]
    return []


def read_usage(files: CgroupFiles) -> Usage:
    """The counters of a cgroup; fields whose file is missing are None."""
    if files.version == 1:
        return Usage(
            cpu_s=cpu_seconds(files),
            memory=_number(files.memory / "memory.usage_in_bytes"),
            memory_peak=_number(files.memory / "memory.max_usage_in_bytes"),
            throttled_s=_seconds(_pairs(files.cpu / "cpu.stat").get("throttled_time"), 1e-9),
            oom_kills=_pairs(files.memory / "memory.oom_control").get("oom_kill"),
            pids=_number(files.pids / "pids.current"),
        )
    cpu = _pairs(files.cpu / "cpu.stat")
    return Usage(
        cpu_s=cpu_seconds(files),
        memory=_number(files.memory / "memory.current"),
        memory_peak=_number(files.memory / "memory.peak"),
        throttled_s=_seconds(cpu.get("throttled_usec"), 1e-6),
        oom_kills=_pairs(files.memory / "memory.events").get("oom_kill"),
        pids=_number(files.pids / "pids.current"),
    )


def _frozen(files: CgroupFiles) -> bool:
    if files.version == 1:
        return (files.freezer / "freezer.state").read_text().strip() == "FROZEN"
    return _pairs(files.freezer / "cgroup.events").get("frozen") == 1


async def freeze(files: CgroupFiles) -> bool:
    """Stop every process of a cgroup; True when all have stopped before this returned.

    False is no error: a bot that thrashes its memory can hold the kernel up for a while, and must
    not be able to void a match with that. The order to freeze stands. A gone cgroup is fine.
    """
    name, value = ("freezer.state", "FROZEN") if files.version == 1 else ("cgroup.freeze", "1")
    deadline = asyncio.get_running_loop().time() + FREEZE_SECONDS
    with contextlib.suppress(FileNotFoundError, NotADirectoryError, ProcessLookupError):
        while True:
            # Version 1 can hang in FREEZING while a process forks; writing again pushes it on.
            (files.freezer / name).write_text(value)
            if _frozen(files):
                return True
            if asyncio.get_running_loop().time() > deadline:
                return False
            await asyncio.sleep(0.001)
    return True


def thaw(files: CgroupFiles) -> None:
    """Let every process of a cgroup go on; gone is fine."""
    name, value = ("freezer.state", "THAWED") if files.version == 1 else ("cgroup.freeze", "0")
    with contextlib.suppress(FileNotFoundError, NotADirectoryError, ProcessLookupError, OSError):
        (files.freezer / name).write_text(value)
