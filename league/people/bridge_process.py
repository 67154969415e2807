"""Starting bridges as the children of a supervisor, beside the bots that a sandbox runs."""

import asyncio
import contextlib
import json
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Unpack

from sandbox.api import (
    SOCKET_NAME,
    CommandProgram,
    Exit,
    HowEnded,
    Limits,
    PlatformFault,
    Program,
    RunningBot,
    RunOptions,
    Sandbox,
    Usage,
)

BRIDGE = "referee.bridge"
ROOT = Path(__file__).resolve().parents[2]
LINE_BYTES = 1 << 24
PERSON = ("person",)
"""The program of the one version that stands for every person."""

Line = dict[str, Any]


class BridgeBot:
    """The bridge of one person, as `RunningBot`."""

    output_flooded = False

    def __init__(
        self, process: asyncio.subprocess.Process, on_line: Callable[[Line], None]
    ) -> None:
        self.started = time.monotonic()
        self._process = process
        self._on_line = on_line
        self._left = False
        self._errors = b""
        self._end = asyncio.get_running_loop().create_task(self._watch())

    async def _watch(self) -> Exit:
        process = self._process
        assert process.stdout is not None
        assert process.stderr is not None
        errors = asyncio.ensure_future(process.stderr.read())
        while line := await process.stdout.readline():
            self._on_line(json.loads(line))
        self._errors = await errors
        code = await process.wait()
        if self._left:
            return Exit(how=HowEnded.LEFT)
        if code:
            text = self._errors.decode(errors="backslashreplace")
            raise PlatformFault(f"the bridge of a person ended with code {code}: {text[-2000:]}")
        return Exit(how=HowEnded.EXITED, code=0)

    def say(self, message: Line) -> None:
        """One line for the bridge."""
        stdin = self._process.stdin
        assert stdin is not None
        if not stdin.is_closing():
            stdin.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def leave(self) -> None:
        """The person gets up: the referee hears that nobody sits here any more."""
        self._left = True
        assert self._process.stdin is not None
        self._process.stdin.close()

    async def wait(self) -> Exit:
        """Wait for its end; PlatformFault when it was not the person's."""
        return await asyncio.shield(self._end)

    async def usage(self) -> Usage:
        """A bridge is ours, and is not counted."""
        return Usage()

    def cpu_seconds(self) -> float | None:
        """A bridge is ours, and is not counted."""
        return None

    def waited_seconds(self) -> float | None:
        """A bridge is ours, and is not counted."""
        return None

    def log_tail(self) -> bytes:
        """What it wrote besides its lines."""
        return self._errors

    async def freeze(self) -> None:
        """Never: a person hears of events while others think."""

    async def thaw(self) -> None:
        """It was not frozen."""

    async def kill(self) -> None:
        """End it."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    async def close(self) -> None:
        """Kill it and wait for its end."""
        if self._process.returncode is None:
            await self.kill()
        await asyncio.wait([self._end])
        # Seen or not: whoever waited for it has heard.
        self._end.exception()


class BridgedSandbox:
    """A sandbox for a table with people: bots run in it, and each person has a bridge."""

    def __init__(
        self,
        sandbox: Sandbox,
        uid: int | None,
        on_line: Callable[[int, Line], None],
        bridges: dict[int, BridgeBot],
    ) -> None:
        self._sandbox = sandbox
        self._uid = uid
        self._on_line = on_line
        self._bridges = bridges
        self.name = sandbox.name
        self.contained = sandbox.contained

    def run(
        self,
        program: Program,
        limits: Limits,
        socket_dir: Path,
        **options: Unpack[RunOptions],
    ) -> AbstractAsyncContextManager[RunningBot]:
        """Start a bot, or the bridge of a person."""
        if isinstance(program, CommandProgram) and program.argv == PERSON:
            bot = int((options.get("labels") or {})["bullring.bot"])
            return self._bridge(bot, socket_dir)
        return self._sandbox.run(program, limits, socket_dir, **options)

    @asynccontextmanager
    async def _bridge(self, bot: int, socket_dir: Path) -> AsyncIterator[RunningBot]:
        # No environment at all, as for the referee, and the same user: only that one may enter
        # the folder of the socket.
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-Es",
            "-m",
            BRIDGE,
            f"unix://{socket_dir / SOCKET_NAME}",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=ROOT,
            env={},
            limit=LINE_BYTES,
            start_new_session=True,
            user=self._uid,
            group=self._uid,
            extra_groups=None if self._uid is None else (),
        )
        bridge = BridgeBot(process, lambda line: self._on_line(bot, line))
        self._bridges[bot] = bridge
        try:
            yield bridge
        finally:
            await bridge.close()
