"""CPU time of real processes: children and the dead count too, and a bot keeps to its cores."""

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

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
