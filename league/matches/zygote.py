"""The worker's zygote: a process with the referee imported, forked for every match (Linux).

A fork takes a twentieth of what a fresh start takes. Where there can be no zygote, or when it has
died, a referee is started afresh, and no match notices. The process itself is `referee/zygote.py`.
"""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import IO, Final

import structlog

from league.matches import referee_start
from league.matches.referee_start import LINE_BYTES, ROOT, RefereeChild, start_fresh

LOG = structlog.get_logger("league")
MATCHES: Final = 100
"""How many are forked from one zygote: its children share where things lie in memory, and the seed
of Python's hashes, and nobody should have long to find them out."""
TRIES: Final = 3
"""After so many failures in a row, all referees of this worker are started afresh."""
FORK_S: Final = 30.0
"""How long a fork may take; the first one waits for the imports, on a busy machine."""
END_S: Final = 5.0
PACKET: Final = 256
PACKAGES: Final = ("referee", "wire", "nimmt")
"""What the zygote imports of ours."""


class NoFork(Exception):
    """The zygote did not fork; says why."""


def code_stamp() -> tuple[tuple[str, int, int], ...]:
    """What the code on disk is now, as far as it can be told without reading it."""
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    facts = [(path, path.stat()) for path in sorted(files)]
    return tuple((str(path), fact.st_mtime_ns, fact.st_size) for path, fact in facts)


class Zygote:
    """Starts referees for one worker; from any of its threads, each with a loop of its own."""

    def __init__(self, matches: int = MATCHES, stamp: Callable[[], object] = code_stamp) -> None:
        self._matches = matches
        self._stamp = stamp
        self._lock = threading.Lock()
        self._process: _Process | None = None
        self._retired: list[_Process] = []
        self._failures = 0 if hasattr(os, "pidfd_open") else TRIES

    async def start(self, uid: int | None) -> RefereeChild:
        """A referee, forked if possible; as another user where one is named."""
        if (process := self._ready()) is not None:
            try:
                child = await _fork(process.control, uid)
            except NoFork as error:
                self._failed(process, error)
            else:
                self._failures = 0
                return child
        return await start_fresh(uid)

    @property
    def pid(self) -> int | None:
        """The process that the next referee would be forked from, if it is there already."""
        process = self._process
        return None if process is None else process.popen.pid

    def close(self) -> None:
        """End it; referees that still play go on, and it waits for them."""
        with self._lock:
            self._failures = TRIES
            self._retire()
            for process in self._retired:
                process.end()
            self._retired.clear()

    def _ready(self) -> "_Process | None":
        """The process for one more match; an old one is replaced."""
        with self._lock:
            if self._failures >= TRIES:
                return None
            self._retired = [old for old in self._retired if old.popen.poll() is None]
            # Before the start: what is imported is never older than what we take it for.
            stamp = self._stamp()
            process = self._process
            if process is None or process.forks >= self._matches or process.stamp != stamp:
                self._retire()
                try:
                    process = self._process = _Process(stamp)
                except OSError as error:
                    LOG.warning("no zygote", error=str(error))
                    self._failures += 1
                    return None
            process.forks += 1
            return process

    def _retire(self) -> None:
        if self._process is not None:
            # It ends by itself, after the last of its children.
            self._process.control.close()
            self._retired.append(self._process)
            self._process = None

    def _failed(self, process: "_Process", error: NoFork) -> None:
        with self._lock:
            # Slots that start together meet the same dead process, which is one failure.
            if self._process is process:
                self._failures += 1
                self._retire()
        LOG.warning("the zygote did not fork, so a referee starts afresh", error=str(error))


class _Process:
    """One zygote process."""

    def __init__(self, stamp: object) -> None:
        self.stamp = stamp
        self.forks = 0
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # Nobody may wait here: a full queue is a reason to start afresh.
        self.control.setblocking(False)
        command = [sys.executable, "-Es", "-m", "referee.zygote"]
        try:
            self.popen = subprocess.Popen(
                [*command, str(theirs.fileno()), referee_start.REFEREE],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                cwd=ROOT,
                env={},
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        except OSError:
            self.control.close()
            raise
        finally:
            theirs.close()

    def end(self) -> None:
        """Wait for its end, which closing the socket has asked for; a stuck one is killed."""
        try:
            self.popen.wait(END_S)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()


async def _fork(control: socket.socket, uid: int | None) -> RefereeChild:
    """Ask the zygote for one referee, and connect to it. Raises NoFork."""
    with contextlib.ExitStack() as ours:
        news, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.callback(news.close)
        news.setblocking(False)
        with theirs:
            (stdin_read, stdin), (stdout, stdout_write), (stderr, stderr_write) = [
                os.pipe() for _ in range(3)
            ]
            ends = (
                os.fdopen(stdin, "wb", 0),
                os.fdopen(stdout, "rb", 0),
                os.fdopen(stderr, "rb", 0),
            )
            for end in ends:
                # Closing the pipes ends a referee that nobody will talk to.
                ours.callback(end.close)
            fds = [stdin_read, stdout_write, stderr_write, theirs.fileno()]
            try:
                socket.send_fds(control, [b"same" if uid is None else b"%d" % uid], fds)
            except OSError as error:
                raise NoFork(f"it takes no requests: {error}") from error
            finally:
                for fd in fds[:3]:
                    os.close(fd)
        pid, handle = await _started(news)
        ours.callback(os.close, handle)
        child = await _Fork(news, handle).connect(pid, *ends)
        ours.pop_all()
        return child


async def _started(news: socket.socket) -> tuple[int, int]:
    """Number and descriptor of the process that was forked."""
    try:
        async with asyncio.timeout(FORK_S):
            await _readable(news.fileno())
    except TimeoutError:
        raise NoFork(f"it did not answer within {FORK_S:.0f} s") from None
    try:
        packet, fds, _, _ = socket.recv_fds(news, PACKET, 1)
    except OSError as error:
        raise NoFork(str(error)) from error
    word, _, rest = packet.decode().partition(" ")
    if word != "started":
        raise NoFork(rest or "it has ended")
    return int(rest), fds[0]


class _Fork:
    """The supervisor's side of a forked referee."""

    def __init__(self, news: socket.socket, handle: int) -> None:
        self._news = news
        self._handle = handle
        self._ended = False
        self._code: int | None = None
        self._transports: list[asyncio.BaseTransport] = []

    async def connect(
        self, pid: int, stdin: IO[bytes], stdout: IO[bytes], stderr: IO[bytes]
    ) -> RefereeChild:
        """Make streams of the pipes."""
        loop = asyncio.get_running_loop()
        readers = []
        for pipe in (stdout, stderr):
            reader = asyncio.StreamReader(limit=LINE_BYTES)
            protocol = partial(asyncio.StreamReaderProtocol, reader)
            transport, _ = await loop.connect_read_pipe(protocol, pipe)
            self._transports.append(transport)
            readers.append(reader)
        write, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, stdin)
        self._transports.append(write)
        return RefereeChild(
            pid=pid,
            stdin=write,
            stdout=readers[0],
            stderr=readers[1],
            wait=self.wait,
            kill=self.kill,
            let_go=self.let_go,
        )

    async def wait(self) -> int | None:
        """The exit code that the zygote tells; None if it died before its child."""
        if not self._ended:
            await _readable(self._news.fileno())
            told = b""
            with contextlib.suppress(OSError):
                told = self._news.recv(PACKET)
            word, _, code = told.decode().partition(" ")
            if word == "ended":
                self._code = int(code)
            else:
                await _readable(self._handle)
            self._ended = True
        return self._code

    def kill(self) -> None:
        """Kill this very process; its number may be another's by now."""
        signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def let_go(self) -> None:
        """Close everything."""
        for transport in self._transports:
            transport.close()
        self._news.close()
        os.close(self._handle)


async def _readable(fd: int) -> None:
    """Wait until a descriptor can be read, or its other end is closed."""
    loop = asyncio.get_running_loop()
    seen = loop.create_future()
    loop.add_reader(fd, lambda: None if seen.done() else seen.set_result(None))
    try:
        await seen
    finally:
        loop.remove_reader(fd)
