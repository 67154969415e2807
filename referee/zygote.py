"""A process with the referee imported and nothing started, which is forked for every match.

Run as `python -Es -m referee.zygote FD MODULE`: FD is a socket to the worker, MODULE what a fresh
start would run with -m. Each request is one packet with four descriptors: the stdin, stdout and
stderr of a new referee, and a socket on which it is told of: `started PID` with a descriptor of the
process, then `ended CODE`; or `refused WHY`, and the worker starts one afresh. The end of the
worker's socket ends this process, after the last of its children.

Before a fork nothing is started and nothing secret or random is made: no thread, no event loop, no
gRPC, no match. A child closes all that is the zygote's and drops its rights before it reads a byte.
"""

import contextlib
import gc
import os
import random
import select
import socket
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

PACKET = 256
"""More than any message in either direction."""
FDS = 4
CRASHED = 1
"""How Python ends after an error that nobody caught."""


class Child:
    """A referee that was forked here, until its end was told."""

    def __init__(self, pid: int, handle: int, news: socket.socket) -> None:
        self.pid = pid
        self.handle = handle
        """Can be read when the process has ended."""
        self.news = news

    def close(self) -> None:
        """Let go of both descriptors."""
        os.close(self.handle)
        self.news.close()


class Zygote:
    """Forks on request, and tells how every child ended."""

    def __init__(self, control: socket.socket, play: Callable[[], None]) -> None:
        self._control = control
        self._play = play
        self._children: dict[int, Child] = {}

    def serve(self) -> None:
        """Until the worker is gone, and then until the last child is."""
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        listening = True
        while listening or self._children:
            for ready, _ in poll.poll():
                if ready in self._children:
                    poll.unregister(ready)
                    self._reap(self._children.pop(ready))
                    continue
                packet, fds, _, _ = socket.recv_fds(self._control, PACKET, FDS)
                if not packet:
                    listening = False
                    poll.unregister(self._control)
                elif (child := self._answer(packet, fds)) is not None:
                    self._children[child.handle] = child
                    poll.register(child.handle, select.POLLIN)

    def _answer(self, packet: bytes, fds: Sequence[int]) -> Child | None:
        """The child that was asked for, or None if it cannot be had."""
        news = socket.socket(fileno=fds[3])
        why, pid = unfit(), 0
        if why is None:
            try:
                pid = os.fork()
            except OSError as error:
                why = str(error)
            else:
                if pid == 0:
                    self._be_referee(packet, fds[:3], news)
        for fd in fds[:3]:
            os.close(fd)
        if why is not None:
            tell(news, f"refused {why}")
            news.close()
            return None
        child = Child(pid, os.pidfd_open(pid), news)
        tell(news, f"started {pid}", child.handle)
        return child

    def _be_referee(self, packet: bytes, fds: Sequence[int], news: socket.socket) -> NoReturn:
        """The child: what a fresh start has, and nothing of the zygote's."""
        code = CRASHED
        try:
            os.setsid()
            for number, fd in enumerate(fds):
                os.dup2(fd, number)
                os.close(fd)
            news.close()
            self._control.close()
            for child in self._children.values():
                child.close()
            drop_rights(packet)
            random.seed()
            self._play()
            code = 0
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else int(error.code is not None)
        except BaseException:
            traceback.print_exc()
        finally:
            leave(code)

    def _reap(self, child: Child) -> None:
        """Take the status of a child that has ended, and tell whoever had it started."""
        _, status = os.waitpid(child.pid, 0)
        tell(child.news, f"ended {os.waitstatus_to_exitcode(status)}")
        child.close()


def leave(code: int) -> NoReturn:
    """End at once: nothing in a referee needs tidying up, and tidying up takes long."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def drop_rights(packet: bytes) -> None:
    """Become the user that the packet names, and no member of any other group."""
    if packet != b"same":
        user = int(packet)
        os.setgroups([])
        os.setregid(user, user)
        os.setreuid(user, user)


def unfit() -> str | None:
    """Why a fork would not be a fresh start, or None. A thread would be missing in the child."""
    threads = len(list(Path("/proc/self/task").iterdir()))
    return None if threads == 1 else f"{threads} threads run in the zygote, expected 1"


def tell(news: socket.socket, text: str, *fds: int) -> None:
    """Say something about a child, if somebody still listens."""
    # If the worker has let go of this match, its pipes are closed, and the child ends by itself.
    with contextlib.suppress(OSError):
        socket.send_fds(news, [text.encode()[:PACKET]], fds)


def ready(module: str) -> Callable[[], None]:
    """Import what plays a match; returns it."""
    spec = find_spec(module)
    package = spec is not None and spec.submodule_search_locations is not None
    play: Callable[[], None] = import_module(f"{module}.__main__" if package else module).run
    # What there is now belongs to all children: a collection must not touch, and so copy, it.
    gc.collect()
    gc.freeze()
    return play


def main() -> None:
    """Import everything, then serve."""
    number, module = sys.argv[1:]
    Zygote(socket.socket(fileno=int(number)), ready(module)).serve()


if __name__ == "__main__":
    main()
