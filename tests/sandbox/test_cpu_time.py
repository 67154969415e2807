"""CPU time of real processes: children and the dead count too, and a bot keeps to its cores."""

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sandbox import process
from sandbox.api import CommandProgram
from sandbox.cpu_time import ProcessTree
from sandbox.limits import bot_limits
from sandbox.process import ProcessSandbox

ROOT = Path(__file__).resolve().parents[2]
SPIN = "import time\nend = time.process_time() + {seconds}\nwhile time.process_time() < end: pass\n"
pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")


def test_the_time_of_children_is_counted_while_they_live_and_when_they_are_gone() -> None:
    child = SPIN.format(seconds=0.2)
    code = (
        "import subprocess, sys\n"
        f"subprocess.run([sys.executable, '-c', {child!r}])\n"
        "print('done', flush=True)\nsys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        tree = ProcessTree(process.pid)
        assert process.stdout is not None
        assert process.stdout.readline() == b"done\n"
        assert (tree.cpu_seconds() or 0.0) >= 0.2
        used = tree.cpu_seconds()
        process.kill()
    assert tree.cpu_seconds() == used


def test_a_child_that_nobody_waits_for_cannot_take_its_time_with_it() -> None:
    child = SPIN.format(seconds=0.5)
    code = (
        "import signal, subprocess, sys\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        f"subprocess.run([sys.executable, '-c', {child!r}])\n"
        "print('done', flush=True)\nsys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        tree = ProcessTree(process.pid)
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)
        while process.stdout.read() is None:
            tree.cpu_seconds()
            time.sleep(0.01)
        assert (tree.cpu_seconds() or 0.0) >= 0.3
        process.kill()


def test_a_process_that_never_was_has_no_time(tmp_path: Path) -> None:
    assert ProcessTree(1, proc=tmp_path).cpu_seconds() is None


@pytest.mark.anyio
async def test_the_process_runner_tells_a_bots_time_and_keeps_it_to_its_cores(
    tmp_path: Path,
) -> None:
    core = max(os.sched_getaffinity(0))
    code = f"import os\n{SPIN.format(seconds=0.2)}print(os.sched_getaffinity(0))"
    program = CommandProgram(argv=(sys.executable, "-c", code), cwd=ROOT)
    for pin in (True, False):
        sandbox = ProcessSandbox(pin=pin)
        async with sandbox.run(program, bot_limits(), tmp_path, cores=[core]) as bot:
            async with asyncio.timeout(60):
                while (bot.cpu_seconds() or 0.0) < 0.1:
                    await asyncio.sleep(0.01)
                await bot.wait()
        expected = {core} if pin else os.sched_getaffinity(0)
        assert bot.log_tail().decode().strip() == str(expected)
        assert (bot.cpu_seconds() or 0.0) >= 0.1


@pytest.mark.anyio
@pytest.mark.parametrize("killed", [False, True])
async def test_what_a_bot_used_behind_the_wall_is_counted_when_it_is_gone(
    tmp_path: Path, bubblewrap: str, killed: bool
) -> None:
    """bubblewrap does not wait for the process that ran the bot, so somebody else has to."""
    big = 64 << 20
    wait = "time.sleep(3600)" if killed else ""
    code = f"held = bytearray({big})\n{SPIN.format(seconds=0.3)}print('done', flush=True)\n{wait}"
    program = CommandProgram(argv=(sys.executable, "-c", code), cwd=ROOT)
    async with ProcessSandbox(bubblewrap).run(program, bot_limits(), tmp_path) as bot:
        async with asyncio.timeout(60):
            while b"done" not in bot.log_tail():
                await asyncio.sleep(0.01)
            if killed:
                await bot.kill()
            await bot.wait()
    usage = await bot.usage()
    assert usage.cpu_s is not None
    assert usage.cpu_s >= 0.3
    assert usage.memory_peak is not None
    assert usage.memory_peak > big


@pytest.mark.anyio
async def test_the_time_of_what_a_bot_leaves_behind_is_counted(tmp_path: Path) -> None:
    code = (
        "import os, subprocess, sys\n"
        f"child = {SPIN.format(seconds=0.3) + 'print(7, flush=True); time.sleep(3600)'!r}\n"
        "left = subprocess.Popen([sys.executable, '-c', child], stdout=subprocess.PIPE)\n"
        "left.stdout.readline()\nos._exit(0)\n"
    )
    program = CommandProgram(argv=(sys.executable, "-c", code), cwd=ROOT)
    async with ProcessSandbox().run(program, bot_limits(), tmp_path) as bot:
        async with asyncio.timeout(60):
            await bot.wait()
    assert ((await bot.usage()).cpu_s or 0.0) >= 0.3


@pytest.mark.anyio
async def test_a_watchdog_without_process_descriptors_does_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = tmp_path / "watchdog.py"
    older.write_text(
        f"import os, runpy\ndel os.pidfd_open\n"
        f"runpy.run_path({str(process.WATCHDOG)!r}, run_name='__main__')\n"
    )
    monkeypatch.setattr(process, "WATCHDOG", older)
    program = CommandProgram(argv=(sys.executable, "-c", SPIN.format(seconds=0.1)), cwd=ROOT)
    async with ProcessSandbox().run(program, bot_limits(), tmp_path) as bot:
        async with asyncio.timeout(60):
            assert (await bot.wait()).code == 0
    assert ((await bot.usage()).cpu_s or 0.0) >= 0.1
