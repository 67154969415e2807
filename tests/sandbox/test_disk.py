"""The disk of bots and builds is bounded: seen in the kernel's own files for their cgroups."""

import asyncio
import contextlib
import os
from pathlib import Path
from typing import Any

import pytest

from sandbox.bot import DockerBot
from sandbox.disk import Device, bound_group, device_of
from sandbox.engine import Engine
from sandbox.intake import let_go
from sandbox.limits import bot_limits, build_limits
from tests.sandbox.archives import stream
from tests.sandbox.harness import python, run_once, sandbox_at
from tests.sandbox.test_intake import context, intake_at

CGROUPS = Path("/sys/fs/cgroup")
NAMES = ("blkio.throttle.read_bps_device", "blkio.throttle.write_bps_device", "io.max")


def bounds(*groups: Path) -> list[str]:
    """What the kernel says about the disk for these cgroups."""
    found = []
    for group in groups:
        for name in NAMES:
            with contextlib.suppress(OSError):
                found.append((group / name).read_text().strip())
    return found


def fake_disk(sys: Path, folder: Path, partition: bool) -> None:
    """A /sys in which the folder's device is a disk, or a part of one."""
    number = folder.stat().st_dev
    disk = sys / "devices/disk"
    place = disk / "part" if partition else disk
    place.mkdir(parents=True)
    (disk / "uevent").write_text("MAJOR=8\nMINOR=0\nDEVNAME=sda\nDEVTYPE=disk\n")
    if partition:
        (place / "partition").write_text("1\n")
    block = sys / "dev/block"
    block.mkdir(parents=True)
    (block / f"{os.major(number)}:{os.minor(number)}").symlink_to(place)


@pytest.mark.parametrize("partition", [False, True])
def test_the_disk_under_a_folder_is_found_also_through_a_partition(
    tmp_path: Path, partition: bool
) -> None:
    fake_disk(tmp_path / "sys", tmp_path, partition)
    assert device_of(tmp_path, tmp_path / "sys") == Device("/dev/sda", "8:0")


def test_a_folder_without_a_single_disk_has_none(tmp_path: Path) -> None:
    assert device_of(tmp_path, tmp_path / "no-sys") is None
    assert device_of(tmp_path / "gone") is None


def test_cgroups_of_both_versions_get_the_bound_and_those_inside_too(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for place in (old, old / "step"):
        place.mkdir()
        for name in NAMES[:2]:
            (place / name).write_text("")
    new.mkdir()
    (new / "io.max").write_text("")
    for group in (old, new):
        bound_group(group, Device("/dev/sda", "8:0"), 1000)
    assert bounds(old, old / "step") == ["8:0 1000"] * 4
    assert bounds(new) == ["8:0 rbps=1000 wbps=1000"]


@pytest.mark.docker
@pytest.mark.anyio
async def test_a_bot_reads_the_disk_no_faster_than_its_limit(state: Path, zoo_image: str) -> None:
    async def look(bot: DockerBot) -> dict[str, Any]:
        assert bot._files is not None
        own = bot._files.cpu.relative_to(CGROUPS).parts
        unified = bot._files.version == 2
        group = CGROUPS.joinpath(*own) if unified else CGROUPS.joinpath("blkio", *own[1:])
        return {"bounds": bounds(group)}

    program = python(zoo_image, "import time; time.sleep(1)")
    async with sandbox_at(state) as box:
        seen = (await run_once(box, program, look=look)).seen["bounds"]
        rate = str(bot_limits().disk_rate)
        assert seen
        assert all(rate in line for line in seen), seen

        def unbounded(config: dict[str, Any]) -> None:
            for name in ("BlkioDeviceReadBps", "BlkioDeviceWriteBps"):
                del config["HostConfig"][name]

        box.change = unbounded
        seen = (await run_once(box, program, look=look)).seen["bounds"]
        assert not any(rate in line for line in seen), seen


@pytest.mark.docker
@pytest.mark.anyio
async def test_the_steps_of_a_build_are_bounded_while_they_run(
    state: Path, engine: Engine, base_image: str
) -> None:
    seen: set[str] = set()

    async def look() -> None:
        while True:
            for root in (CGROUPS / "blkio", CGROUPS):
                seen.update(bounds(*(root / "bullring-build").glob("*/")))
            await asyncio.sleep(0.05)

    async with intake_at(state, engine) as intake:
        looking = asyncio.ensure_future(look())
        sent = context("FROM bullring-base\nRUN sleep 2\nCOPY bot.py /bot/\n", bot__py=b"")
        accepted = await intake.from_context(stream(sent))
        looking.cancel()
        await let_go(engine, accepted)
    assert any(str(build_limits().disk_rate) in line for line in seen), seen
