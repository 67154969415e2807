"""Version 2 of the kernel's cgroups, in a real one: found, counted, frozen and thawed.

A host that binds its controllers to version 1 often has the other hierarchy too, without
controllers: there the kernel still counts CPU time and freezes, which is what we use most.
"""

import asyncio
import contextlib
import os
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandbox import cgroup
from sandbox.cgroup import CgroupFiles, parse_mounts

pytestmark = pytest.mark.anyio
SPIN = "import sys; print(flush=True)\nwhile True: pass"


def hierarchy() -> Path | None:
    """Where version 2 is mounted and we may make cgroups, if it is."""
    with contextlib.suppress(OSError):
        found = parse_mounts(Path("/proc/self/mountinfo").read_text()).get("")
        if found and os.geteuid() == 0 and os.access(found[1], os.W_OK):
            return found[1]
    return None


@pytest.fixture
def container() -> Iterator[Path]:
    """An empty cgroup with the name of a container; whatever runs in it at the end is killed."""
    above = hierarchy()
    if above is None:
        pytest.skip("needs root and a writable hierarchy of version 2 (cgroup2)")
    folder = above / secrets.token_hex(32)
    try:
        folder.mkdir()
    except OSError as error:
        pytest.skip(f"no cgroup can be made in {above}: {error}")
    yield folder
    (folder / "cgroup.kill").write_text("1")
    folder.rmdir()


@pytest.fixture
def spinning(container: Path) -> Iterator[int]:
    """A process in that cgroup that uses all the CPU time it gets."""
    command = [sys.executable, "-c", SPIN]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        (container / "cgroup.procs").write_text(str(process.pid))
        yield process.pid
        process.kill()
        # A frozen process dies as well, but is not gone before it was waited for.
        process.wait()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.005)


def used(files: CgroupFiles) -> float:
    seconds = cgroup.cpu_seconds(files)
    assert seconds is not None
    return seconds


async def test_a_bot_is_counted_stopped_and_let_go_on(container: Path, spinning: int) -> None:
    files = cgroup.find(spinning, container.name)
    assert files is not None
    assert (files.version, files.cpu) == (2, container)
    assert cgroup.processes(files) == [spinning]
    assert cgroup.find(spinning, "d" * 64) is None
    assert cgroup.find(os.getpid(), container.name) is None

    begin = used(files)
    await until(lambda: used(files) > begin)
    # A busy machine may take longer than a freeze waits; the order stands all the same.
    await cgroup.freeze(files)
    await until(lambda: "frozen 1" in (container / "cgroup.events").read_text().splitlines())
    assert await cgroup.freeze(files)
    stopped = used(files)
    await asyncio.sleep(0.2)
    assert used(files) == stopped
    usage = cgroup.read_usage(files)
    assert usage.cpu_s == stopped

    cgroup.thaw(files)
    assert "frozen 0" in (container / "cgroup.events").read_text().splitlines()
    await until(lambda: used(files) > stopped)


async def test_a_cgroup_that_is_gone_is_no_error(container: Path) -> None:
    files = CgroupFiles(version=2, **dict.fromkeys(("cpu", "cpuacct", "memory", "pids", "freezer"),
                                                   container / "gone"))  # fmt: skip
    assert await cgroup.freeze(files)
    cgroup.thaw(files)
    assert cgroup.cpu_seconds(files) is None
    assert cgroup.processes(files) == []
