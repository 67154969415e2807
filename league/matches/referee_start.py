"""Starting a referee process: what the supervisor needs of one, and the plain way to get it."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

ROOT = Path(__file__).resolve().parents[2]
LINE_BYTES = 1 << 26

REFEREE = "referee"
"""The module that the referee process runs."""


class Input(Protocol):
    """The stdin of a process, as its parent sees it."""

    def write(self, data: bytes, /) -> None: ...
    def is_closing(self) -> bool: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RefereeChild:
    """A referee process that was just started."""

    pid: int
    stdin: Input
    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader
    wait: Callable[[], Awaitable[int | None]]
    """Its exit code, negative for a signal; None when it has ended and nobody knows how."""
    kill: Callable[[], None]
    """May raise ProcessLookupError."""
    let_go: Callable[[], None] = lambda: None
    """Close what is still open, after its end."""


StartReferee = Callable[[int | None], Awaitable[RefereeChild]]
"""Starts a referee, as another user where one is named."""


async def start_fresh(uid: int | None) -> RefereeChild:
    """A new Python that imports everything."""
    # No environment at all: nothing of ours is there for a bot to find in this process.
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-Es",
        "-m",
        REFEREE,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=ROOT,
        env={},
        limit=LINE_BYTES,
        start_new_session=True,
        user=uid,
        group=uid,
        # Without this it would keep the groups of the worker.
        extra_groups=None if uid is None else (),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    return RefereeChild(
        pid=process.pid,
        stdin=process.stdin,
        stdout=process.stdout,
        stderr=process.stderr,
        wait=process.wait,
        kill=process.kill,
    )
