"""The small pure parts of the sandbox: configuration, cgroup files, output, owners, limits."""

import asyncio
import dataclasses
import errno
import json
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox import build, cgroup, http, limits, seccomp
from sandbox.api import CommandProgram, Exit, HowEnded, ImageProgram, PlatformFault, Sandbox
from sandbox.bot import exit_of
from sandbox.config import Place, container_config
from sandbox.docker import DockerSandbox
from sandbox.engine import Engine, EngineError
from sandbox.output import OutputReader, Tail
from sandbox.owner import Owner
from sandbox.registry import Registry

IMAGE = "sha256:" + "a" * 64
LIMITS = limits.bot_limits()


def place(**changes: Any) -> Place:
    plain = Place(uid=1_900_000_001, socket_dir=Path("/s"), seccomp="{}", labels={}, env={})
    return dataclasses.replace(plain, **changes)


def test_every_control_is_in_the_configuration() -> None:
    made = container_config(ImageProgram(image=IMAGE), LIMITS, place(cores=(3, 1)))
    host = made["HostConfig"]
    assert made["NetworkDisabled"] is True
    assert host["NetworkMode"] == "none"
    assert host["ReadonlyRootfs"] is True
    assert host["CapDrop"] == ["ALL"]
    assert host["Privileged"] is False
    assert host["SecurityOpt"] == ["no-new-privileges:true", "seccomp={}"]
    assert made["User"] == "1900000001:1900000001"
    assert host["PidsLimit"] == LIMITS.pids
    assert host["Memory"] == host["MemorySwap"] == LIMITS.memory
    assert host["CpusetCpus"] == "1,3"
    assert "NanoCpus" not in host
    assert f"nr_inodes={LIMITS.tmp_inodes}" in host["Tmpfs"]["/tmp"]
    assert host["ShmSize"] == LIMITS.shm_bytes
    assert {"Name": "core", "Soft": 0, "Hard": 0} in host["Ulimits"]
    assert made["Healthcheck"] == {"Test": ["NONE"]}
    assert host["LogConfig"] == {"Type": "none"}
    assert [mount["ReadOnly"] for mount in host["Mounts"]] == [True]
    assert "Runtime" not in host
    assert "Entrypoint" not in made


def test_gvisor_is_one_setting() -> None:
    made = container_config(ImageProgram(image=IMAGE), LIMITS, place(runtime="runsc"))
    assert made["HostConfig"]["Runtime"] == "runsc"


def test_a_caller_cannot_change_where_the_referee_is() -> None:
    env = {"BULLRING_REFEREE": "tcp://elsewhere", "HOME": "/bot"}
    made = container_config(ImageProgram(image=IMAGE), LIMITS, place(env=env))
    assert "BULLRING_REFEREE=unix:///run/bullring/referee.sock" in made["Env"]
    assert len([line for line in made["Env"] if line.startswith("BULLRING_REFEREE=")]) == 1


@pytest.mark.parametrize("name", ["bot", "bot:latest", "sha256:abc", "bot@sha256:xyz", ""])
def test_an_image_is_named_by_digest_only(name: str) -> None:
    with pytest.raises(ValueError, match="does not name one image for ever"):
        container_config(ImageProgram(image=name), LIMITS, place())


def test_a_digest_may_carry_the_name_of_its_registry() -> None:
    named = f"registry.example:5000/owner/bot@{IMAGE}"
    assert container_config(ImageProgram(image=named), LIMITS, place())["Image"] == named


def test_the_call_list_is_default_deny_and_an_unknown_machine_is_refused() -> None:
    rules = json.loads(seccomp.profile("x86_64"))
    assert rules["defaultAction"] == "SCMP_ACT_ERRNO"
    allowed = {
        name
        for rule in rules["syscalls"]
        if rule["action"] == "SCMP_ACT_ALLOW" and not rule.get("args")
        for name in rule["names"]
    }
    never = {"socket", "clone", "clone3", "io_uring_setup", "ptrace", "bpf", "mount", "splice"}
    assert not allowed & never
    with pytest.raises(PlatformFault, match="'arm64'"):
        seccomp.profile("aarch64")


@pytest.mark.parametrize(
    ("state", "killed", "flooded", "expect"),
    [
        ({"ExitCode": 0}, False, False, Exit(how=HowEnded.EXITED, code=0)),
        ({"ExitCode": 3}, False, False, Exit(how=HowEnded.EXITED, code=3)),
        ({"ExitCode": 139}, False, False, Exit(how=HowEnded.SIGNALLED, signal=11)),
        ({"ExitCode": 255}, False, False, Exit(how=HowEnded.EXITED, code=255)),
        ({"ExitCode": 137}, True, False, Exit(how=HowEnded.KILLED, signal=9)),
        ({"ExitCode": 137}, False, False, Exit(how=HowEnded.SIGNALLED, signal=9)),
        (
            {"ExitCode": 137, "OOMKilled": True}, False, False,
            Exit(how=HowEnded.OUT_OF_MEMORY, signal=9, oom=True),
        ),
        (
            {"ExitCode": 1, "OOMKilled": True}, False, False,
            Exit(how=HowEnded.EXITED, code=1, oom=True),
        ),
        ({"ExitCode": 137}, True, True, Exit(how=HowEnded.OUTPUT_FLOOD, signal=9)),
    ],
)  # fmt: skip
def test_what_the_engine_records_is_read_once(
    state: dict[str, object], killed: bool, flooded: bool, expect: Exit
) -> None:
    assert exit_of(state, killed=killed, flooded=flooded) == expect


def frames(parts: list[bytes]) -> bytes:
    return b"".join(struct.pack(">BxxxL", 1, len(part)) + part for part in parts)


@given(st.lists(st.binary(max_size=50)), st.integers(1, 60), st.integers(1, 20))
def test_the_tail_is_the_end_of_the_output_however_it_is_cut(
    parts: list[bytes], keep: int, step: int
) -> None:
    tail = Tail(keep)
    data = frames(parts)
    for start in range(0, len(data), step):
        tail.feed(data[start : start + step])
    whole = b"".join(parts)
    assert tail.value() == whole[-keep:]
    assert tail.total == len(whole)


@pytest.mark.anyio
async def test_a_reader_stops_at_the_budget() -> None:
    ours, theirs = socket.socketpair()
    flooded = asyncio.Event()
    tight = dataclasses.replace(LIMITS, log_budget=100_000, log_rate=1 << 30, log_burst=1 << 30)
    reader = OutputReader(ours, tight, flooded.set)
    reader.start()
    with theirs:
        theirs.setblocking(False)
        block = frames([b"x" * 4096])
        loop = asyncio.get_running_loop()
        for _ in range(30):
            await loop.sock_sendall(theirs, block)
        await asyncio.wait_for(flooded.wait(), 5)
        assert reader.flooded
        await reader.close()
        await reader.close()


def fake_proc(root: Path, mountinfo: str, membership: str) -> Path:
    proc = root / "proc"
    (proc / "self").mkdir(parents=True)
    (proc / "7").mkdir()
    (proc / "self/mountinfo").write_text(mountinfo)
    (proc / "7/cgroup").write_text(membership)
    return proc


BOX = "c" * 64


def unified(root: Path) -> tuple[Path, Path]:
    """A version 2 host: its /proc and the folder of the container."""
    folder = root / "cg/system.slice" / f"docker-{BOX}.scope"
    folder.mkdir(parents=True)
    for name, text in {
        "cgroup.freeze": "0",
        "cgroup.events": "populated 1\nfrozen 1\n",
        "cpu.stat": "usage_usec 1500000\nthrottled_usec 250000\n",
        "memory.current": "4096",
        "memory.peak": "8192",
        "memory.events": "oom 1\noom_kill 2\n",
        "pids.current": "3",
    }.items():
        (folder / name).write_text(text)
    mount = f"30 23 0:26 / {root}/cg rw,nosuid - cgroup2 cgroup2 rw\n"
    return fake_proc(root, mount, f"0::/system.slice/docker-{BOX}.scope\n"), folder


@pytest.mark.anyio
async def test_version_2_files_are_found_read_frozen_and_thawed(tmp_path: Path) -> None:
    proc, folder = unified(tmp_path)
    files = cgroup.find(7, BOX, proc)
    assert files is not None
    assert files.version == 2
    assert cgroup.cpu_seconds(files) == 1.5
    used = cgroup.read_usage(files)
    assert (used.cpu_s, used.throttled_s, used.oom_kills, used.pids) == (1.5, 0.25, 2, 3)
    assert (used.memory, used.memory_peak) == (4096, 8192)
    await cgroup.freeze(files)
    assert (folder / "cgroup.freeze").read_text() == "1"
    cgroup.thaw(files)
    assert (folder / "cgroup.freeze").read_text() == "0"
    (folder / "cpu.stat").unlink()
    assert cgroup.cpu_seconds(files) is None


@pytest.mark.anyio
async def test_a_bot_that_is_slow_to_freeze_voids_nothing(tmp_path: Path) -> None:
    proc, folder = unified(tmp_path)
    (folder / "cgroup.events").write_text("populated 1\nfrozen 0\n")
    files = cgroup.find(7, BOX, proc)
    assert files is not None
    assert not await cgroup.freeze(files)
    assert (folder / "cgroup.freeze").read_text() == "1"


def test_a_process_that_is_not_the_containers_is_never_frozen(tmp_path: Path) -> None:
    proc, _ = unified(tmp_path)
    assert cgroup.find(7, "d" * 64, proc) is None
    assert cgroup.find(8, BOX, proc) is None


def test_a_state_directory_that_others_can_write_to_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_to_all, link = tmp_path / "open", tmp_path / "link"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    link.symlink_to(open_to_all)
    for folder in (open_to_all, link):
        with pytest.raises(PlatformFault, match="mode 777"):
            Owner(folder)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(PlatformFault, match=f"belongs to uid {os.getuid()}"):
        Owner(tmp_path)
    assert not list(open_to_all.iterdir())


def test_an_owner_is_gone_exactly_when_its_process_is(state: Path) -> None:
    owner = Owner(state)
    code = (
        "import sys; from pathlib import Path; from sandbox.owner import Owner;"
        "o = Owner(Path(sys.argv[1])); o.new_socket_dir();"
        "import tempfile; tempfile.mkdtemp(prefix=o.scratch_prefix());"
        "print(o.token, flush=True);"
        "sys.stdin.read(); import os; os._exit(1)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(state)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        cwd=Path(__file__).resolve().parents[2],
    ) as other:  # fmt: skip
        assert other.stdout is not None
        token = other.stdout.readline().strip()
        assert not owner.is_gone(token)
        assert owner.sweep() == []
        scratch = list(Path(tempfile.gettempdir()).glob(f"bullring-*-{token}-*"))
        assert len(scratch) == 1
        other.communicate("")
    assert owner.is_gone(token)
    assert owner.sweep() == [token]
    assert not owner.is_gone(owner.token)
    assert not list(state.glob(f"{token}*"))
    assert not scratch[0].exists()
    owner.close()
    assert list(state.iterdir()) == []


def test_a_socket_directory_is_reached_by_its_owner_only(state: Path) -> None:
    owner = Owner(state / "s")
    folder = owner.new_socket_dir()
    assert folder.parent.stat().st_mode & 0o777 == 0o700
    assert folder.stat().st_mode & 0o777 == 0o755
    owner.remove_socket_dir(folder)
    assert not folder.parent.exists()
    owner.close()


def test_a_state_directory_that_is_too_long_for_sockets_is_refused(tmp_path: Path) -> None:
    owner = Owner(tmp_path / ("d" * 90))
    with pytest.raises(ValueError, match="too long for unix sockets"):
        owner.new_socket_dir()
    owner.close()


def test_an_owner_without_room_for_its_folder_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    Owner(state).close()
    real = Path.mkdir

    def full(path: Path, *args: Any, **named: Any) -> None:
        if path.parent == state:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(path, *args, **named)

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(OSError, match="No space left"):
        Owner(state)
    assert list(state.iterdir()) == []


def test_limits_are_positive_and_no_uid_is_nobody() -> None:
    records = (
        LIMITS,
        limits.image_limits(),
        limits.build_limits(),
        limits.host_limits(),
        limits.fair_limits(),
    )
    for record in records:
        assert all(value > 0 for value in dataclasses.asdict(record).values())
    uids = limits.uid_range()
    assert not uids.first <= 65534 < uids.first + uids.count
    assert uids.first + uids.count < 2**31


def test_the_page_for_authors_tells_the_true_limits() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs/sandbox.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (\d+) \|", page, re.MULTILINE))
    assert rows == {name: str(value) for name, value in dataclasses.asdict(LIMITS).items()}


@pytest.mark.anyio
@pytest.mark.docker
async def test_the_docker_runner_is_a_sandbox_and_takes_no_commands(state: Path) -> None:
    box = DockerSandbox(owner=Owner(state))
    runner: Sandbox = box
    assert (runner.name, runner.contained) == ("docker", True)
    program = CommandProgram(argv=("true",), cwd=Path("/"))
    with pytest.raises(ValueError, match="runs images"):
        await runner.run(program, LIMITS, state).__aenter__()
    box.close()


def test_an_engine_that_refuses_to_push_without_a_word_has_not_kept_the_image(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @asynccontextmanager
    async def refuses(*_: object, **__: object) -> AsyncIterator[http.Response]:
        reader = asyncio.StreamReader()
        reader.feed_eof()
        yield http.Response(reader, 500, False)

    monkeypatch.setattr(http, "request", refuses)
    kept = Registry("registry.example:5000", AsyncMock(spec=Engine)).keep(IMAGE)
    with pytest.raises(EngineError, match=r"could not keep .*: status 500"):
        asyncio.run(kept)


@pytest.mark.anyio
@pytest.mark.parametrize(("cores", "asked"), [((0, 2), "0,2"), ((), None)])
async def test_a_build_keeps_off_the_cores_of_matches(
    cores: tuple[int, ...], asked: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[dict[str, str]] = []

    async def stream(context: Path, query: dict[str, str], log: object) -> str:
        seen.append(query)
        return "sha256:0"

    monkeypatch.setattr(build, "_stream", stream)
    await build.build(tmp_path, limits.build_limits(), "systemd", cores)
    assert seen[0].get("cpusetcpus") == asked
