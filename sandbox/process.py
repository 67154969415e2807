"""The process runner: bots as plain processes of this machine, for trusted bots only.

What it promises: the bot ends when we say so or when we die, its output is read slowly and cut,
and its end is reported as the Docker runner reports it. It contains nothing, except
for the thin wall of `bubblewrap.py` where that is installed.
"""

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Unpack

from sandbox import bubblewrap
from sandbox.api import (
    SOCKET_NAME,
    CommandProgram,
    Exit,
    HowEnded,
    Limits,
    PlatformFault,
    Program,
    RunOptions,
    StartRefused,
    Usage,
)
from sandbox.cpu_time import ProcessTree

WATCHDOG = Path(__file__).with_name("watchdog.py")
CHUNK = 16384
LAST_WORDS_SECONDS = 1.0
ROOT = Path(__file__).resolve().parent.parent
PASSED_ON = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "TZ")
"""Of our own environment a bot gets these, and nothing that could be a secret."""


class ProcessBot:
    """A running process and its watchdog, as `RunningBot`."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        control: socket.socket,
        limits: Limits,
        *,
        walled: bool,
    ) -> None:
        self.started = time.monotonic()
        self.output_flooded = False
        self._process = process
        self._control = control
        self._limits = limits
        self._walled = walled
        self._tail = bytearray()
        self._killed = False
        self._usage = Usage()
        self._tree = ProcessTree(process.pid)
        loop = asyncio.get_running_loop()
        self._output = loop.create_task(self._read_output())
        self._end = loop.create_task(self._watch())

    async def _read_output(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        total = 0
        allowance = float(self._limits.log_burst)
        last = time.monotonic()
        while data := await stream.read(CHUNK):
            total += len(data)
            if self.output_flooded:
                # It is being killed; what is still in the pipe must go, or its end is never seen.
                continue
            self._tail += data
            del self._tail[: -self._limits.log_tail]
            if total > self._limits.log_budget:
                self.output_flooded = True
                self._order(signal.SIGKILL)
                continue
            now = time.monotonic()
            allowance = min(
                allowance + (now - last) * self._limits.log_rate, self._limits.log_burst
            ) - len(data)
            last = now
            if allowance < 0:
                # A slow reader makes the bot wait in its own write().
                await asyncio.sleep(-allowance / self._limits.log_rate)

    async def _watch(self) -> Exit:
        loop = asyncio.get_running_loop()
        news = b""
        with contextlib.suppress(OSError):
            while data := await loop.sock_recv(self._control, 4096):
                news += data
        report: dict[str, float] = {}
        for line in news.splitlines():
            report |= json.loads(line)
        if "code" not in report and "pid" in report:
            # The watchdog was killed, so the bot it watched has to be ended here.
            with contextlib.suppress(OSError):
                os.killpg(int(report["pid"]), signal.SIGKILL)
        # The watchdog is gone. Its output ends with it, unless a stranger still holds the pipe.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LAST_WORDS_SECONDS):
                await asyncio.shield(self._output)
                await self._process.wait()
        return self._exit(report)

    def _exit(self, report: dict[str, float]) -> Exit:
        """How it ended, as the watchdog reported."""
        if "failed" in report:
            why = os.strerror(int(report["failed"]))
            raise PlatformFault(f"The bot's process could not be started here: {why}.")
        if "code" not in report and not self._killed and not self.output_flooded:
            raise PlatformFault("The watchdog of a bot's process ended without a report.")
        peak = report.get("memory_peak")
        self._usage = Usage(
            cpu_s=report.get("cpu_s"), memory_peak=None if peak is None else int(peak)
        )
        code = int(report.get("code", -signal.SIGKILL))
        code = bubblewrap.exit_code(code) if self._walled else code
        if self.output_flooded:
            return Exit(how=HowEnded.OUTPUT_FLOOD, signal=signal.SIGKILL)
        if self._killed:
            return Exit(how=HowEnded.KILLED, signal=-code if code < 0 else None)
        if code < 0:
            return Exit(how=HowEnded.SIGNALLED, signal=-code)
        return Exit(how=HowEnded.EXITED, code=code)

    def _order(self, number: signal.Signals) -> None:
        with contextlib.suppress(OSError):
            self._control.send(bytes([number]))

    async def wait(self) -> Exit:
        """Wait for its end; PlatformFault when this machine did not let it live."""
        return await asyncio.shield(self._end)

    def cpu_seconds(self) -> float | None:
        """Its CPU time, with that of its watchdog and of all its children."""
        return self._tree.cpu_seconds()

    def waited_seconds(self) -> float | None:
        """How long its threads, and those of its children, waited for a core."""
        return self._tree.waited_seconds()

    async def usage(self) -> Usage:
        """What it has used; known when it has ended."""
        return self._usage

    def log_tail(self) -> bytes:
        """The last bytes of its output."""
        return bytes(self._tail)

    async def freeze(self) -> None:
        """Stop all its processes."""
        self._order(signal.SIGSTOP)

    async def thaw(self) -> None:
        """Let it go on."""
        self._order(signal.SIGCONT)

    async def kill(self) -> None:
        """Kill all its processes."""
        if not self._end.done():
            self._killed = True
            self._order(signal.SIGKILL)

    async def close(self) -> None:
        """Kill it, wait for its end, and let go of everything."""
        await self.kill()
        try:
            # A fault of ours is for whoever waits for its end.
            await asyncio.wait([self._end])
        finally:
            self._output.cancel()
            await asyncio.gather(self._output, self._end, return_exceptions=True)
            self._control.close()


class ProcessSandbox:
    """Runs trusted bots as processes of this user."""

    name = "process"
    contained = False

    def __init__(self, wall: str | None = None, *, pin: bool = False) -> None:
        self.wall = wall
        """The bubblewrap program to run bots behind, where there is one."""
        self.pin = pin
        """Whether bots are kept to the cores of their table (Linux). Whoever asks for it must let
        no more of them think at once than there are cores, or they take time from one another."""

    @asynccontextmanager
    async def run(
        self,
        program: Program,
        limits: Limits,
        socket_dir: Path,
        **options: Unpack[RunOptions],
    ) -> AsyncIterator[ProcessBot]:
        """Start one bot under its watchdog; when the block ends, nothing of it is left."""
        if not isinstance(program, CommandProgram):
            raise ValueError(f"The process runner runs commands, not {program!r}.")
        if not program.cwd.is_dir():
            raise StartRefused(f"The folder {str(program.cwd)!r} of the bot does not exist.")
        environment = _environment(socket_dir, options.get("env"))
        pinned = ",".join(map(str, options.get("cores") or ())) if self.pin else ""
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-I",
                "-S",
                str(WATCHDOG),
                f"{theirs.fileno()}:{pinned}",
                *self._command(program, environment),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                cwd=program.cwd,
                env=environment,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        except (FileNotFoundError, NotADirectoryError, PermissionError) as error:
            ours.close()
            raise StartRefused(f"The bot cannot be started: {error}.") from error
        except OSError as error:
            # Too many processes, files or bytes on this machine are no fault of the bot.
            ours.close()
            raise PlatformFault(f"No process could be started here: {error}.") from error
        finally:
            theirs.close()
        bot = ProcessBot(process, ours, limits, walled=self.wall is not None)
        try:
            yield bot
        finally:
            # Half a cleanup would leave a process behind, so cancellation waits for it.
            closing = asyncio.ensure_future(bot.close())
            try:
                await asyncio.shield(closing)
            except asyncio.CancelledError:
                await asyncio.wait([closing])
                raise

    def _command(self, program: CommandProgram, environment: Mapping[str, str]) -> Sequence[str]:
        if self.wall is None:
            return program.argv
        # A referee on TCP listens outside, so a bot that is to reach it keeps the network.
        network = not environment["BULLRING_REFEREE"].startswith("unix:")
        return bubblewrap.behind_wall(self.wall, program.argv, network=network)


def _environment(socket_dir: Path, env: Mapping[str, str] | None) -> dict[str, str]:
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    # From a checkout nothing is installed, so the bot must find botkit by its path.
    return {
        **passed,
        "PYTHONPATH": str(ROOT),
        "PYTHONUNBUFFERED": "1",
        "BULLRING_REFEREE": f"unix://{(socket_dir / SOCKET_NAME).absolute()}",
        # Where the referee listens elsewhere, it says so here.
        **(env or {}),
    }
