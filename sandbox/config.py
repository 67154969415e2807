"""The container configuration: every control of the Docker runner, as one pure function.

A control belongs here and in the zoo (`tests/sandbox/`), which shows what happens without it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox.api import REFEREE_ADDRESS, SOCKET_DIR, ImageProgram, Limits
from sandbox.engine import Json

DIGEST = re.compile(r"(?:[a-z0-9][a-z0-9._/:-]*@)?sha256:[0-9a-f]{64}")

TMP_OPTIONS = "rw,noexec,nosuid,nodev,mode=1777"

KERNEL_PIDS = 16
"""Under gVisor a bot's threads, and those of its kernel, are processes of the host: several for
each of the bot's. Without room for them its kernel would panic, and the bot with it."""

MASKED = (
    # What runc masks by default; giving a list of our own replaces it.
    "/proc/acpi", "/proc/asound", "/proc/kcore", "/proc/keys", "/proc/latency_stats",
    "/proc/timer_list", "/proc/timer_stats", "/proc/sched_debug", "/proc/scsi", "/sys/firmware",
    # Counters of the whole host: they tell of other bots, and two bots could talk through them.
    "/proc/loadavg", "/proc/interrupts", "/proc/softirqs", "/proc/diskstats", "/proc/vmstat",
    "/proc/zoneinfo", "/proc/buddyinfo", "/proc/pagetypeinfo", "/proc/schedstat", "/proc/pressure",
    "/proc/slabinfo", "/proc/locks", "/proc/key-users", "/proc/kallsyms", "/proc/modules",
    "/proc/cmdline", "/proc/partitions", "/proc/swaps", "/proc/config.gz", "/proc/kpagecount",
    "/proc/meminfo", "/proc/stat", "/proc/uptime", "/proc/cgroups", "/proc/fs", "/proc/irq",
    "/proc/tty", "/proc/driver", "/proc/bus", "/proc/vmallocinfo", "/proc/kpageflags",
    "/proc/kpagecgroup", "/proc/allocinfo", "/proc/iomem", "/proc/ioports", "/proc/mtrr",
    "/proc/consoles", "/proc/dynamic_debug", "/proc/sysvipc", "/proc/crypto",
    # Open files, cached names and terminals of the whole host, and which host and boot it is.
    "/proc/sys/fs", "/proc/sys/kernel/pty", "/proc/sys/kernel/random/boot_id",
    "/proc/sys/kernel/random/entropy_avail", "/proc/sys/kernel/ns_last_pid",
    # Of /sys only a bot's own limits are left, below /sys/fs/cgroup.
    "/sys/kernel", "/sys/module", "/sys/block", "/sys/class", "/sys/bus", "/sys/power", "/sys/dev",
    "/sys/devices", "/sys/hypervisor", "/sys/fs/ext4", "/sys/fs/xfs", "/sys/fs/btrfs",
    "/sys/fs/f2fs", "/sys/fs/fuse", "/sys/fs/erofs", "/sys/fs/zfs", "/sys/fs/bcachefs",
    "/sys/fs/pstore", "/sys/fs/bpf", "/sys/fs/nfs", "/sys/fs/resctrl",
)  # fmt: skip

READ_ONLY = ("/proc/sys", "/proc/sysrq-trigger")

MOUNT_POINTS = ("tmp", "run", "run/bullring", "proc", "dev", "dev/shm", "sys", "etc")
"""Where a container gets something of ours: an image may have a folder there, or nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where and as whom one container runs: everything that is not the program or its limits."""

    uid: int
    socket_dir: Path
    seccomp: str
    cores: tuple[int, ...] | None = None
    runtime: str | None = None
    disk: str | None = None
    """The engine's disk, such as `/dev/vda`, whose use is bounded; None: it is not known."""
    labels: Mapping[str, str]
    env: Mapping[str, str]


def check_digest(image: str) -> str:
    """The image name, when it is one that cannot move."""
    if not DIGEST.fullmatch(image):
        raise ValueError(
            f"{image!r} does not name one image for ever: expected sha256:<64 hex digits> or "
            "name@sha256:<64 hex digits>. `docker image inspect --format {{.Id}} NAME` prints it."
        )
    return image


def _ulimits(limits: Limits) -> list[Json]:
    wanted = {
        "nofile": limits.open_files,
        "core": 0,
        "msgqueue": 0,
        "memlock": 65536,
        "fsize": limits.tmp_bytes,
        "rtprio": 0,
        "nice": 0,
    }
    return [{"Name": name, "Soft": value, "Hard": value} for name, value in wanted.items()]


def _cpu(cores: Sequence[int] | None) -> Json:
    # A quota makes a bot wait in mid-move. Whole cores of its own need none.
    if cores is None:
        return {"NanoCpus": 1_000_000_000}
    return {"CpusetCpus": ",".join(str(core) for core in sorted(set(cores)))}


def host_config(limits: Limits, place: Place) -> Json:
    """What the engine calls HostConfig."""
    tmp = f"{TMP_OPTIONS},size={limits.tmp_bytes},nr_inodes={limits.tmp_inodes}"
    config: Json = {
        "NetworkMode": "none",
        "ReadonlyRootfs": True,
        "CapDrop": ["ALL"],
        "Privileged": False,
        "SecurityOpt": ["no-new-privileges:true", f"seccomp={place.seccomp}"],
        "IpcMode": "private",
        "CgroupnsMode": "private",
        "PidsLimit": limits.pids * (KERNEL_PIDS if place.runtime else 1),
        "Memory": limits.memory,
        "MemorySwap": limits.memory,
        "OomScoreAdj": 1000,
        "ShmSize": limits.shm_bytes,
        "Tmpfs": {"/tmp": tmp},
        "Ulimits": _ulimits(limits),
        "Mounts": [
            {
                "Type": "bind",
                "Source": str(place.socket_dir),
                "Target": SOCKET_DIR,
                "ReadOnly": True,
                "BindOptions": {"Propagation": "rprivate"},
            }
        ],
        "MaskedPaths": list(MASKED),
        "ReadonlyPaths": list(READ_ONLY),
        "LogConfig": {"Type": "none"},
        "RestartPolicy": {"Name": "no"},
        "AutoRemove": False,
        **_cpu(place.cores),
    }
    if place.disk:
        bounded = [{"Path": place.disk, "Rate": limits.disk_rate}]
        config |= {"BlkioDeviceReadBps": bounded, "BlkioDeviceWriteBps": bounded}
    if place.runtime:
        config["Runtime"] = place.runtime
    return config


def container_config(program: ImageProgram, limits: Limits, place: Place) -> Json:
    """The whole request body of a create call."""
    env = {"HOME": "/tmp", "TMPDIR": "/tmp", **place.env, "BULLRING_REFEREE": REFEREE_ADDRESS}
    config: Json = {
        "Image": check_digest(program.image),
        "User": f"{place.uid}:{place.uid}",
        "Hostname": "bot",
        "Env": [f"{key}={value}" for key, value in env.items()],
        "Labels": dict(place.labels),
        "NetworkDisabled": True,
        "Healthcheck": {"Test": ["NONE"]},
        "StopSignal": "SIGKILL",
        "AttachStdin": False,
        "OpenStdin": False,
        "Tty": False,
        "HostConfig": host_config(limits, place),
    }
    if program.command:
        config["Entrypoint"] = [program.command[0]]
        config["Cmd"] = list(program.command[1:])
    return config
