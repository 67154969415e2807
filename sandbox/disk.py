"""The disk under the engine's folder, and how much of it bots and builds may use at once."""

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Device:
    """A whole disk, as the engine and the kernel's limits name it."""

    path: str
    """`/dev/vda`."""
    number: str
    """`254:0`."""


def device_of(folder: Path, sys: Path = Path("/sys")) -> Device | None:
    """The disk that holds a folder; None where there is no single one, or it cannot be seen."""
    try:
        found = folder.stat().st_dev
        place = (sys / f"dev/block/{os.major(found)}:{os.minor(found)}").resolve(strict=True)
        if (place / "partition").exists():
            # The kernel limits disks, not their parts.
            place = place.parent
        facts = dict(
            line.split("=", 1)
            for line in (place / "uevent").read_text().splitlines()
            if "=" in line
        )
        return Device(f"/dev/{facts['DEVNAME']}", f"{facts['MAJOR']}:{facts['MINOR']}")
    except (OSError, KeyError):
        return None


def bound_group(group: Path, device: Device, rate: int) -> None:
    """Limit what the processes of a cgroup and of those in it read and write, in bytes a second.

    With cgroups of version 1 a limit does not reach those inside, so each of them gets it, and the
    kernel counts only what is not written by way of memory.
    """
    for place in (group, *group.glob("*/")):
        for name in ("read", "write"):
            with contextlib.suppress(OSError):
                path = place / f"blkio.throttle.{name}_bps_device"
                if path.exists():
                    path.write_text(f"{device.number} {rate}")
        with contextlib.suppress(OSError):
            if (place / "io.max").exists():
                (place / "io.max").write_text(f"{device.number} rbps={rate} wbps={rate}")
