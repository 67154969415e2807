"""A probe inside a container tries two hundred things; what it may do is a golden list.

Every control is then taken off alone, and what it held back must succeed: so these tests can fail.
"""

import asyncio
import dataclasses
import json
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sandbox.config import MASKED
from sandbox.engine import Json
from sandbox.limits import bot_limits
from tests.sandbox.harness import RUNTIME, Change, python, run_once, sandbox_at, script

pytestmark = pytest.mark.docker

GOLDEN = Path(__file__).with_name("golden") / f"possible{'-' + RUNTIME if RUNTIME else ''}.txt"
"""One list for each runtime."""
LOG = dataclasses.replace(bot_limits(), log_tail=1 << 20)


@dataclass
class Canaries:
    """Things of the host that no bot may reach: listeners, sockets, a file."""

    folder: Path
    abstract: str
    listener: socket.socket
    datagrams: socket.socket
    stream: socket.socket
    named: socket.socket

    def config(self) -> dict[str, Any]:
        """What the probe is told to aim at."""
        return {
            "tcp": {"host loopback": self.listener.getsockname()},
            "udp": {"host loopback": self.datagrams.getsockname()},
            "unix": {
                "abstract host socket": "@" + self.abstract,
                "host socket": str(self.folder / "host.sock"),
            },
            "files": {"host file": str(self.folder / "secret")},
            "name": "bullring.invalid",
            "masked": MASKED,
        }

    def reached(self) -> list[str]:
        """Which of them something came through to, seen from the host."""
        found = []
        for name in ("listener", "stream", "named"):
            try:
                getattr(self, name).accept()[0].close()
                found.append(name)
            except BlockingIOError:
                continue
        try:
            self.datagrams.recv(10)
            found.append("datagrams")
        except BlockingIOError:
            pass
        return found


@pytest.fixture(scope="module")
def canaries() -> Iterator[Canaries]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="br-host-")))
        folder.chmod(0o755)
        (folder / "secret").write_text("the key of the match")
        name = f"bullring-canary-{folder.name}"

        def server(family: int, kind: int, address: Any) -> socket.socket:
            made = stack.enter_context(socket.socket(family, kind))
            made.bind(address)
            made.setblocking(False)
            if kind == socket.SOCK_STREAM:
                made.listen()
            return made

        made = Canaries(
            folder=folder,
            abstract=name,
            listener=server(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            datagrams=server(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            stream=server(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + name),
            named=server(socket.AF_UNIX, socket.SOCK_STREAM, str(folder / "host.sock")),
        )
        (folder / "host.sock").chmod(0o777)
        yield made


Probe = Callable[..., tuple[dict[str, str], Json, list[Json]]]


@pytest.fixture(scope="module")
def probe(zoo_image: str, canaries: Canaries) -> Probe:
    """Run the probe under a changed configuration: its answers, its facts, the root's changes."""

    def run(
        change: Change | None = None, only: list[str] | None = None
    ) -> tuple[dict[str, str], Json, list[Json]]:
        async def once() -> tuple[dict[str, str], Json, list[Json]]:
            with tempfile.TemporaryDirectory(prefix="br-") as state:
                async with sandbox_at(Path(state), change) as box:
                    told = json.dumps({**canaries.config(), "only": only})
                    program = python(zoo_image, script("probe.py"), told)
                    outcome = await run_once(box, program, limits=LOG, cores=[0])
            lines = outcome.lines()
            answers = {line["name"]: line["answer"] for line in lines if "name" in line}
            return answers, lines[-1]["facts"], outcome.seen["diff"]

        return asyncio.run(once())

    return run


@pytest.fixture(scope="module")
def contained(probe: Probe, canaries: Canaries) -> tuple[dict[str, str], Json, list[Json]]:
    canaries.reached()
    return probe()


def test_nothing_is_possible_that_is_not_on_the_golden_list(
    contained: tuple[dict[str, str], Json, list[Json]], update_golden: bool
) -> None:
    answers = contained[0]
    possible = sorted(name for name, answer in answers.items() if answer == "OK")
    if update_golden:
        GOLDEN.write_text("\n".join(possible) + "\n")
    allowed = set(GOLDEN.read_text().splitlines())
    assert len(answers) > 150
    assert set(possible) <= allowed, "newly possible inside a container"
    assert allowed <= set(possible), "no longer possible: honest bots may need it"


def test_no_canary_of_the_host_was_reached(
    contained: tuple[dict[str, str], Json, list[Json]], canaries: Canaries
) -> None:
    answers = contained[0]
    refused = {"EAFNOSUPPORT"} if RUNTIME is None else {"ECONNREFUSED", "ENETUNREACH"}
    assert answers["connect host loopback"] in refused
    assert answers["resolve a name"] == "NO_NAME"
    assert answers["unix abstract host socket"] == "ECONNREFUSED"
    assert answers["unix host socket"] == "ENOENT"
    assert answers["file host file"] == "ENOENT"
    assert canaries.reached() == []


@pytest.mark.skipif(RUNTIME is not None, reason="gVisor does not mask; its files are its own")
def test_every_masked_path_shows_nothing_and_most_would_without_the_mask(probe: Probe) -> None:
    attempts = [f"see {path}" for path in MASKED]
    held, _, _ = probe(only=attempts)
    assert [name for name in attempts if held[name] == "OK"] == []
    free, _, _ = probe(setting(MaskedPaths=[]), attempts)
    # Which of them a host has depends on its kernel, and some only root may read.
    assert sum(answer == "OK" for answer in free.values()) > len(attempts) // 3, free


def test_a_bot_has_no_privilege_and_its_own_uid(
    contained: tuple[dict[str, str], Json, list[Json]],
) -> None:
    _, facts, diff = contained
    # gVisor's kernel has no such line in its files.
    assert facts["NoNewPrivs"] == ("1" if RUNTIME is None else None)
    assert facts["Seccomp"] == ("2" if RUNTIME is None else "0")
    assert {int(facts[key], 16) for key in ("CapEff", "CapBnd", "CapPrm")} == {0}
    uid = int(facts["Uid"].split()[0])
    assert uid >= 1_900_000_000
    assert facts["Groups"].split() == [str(uid)]
    assert facts["pids"] == ["1"]
    assert facts["interfaces"] == ([[1, "lo"]] if RUNTIME is None else ["lo"])
    assert facts["hostname"] == "bot"
    assert facts["cores"] == [0]
    # The engine itself makes the mount point; the bot has changed nothing.
    assert {change["Path"] for change in diff} <= {"/run", "/run/bullring"}


def test_a_bot_is_told_nothing_about_the_match(
    contained: tuple[dict[str, str], Json, list[Json]],
) -> None:
    environment = contained[1]["environ"]
    assert environment["BULLRING_REFEREE"] == "unix:///run/bullring/referee.sock"
    image_own = {"PATH", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "LC_CTYPE"}
    assert set(environment) - image_own == {"HOME", "TMPDIR", "HOSTNAME", "BULLRING_REFEREE"}


def nothing(config: Json) -> None:
    """Change nothing."""


def as_root(config: Json) -> None:
    """Run as uid 0 without capabilities: only the control under test stands in the way."""
    config["User"] = "0:0"


def any_call(config: Json) -> None:
    config["HostConfig"]["SecurityOpt"] = ["no-new-privileges:true", "seccomp=unconfined"]


def root_any_call(config: Json) -> None:
    as_root(config)
    any_call(config)


def new_privileges(config: Json) -> None:
    options = config["HostConfig"]["SecurityOpt"]
    config["HostConfig"]["SecurityOpt"] = [o for o in options if not o.startswith("no-new")]


def host_network(config: Json) -> None:
    config["NetworkDisabled"] = False
    config["HostConfig"]["NetworkMode"] = "host"
    del config["Hostname"]


def executable_tmp(config: Json) -> None:
    config["HostConfig"]["Tmpfs"]["/tmp"] = "rw,exec,mode=1777"


def writable_mount(config: Json) -> None:
    config["HostConfig"]["Mounts"][0]["ReadOnly"] = False


def host_folder(config: Json) -> None:
    # Everything under the host's temporary folder: what a careless bind mount would show.
    config["HostConfig"]["Binds"] = [f"{tempfile.gettempdir()}:{tempfile.gettempdir()}:ro"]
    config["HostConfig"]["Tmpfs"] = {}


def setting(**values: object) -> Change:
    """A change that sets keys of the host configuration."""
    return lambda config: config["HostConfig"].update(values)


@dataclass(frozen=True)
class Control:
    """One control, how to take it off, and what it alone holds back."""

    name: str
    off: Change
    holds: tuple[str, ...]
    given: Change = nothing
    """What is changed in both runs, to take the other controls out of the way."""


SECCOMP = (
    "ptrace",
    "process_vm_readv",
    "kcmp",
    "add_key",
    "keyctl",
    "bpf",
    "perf_event_open",
    "setns",
    "adjtimex",
    "io_uring_setup",
    "io_setup",
    "open_by_handle_at",
    "modify_ldt",
    "personality_no_aslr",
    "shmget",
    "msgget",
    "semget",
    "mbind",
    "mount_setattr",
    "capset",
    "sync",
    "inotify_init1",
    "splice",
    "vmsplice",
    "process_madvise",
    "memfd_secret",
    "mincore",
    "preadv2_nowait",
    "madvise_cold",
    "madvise_pageout",
    "madvise_mergeable",
    "madvise_collapse",
    "merge_memory",
    "open_direct",
    "openat_direct",
    "openat2",
    "fcntl_direct",
    "sysinfo",
)

CONTROLS = (
    Control(
        "seccomp",
        any_call,
        (
            *(f"call {name}" for name in SECCOMP),
            "make user namespace", "32-bit call", "socket netlink audit",
            "socket inet", "socket inet6", "loopback inside",
        ),
    ),
    Control("masked paths", setting(MaskedPaths=[]),
            ("read loadavg", "read vmstat", "read cmdline", "list sys_kernel", "list sys_class",
             "read meminfo", "read stat", "read uptime", "read cgroups", "read file_nr",
             "read dentry_state", "read pty_nr", "read boot_id", "read entropy",
             "list sys_devices", "list proc_irq")),
    Control("read-only root", setting(ReadonlyRootfs=False),
            ("write root", "write usr", "write etc_hosts", "write opt", "write var_tmp"), as_root),
    Control("read-only socket directory", writable_mount,
            ("shared dir create", "shared dir symlink"), as_root),
    # Without it the engine would need calls that the list forbids, so both run without the list.
    Control("no new privileges", new_privileges, ("become root by setuid file",), any_call),
    Control("capabilities", setting(CapDrop=[]),
            ("call chroot", "call mknod_device", "socket raw icmp", "socket packet"),
            root_any_call),
    Control("device rules", setting(DeviceCgroupRules=["c 10:237 r"]), ("open baked device",)),
    Control("noexec", executable_tmp, ("execute from tmp",)),
    Control("pid namespace", setting(PidMode="host"), ("see other processes",)),
    Control("network", host_network,
            ("connect host loopback", "datagram host loopback", "unix abstract host socket"),
            any_call),
    Control("no host folder", host_folder, ("file host file", "unix host socket")),
    Control("ulimits", setting(Ulimits=[]), ("create in mqueue", "huge sparse file")),
    Control("cores of its own", setting(CpusetCpus=""), ("leave its cores",)),
)  # fmt: skip


@pytest.mark.skipif(RUNTIME is not None, reason="gVisor's kernel has controls of its own")
@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: control.name)
def test_a_control_holds_back_what_succeeds_without_it(
    probe: Probe, canaries: Canaries, control: Control
) -> None:
    def without(config: Json) -> None:
        control.given(config)
        control.off(config)

    attempts = list(control.holds)
    held, _, _ = probe(control.given, attempts)
    assert [name for name in attempts if held[name] == "OK"] == []
    canaries.reached()
    free, _, _ = probe(without, attempts)
    assert [name for name in attempts if free[name] != "OK"] == [], free
    if control.name == "network":
        assert set(canaries.reached()) == {"listener", "datagrams", "stream"}
