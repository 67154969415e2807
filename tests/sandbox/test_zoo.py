"""The zoo: one bad habit a test, its effect seen from the host, and the control taken off."""

import asyncio
import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sandbox.api import HowEnded, ImageProgram, StartRefused
from sandbox.bot import DockerBot
from sandbox.config import KERNEL_PIDS
from sandbox.engine import Engine, Json
from sandbox.limits import bot_limits
from tests.sandbox.harness import (
    RUNTIME,
    Change,
    Unchecked,
    build_image,
    open_descriptors,
    processes_of,
    python,
    run_once,
    sandbox_at,
    script,
    until_line,
)

pytestmark = [pytest.mark.docker, pytest.mark.anyio]

LIMITS = bot_limits()
MB = 1 << 20
POOLED = 4
"""Connections to the engine that stay open for the next call; the first test opens them."""


def habit(image: str, name: str) -> ImageProgram:
    return python(image, script("misbehave.py"), name)


def setting(**values: object) -> Change:
    """A change that sets keys of the host configuration."""
    return lambda config: config["HostConfig"].update(values)


def roomy_tmp(config: Json) -> None:
    config["HostConfig"]["Tmpfs"]["/tmp"] = "rw,mode=1777,size=128m,nr_inodes=100k"
    config["HostConfig"]["Ulimits"] = []


def roomy_shm(config: Json) -> None:
    config["HostConfig"]["ShmSize"] = 128 * MB


def many_files(config: Json) -> None:
    config["HostConfig"]["Ulimits"] = [{"Name": "nofile", "Soft": 4096, "Hard": 4096}]


@dataclass(frozen=True)
class Bounded:
    """A habit that a limit stops, how far it gets, and how far without the limit."""

    habit: str
    counts: str
    limit: int
    off: Change
    free: int


BOUNDED = (
    Bounded("fork_bomb", "made", LIMITS.pids, setting(PidsLimit=1024), 150),
    Bounded("thread_bomb", "made", LIMITS.pids, setting(PidsLimit=1024), 150),
    Bounded("zombies", "made", LIMITS.pids, setting(PidsLimit=1024), 150),
    Bounded("fill_tmp", "megabytes", LIMITS.tmp_bytes // MB, roomy_tmp, 64),
    Bounded("inode_bomb", "made", LIMITS.tmp_inodes, roomy_tmp, 5000),
    Bounded("fill_shm", "megabytes", LIMITS.shm_bytes // MB, roomy_shm, 64),
    Bounded("open_files", "made", LIMITS.open_files, many_files, 2000),
)


BY_MEMORY = ("fork_bomb", "thread_bomb", "zombies", "inode_bomb")
"""What gVisor's own kernel does not count; there the memory of the whole bot is the limit."""

HERE = [case for case in BOUNDED if RUNTIME is None or case.habit not in BY_MEMORY]


@pytest.mark.parametrize("case", HERE, ids=lambda case: case.habit)
async def test_a_limit_stops_what_goes_on_without_it(
    state: Path, zoo_image: str, case: Bounded
) -> None:
    before = open_descriptors()
    async with sandbox_at(state) as box:
        outcome = await run_once(box, habit(zoo_image, case.habit))
        assert outcome.on_disk == []
        held = outcome.lines()[-1]
        assert 0 < held[case.counts] <= case.limit, held
        assert held["stopped"] != "nothing"
        box.change = case.off
        free = (await run_once(box, habit(zoo_image, case.habit))).lines()[-1]
        assert free[case.counts] == case.free, free
    assert open_descriptors() <= before + POOLED


@pytest.mark.skipif(RUNTIME is None, reason="runc has a limit for each of them")
@pytest.mark.parametrize("name", BY_MEMORY)
async def test_under_gvisor_memory_and_tasks_of_the_host_bound_the_whole_bot(
    state: Path, zoo_image: str, name: str
) -> None:
    most = {"pids": 0, "memory": 0}

    async def look(bot: DockerBot) -> dict[str, Any]:
        while not bot._end.done():
            used = await bot.usage()
            most["pids"] = max(most["pids"], used.pids or 0)
            most["memory"] = max(most["memory"], used.memory or 0)
            await asyncio.sleep(0.05)
        return {}

    async with sandbox_at(state) as box:
        outcome = await run_once(box, habit(zoo_image, name), look=look, env={"MOST": "10000000"})
    assert outcome.exit.how is not HowEnded.EXITED or outcome.lines()[-1]["stopped"] != "nothing"
    assert most["pids"] <= LIMITS.pids * KERNEL_PIDS
    assert most["memory"] <= LIMITS.memory


async def test_a_fork_bomb_is_counted_on_the_host_and_dies_as_a_whole(
    state: Path, zoo_image: str
) -> None:
    seen: dict[str, Any] = {}
    # Under gVisor more would be killed for memory first.
    made = "150" if RUNTIME is None else "20"

    async def look(bot: DockerBot) -> dict[str, Any]:
        await until_line(bot, b"made")
        seen["pids"] = (await bot.usage()).pids
        seen["uid"] = int(
            (await bot._engine.inspect(bot.container))["Config"]["User"].split(":")[0]
        )
        seen["alive"] = len(processes_of(seen["uid"]))
        await bot.kill()
        return seen

    async with sandbox_at(state) as box:
        outcome = await run_once(
            box, habit(zoo_image, "fork_bomb"), look=look, env={"LINGER": "60", "MOST": made}
        )
    assert outcome.exit.how is HowEnded.KILLED
    if RUNTIME is None:
        assert seen["pids"] == seen["alive"] == LIMITS.pids
    else:
        assert int(made) < seen["pids"] <= LIMITS.pids * KERNEL_PIDS
    assert processes_of(seen["uid"]) == []


async def test_a_memory_hog_is_killed_by_its_own_limit(state: Path, zoo_image: str) -> None:
    async with sandbox_at(state) as box:
        outcome = await run_once(box, habit(zoo_image, "memory_hog"))
        assert (outcome.exit.how, outcome.exit.signal) == (HowEnded.OUT_OF_MEMORY, 9)
        box.change = setting(Memory=512 * MB, MemorySwap=512 * MB)
        assert (await run_once(box, habit(zoo_image, "memory_hog"))).exit.code == 0


async def test_a_bot_whose_child_was_killed_for_memory_is_not_out_of_memory(
    state: Path, zoo_image: str
) -> None:
    async with sandbox_at(state) as box:
        outcome = await run_once(box, habit(zoo_image, "child_hog"))
    if RUNTIME is not None:
        # All memory of a bot under gVisor is held by one process of the host.
        assert outcome.exit.how is HowEnded.OUT_OF_MEMORY
        return
    assert outcome.lines()[-1] == {"child_signal": 9}
    assert (outcome.exit.how, outcome.exit.code, outcome.exit.oom) == (HowEnded.EXITED, 0, True)


async def test_memory_in_pipes_is_counted_against_the_bot(state: Path, zoo_image: str) -> None:
    async def look(bot: DockerBot) -> dict[str, Any]:
        await until_line(bot, b"held")
        memory = (await bot.usage()).memory
        await bot.kill()
        return {"memory": memory}

    async with sandbox_at(state) as box:
        outcome = await run_once(
            box, habit(zoo_image, "fill_pipes"), look=look, env={"LINGER": "30"}
        )
    held = outcome.lines()[-1]["held"]
    assert held <= 70 * MB
    assert held * 0.9 <= outcome.seen["memory"] <= LIMITS.memory


async def test_a_flood_of_output_is_stopped_and_named(state: Path, zoo_image: str) -> None:
    async with sandbox_at(state) as box:
        small = dataclasses.replace(LIMITS, log_budget=2 * LIMITS.log_burst)
        outcome = await run_once(box, habit(zoo_image, "flood"), limits=small)
        assert outcome.exit.how is HowEnded.OUTPUT_FLOOD
        assert outcome.flooded
        assert outcome.on_disk == []
        assert outcome.log == b"x" * LIMITS.log_tail
        # With a budget that a talkative bot keeps, the same amount of output is no fault.
        roomy = dataclasses.replace(LIMITS, log_rate=64 * MB, log_burst=64 * MB, log_tail=100)
        talk = await run_once(box, habit(zoo_image, "quick_flood"), limits=roomy)
        assert talk.exit.code == 0
        assert talk.log.endswith(b"y\n")
        assert not talk.flooded


async def test_output_is_kept_raw_for_the_page_to_escape(state: Path, zoo_image: str) -> None:
    async with sandbox_at(state) as box:
        log = (await run_once(box, habit(zoo_image, "inject"))).log
    assert b"<script>" in log
    assert b"\x1b[2J" in log
    assert b"stderr too" in log


ENDS = (
    ("leave", HowEnded.EXITED, 3, None),
    ("crash", HowEnded.EXITED, 1, None),
    ("segv", HowEnded.SIGNALLED, None, 11),
)


@pytest.mark.parametrize(("name", "how", "code", "signal"), ENDS)
async def test_the_end_of_a_bot_is_told_as_it_was(
    state: Path, zoo_image: str, name: str, how: HowEnded, code: int | None, signal: int | None
) -> None:
    async with sandbox_at(state) as box:
        ended = (await run_once(box, habit(zoo_image, name))).exit
    assert (ended.how, ended.code, ended.signal, ended.oom) == (how, code, signal, False)


@pytest.mark.parametrize("name", ["ignore_signals", "stop_itself", "spin"])
@pytest.mark.parametrize("frozen", [False, True])
async def test_every_bot_can_be_killed(
    state: Path, zoo_image: str, name: str, frozen: bool
) -> None:
    async def look(bot: DockerBot) -> dict[str, Any]:
        await until_line(bot, b"ready")
        if frozen:
            await bot.freeze()
        await bot.kill()
        return {}

    async with sandbox_at(state) as box:
        outcome = await run_once(box, habit(zoo_image, name), look=look, seconds=10)
    assert outcome.exit.how is HowEnded.KILLED


async def test_a_frozen_bot_uses_no_time_and_goes_on_when_thawed(
    state: Path, zoo_image: str
) -> None:
    async with sandbox_at(state) as box:
        folder = box.owner.new_socket_dir()
        async with box.run(habit(zoo_image, "spin"), LIMITS, folder) as bot:
            await until_line(bot, b"ready")

            async def used_in(seconds: float) -> float:
                first = (await bot.usage()).cpu_s
                await asyncio.sleep(seconds)
                second = (await bot.usage()).cpu_s
                assert first is not None
                assert second is not None
                return second - first

            await bot.freeze()
            await bot.freeze()
            assert await used_in(0.2) == 0
            await bot.thaw()
            await bot.thaw()
            assert await used_in(0.2) > 0
            # The context ends while it is frozen: thawed, killed, removed.
            await bot.freeze()


async def test_without_cgroup_files_the_engine_itself_freezes_and_counts(
    state: Path, zoo_image: str
) -> None:
    async with sandbox_at(state) as box:
        folder = box.owner.new_socket_dir()
        async with box.run(habit(zoo_image, "spin"), LIMITS, folder) as bot:
            await until_line(bot, b"ready")
            bot._files = None
            await bot.freeze()
            paused = (await box.engine.inspect(bot.container))["State"]["Paused"]
            assert paused
            first = (await bot.usage()).cpu_s
            assert first is not None
            await bot.thaw()
            assert not (await box.engine.inspect(bot.container))["State"]["Paused"]
            await bot.freeze()
            await bot.kill()
            assert (await bot.wait()).how is HowEnded.KILLED


async def test_nothing_of_a_bot_outlives_it(state: Path, zoo_image: str) -> None:
    uids: list[int] = []

    async def look(bot: DockerBot) -> dict[str, Any]:
        config = (await bot._engine.inspect(bot.container))["Config"]
        uids.append(int(config["User"].split(":")[0]))
        return {}

    async with sandbox_at(state) as box:
        outcome = await run_once(box, habit(zoo_image, "daemon"), look=look)
    assert outcome.exit.code == 0
    assert processes_of(uids[0]) == []


async def test_two_bots_share_no_files_no_processes_no_uid_and_no_locks(
    state: Path, zoo_image: str
) -> None:
    async with sandbox_at(state) as box:
        first = box.owner.new_socket_dir()
        (first / "common").write_text("")
        async with (
            box.run(habit(zoo_image, "secrets_in_tmp"), LIMITS, box.owner.new_socket_dir()) as a,
            box.run(habit(zoo_image, "hold_lock"), LIMITS, first) as b,
        ):
            await until_line(a, b"ready")
            await until_line(b, b"ready")
            other = (await run_once(box, habit(zoo_image, "look_around"))).lines()[-1]
            locks = (await run_once(box, habit(zoo_image, "try_lock"))).lines()[-1]
            users = {(await box.engine.inspect(bot.container))["Config"]["User"] for bot in (a, b)}
            # The control: a directory that both see carries a signal between them.
            box.change = lambda config: config["HostConfig"]["Mounts"][0].update(Source=str(first))
            joined = (await run_once(box, habit(zoo_image, "try_lock"))).lines()[-1]
    assert (other["tmp"], other["shm"], other["processes"]) == ([], [], ["1"])
    assert other["root"]
    assert len({*users, f"{other['uid']}:{other['uid']}"}) == 3
    assert locks["/etc/debian_version"] == "OK"
    # Locks of a bot under gVisor stay in its own kernel, also on a file that both see.
    assert joined["/run/bullring/common"] == ("EAGAIN" if RUNTIME is None else "OK")


async def test_an_image_cannot_choose_its_user_its_health_check_or_its_stop_signal(
    state: Path, engine: Engine, zoo_image: str
) -> None:
    made = await build_image_of(
        engine,
        f"FROM {zoo_image}\nUSER root\nSTOPSIGNAL SIGWINCH\nENV LD_PRELOAD=/nowhere.so\n"
        'LABEL page="<script>alert(1)</script>"\nHEALTHCHECK --interval=1s CMD touch /tmp/x\n',
    )
    program = habit(made, "look_around")

    async def look(bot: DockerBot) -> dict[str, Any]:
        found = await bot._engine.inspect(bot.container)
        return {"health": found["State"].get("Health"), "test": found["Config"]["Healthcheck"]}

    async with sandbox_at(state) as box:
        outcome = await run_once(box, program, look=look)
        # The loader's complaints about LD_PRELOAD come on the same way, in any order.
        [said] = [line for line in outcome.log.splitlines() if line.startswith(b"{")]
        seen = json.loads(said)
        assert seen["uid"] == seen["euid"] >= 1_900_000_000
        assert outcome.seen["health"] is None
        assert outcome.seen["test"]["Test"] == ["NONE"]
        box.change = lambda config: config.pop("Healthcheck")
        assert (await run_once(box, program, look=look)).seen["health"] is not None


async def build_image_of(engine: Engine, dockerfile: str) -> str:
    return await asyncio.to_thread(build_image, engine, dockerfile)


async def test_an_image_with_a_volume_is_refused_because_it_would_write_to_the_host(
    state: Path, engine: Engine, zoo_image: str
) -> None:
    dockerfile = f"FROM {zoo_image}\nRUN mkdir -m 777 /data\nVOLUME /data\n"
    image = await build_image_of(engine, dockerfile)
    write = "open('/data/x', 'w').write('y' * 1000); print('ready', flush=True)"
    program = python(image, f"import time; {write}; time.sleep(5)")
    async with sandbox_at(state) as box:
        with pytest.raises(StartRefused, match="VOLUME '/data'"):
            await run_once(box, program)
    folders: list[Path] = []

    async def look(bot: DockerBot) -> dict[str, Any]:
        await until_line(bot, b"ready")
        mounts = (await bot._engine.inspect(bot.container))["Mounts"]
        source = next(m["Source"] for m in mounts if m["Destination"] == "/data")
        folders.append(Path(source))
        written = (Path(source) / "x").stat().st_size
        await bot.kill()
        return {"written": written}

    async with sandbox_at(state, kind=Unchecked) as box:
        assert (await run_once(box, program, look=look)).seen["written"] == 1000
    assert not folders[0].exists(), "the volume must go with its container"


@pytest.mark.parametrize("command", [("/nowhere",), ("/etc/passwd",), ("/bot",)])
async def test_a_command_that_cannot_be_executed_is_the_bots_fault(
    state: Path, zoo_image: str, command: tuple[str, ...]
) -> None:
    async with sandbox_at(state) as box:
        with pytest.raises(StartRefused, match="cannot be executed"):
            await run_once(box, ImageProgram(image=zoo_image, command=command))


ODD_IMAGES = {
    "a file at /run": "COPY Dockerfile /run",
    "a file at /tmp": "COPY Dockerfile /tmp",
    "a file at the socket's folder": "COPY Dockerfile /run/bullring",
}


@pytest.mark.parametrize("case", ODD_IMAGES)
async def test_an_image_that_stands_in_the_way_is_the_bots_fault_not_ours(
    state: Path, engine: Engine, case: str
) -> None:
    image = await build_image_of(engine, f"FROM scratch\n{ODD_IMAGES[case]}\n")
    async with sandbox_at(state) as box:
        with pytest.raises(StartRefused) as caught:
            await run_once(box, ImageProgram(image=image, command=("/x",)))
    assert "overlay2" not in str(caught.value)
    assert str(state) not in str(caught.value)
    await engine.remove_image(image)
