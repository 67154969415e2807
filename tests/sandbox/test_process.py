"""The process runner: ends, output, freezing, and nobody left behind when its owner dies."""

import asyncio
import errno
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox import process
from sandbox.api import (
    CommandProgram,
    Exit,
    HowEnded,
    ImageProgram,
    PlatformFault,
    StartRefused,
)
from sandbox.limits import bot_limits
from sandbox.process import ProcessSandbox
from tests.ending import started

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.anyio


def python(code: str) -> CommandProgram:
    return CommandProgram(argv=(sys.executable, "-c", code), cwd=ROOT)


async def run(
    code: str, folder: Path, wall: str | None = None, **limits: int
) -> tuple[Exit, bytes]:
    budget = replace(bot_limits(), **limits)
    async with ProcessSandbox(wall).run(python(code), budget, folder) as bot:
        async with asyncio.timeout(60):
            end = await bot.wait()
    return end, bot.log_tail()


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


async def eventually(condition: Callable[[], object]) -> bool:
    for _ in range(1000):
        if condition():
            return True
        await asyncio.sleep(0.02)
    return False


ENDS = pytest.mark.parametrize(
    ("code", "end"),
    [
        ("pass", Exit(how=HowEnded.EXITED, code=0)),
        ("raise SystemExit(7)", Exit(how=HowEnded.EXITED, code=7)),
        (
            "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
            Exit(how=HowEnded.SIGNALLED, signal=signal.SIGSEGV),
        ),
    ],
)


@ENDS
async def test_the_end_of_a_bot_is_told_as_it_was(code: str, end: Exit, tmp_path: Path) -> None:
    assert (await run(code, tmp_path))[0] == end


@ENDS
async def test_the_end_of_a_bot_behind_the_wall_is_told_the_same_way(
    code: str, end: Exit, tmp_path: Path, bubblewrap: str
) -> None:
    assert (await run(code, tmp_path, wall=bubblewrap))[0] == end


ATTEMPTS = """
import os, socket, tempfile
def tell(name, attempt):
    try:
        attempt()
        print(name, "worked")
    except OSError as error:
        print(name, "failed")
def connect():
    with socket.create_connection(("127.0.0.1", {port}), timeout=5): pass
tell("connecting", connect)
tell("writing", lambda: open({target!r}, "w"))
tell("seeing", lambda: os.kill({pid}, 0))
tell("scratch", lambda: tempfile.TemporaryFile())
"""


@pytest.mark.parametrize("walled", [True, False])
async def test_the_wall_takes_network_disk_and_neighbours_and_leaves_scratch_space(
    walled: bool, tmp_path: Path, bubblewrap: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        code = ATTEMPTS.format(port=port, target=str(tmp_path / "file"), pid=os.getpid())
        _, log = await run(code, tmp_path, wall=bubblewrap if walled else None)
    outcome = "failed" if walled else "worked"
    taken = [f"{what} {outcome}" for what in ("connecting", "writing", "seeing")]
    assert log.decode().splitlines() == [*taken, "scratch worked"]


async def test_both_outputs_are_kept_and_cut_to_the_end(tmp_path: Path) -> None:
    code = "import sys; print('x' * 1000); print('last words', file=sys.stderr)"
    _, log = await run(code, tmp_path, log_tail=64)
    assert log.endswith(b"last words\n")
    assert len(log) == 64


async def test_a_flood_of_output_ends_the_bot(tmp_path: Path) -> None:
    code = "while True: print('x' * 10000)"
    end, log = await run(code, tmp_path, log_budget=100_000)
    assert end.how is HowEnded.OUTPUT_FLOOD
    assert len(log) <= bot_limits().log_tail


async def test_a_bot_knows_its_referee_and_none_of_our_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BULLRING_SECRET", "hush")
    _, log = await run("import os; print(dict(os.environ))", tmp_path)
    assert f"unix://{tmp_path}/referee.sock".encode() in log
    assert b"hush" not in log


async def test_a_command_that_cannot_be_executed_says_so(tmp_path: Path) -> None:
    missing = CommandProgram(argv=("/nowhere/bot",), cwd=tmp_path)
    async with ProcessSandbox().run(missing, bot_limits(), tmp_path) as bot:
        end = await bot.wait()
    assert end == Exit(how=HowEnded.EXITED, code=127)
    assert b"cannot execute '/nowhere/bot'" in bot.log_tail()


async def test_a_folder_that_does_not_exist_and_an_image_are_refused(tmp_path: Path) -> None:
    nowhere = CommandProgram(argv=("true",), cwd=tmp_path / "nowhere")
    with pytest.raises(StartRefused, match="does not exist"):
        async with ProcessSandbox().run(nowhere, bot_limits(), tmp_path):
            pass
    image = ImageProgram(image="sha256:" + "0" * 64)
    with pytest.raises(ValueError, match="runs commands"):
        async with ProcessSandbox().run(image, bot_limits(), tmp_path):
            pass


async def test_a_machine_that_can_start_no_process_is_no_fault_of_the_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(asyncio, "create_subprocess_exec", full)
    with pytest.raises(PlatformFault, match="No process could be started here"):
        async with ProcessSandbox().run(python("pass"), bot_limits(), tmp_path):
            pass


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ("os.fork = fails", "could not be started here: Cannot allocate memory"),
        ("os.execvpe = fails", "could not be started here: Cannot allocate memory"),
        ("os.waitpid = lambda *_: os._exit(1)", "ended without a report"),
    ],
)
async def test_a_watchdog_that_cannot_do_its_work_is_no_fault_of_the_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, fault: str
) -> None:
    unwell = tmp_path / "watchdog.py"
    unwell.write_text(f"""
import errno, os, runpy
def fails(*_):
    raise OSError(errno.ENOMEM, "no memory")
{change}
runpy.run_path({str(process.WATCHDOG)!r}, run_name="__main__")
""")
    monkeypatch.setattr(process, "WATCHDOG", unwell)
    with pytest.raises(PlatformFault, match=fault):
        await run("import time; time.sleep(3600)", tmp_path)


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc")
async def test_leaving_the_block_kills_the_bot_and_what_it_left_behind(tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    code = f"""
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open({str(marker)!r}, "w").write(str(os.getpid()))
        time.sleep(3600)
    os._exit(0)
time.sleep(3600)
"""
    async with ProcessSandbox().run(python(code), bot_limits(), tmp_path):
        assert await eventually(lambda: marker.exists() and marker.read_text())
        daemon = int(marker.read_text())
        assert is_alive(daemon)
    assert await eventually(lambda: not is_alive(daemon))


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc")
async def test_a_frozen_bot_makes_no_step_and_can_be_thawed_and_killed(tmp_path: Path) -> None:
    marker = tmp_path / "count"
    code = f"""
import time
for n in range(100000):
    open({str(marker)!r}, "w").write("x" * (n + 1))
    time.sleep(0.005)
"""
    async with ProcessSandbox().run(python(code), bot_limits(), tmp_path) as bot:
        assert await eventually(lambda: marker.exists() and marker.stat().st_size > 2)
        await bot.freeze()
        await asyncio.sleep(0.2)
        frozen = marker.stat().st_size
        await asyncio.sleep(0.2)
        assert marker.stat().st_size == frozen
        await bot.thaw()
        assert await eventually(lambda: marker.stat().st_size > frozen + 2)
        await bot.freeze()
        await bot.kill()
        assert (await bot.wait()).how is HowEnded.KILLED


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc")
def test_a_bot_dies_with_its_owner_even_when_that_is_killed(tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    bot = f"import os, time; open({str(marker)!r}, 'w').write(str(os.getpid())); time.sleep(3600)"
    owner = f"""
import asyncio
from pathlib import Path
from sandbox.api import CommandProgram
from sandbox.limits import bot_limits
from sandbox.process import ProcessSandbox
async def main():
    program = CommandProgram(argv=({sys.executable!r}, "-c", {bot!r}), cwd=Path("/"))
    async with ProcessSandbox().run(program, bot_limits(), Path("/")) as bot:
        await bot.wait()
asyncio.run(main())
"""
    deadline = time.monotonic() + 60
    with started([sys.executable, "-c", owner], cwd=ROOT) as process:
        while not (marker.exists() and marker.read_text()):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        pid = int(marker.read_text())
        process.kill()
        process.wait()
        while is_alive(pid):
            assert time.monotonic() < deadline
            time.sleep(0.02)
    assert not is_alive(pid)
    assert pid != os.getpid()
