"""Stands between the process runner and one bot: when the runner dies, the bot dies too.

Run as `python watchdog.py FD:CORES ARGV…` by `sandbox/process.py`; FD is a socket to the runner,
CORES those that the bot may use, separated by commas, or empty for all. Commands come as single
bytes (F freeze, T thaw, K kill); how it ended goes back as one JSON line, and so does the number of
an error that kept this machine from starting the bot. Standard library only: it starts once for
every bot.
"""

import contextlib
import ctypes
import errno
import json
import os
import select
import signal
import socket
import sys
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
CANNOT_START = 127
NOT_THE_BOTS = (errno.EAGAIN, errno.ENOMEM, errno.ENFILE, errno.EMFILE)
"""Errors that keep a program from starting here although it may be a good one."""


def become_subreaper() -> None:
    """Adopt whatever the bot leaves behind, where the system can do that (Linux)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def keep_to(cores: str) -> None:
    """Use these cores alone, and let the bot inherit it, where the system can do that (Linux)."""
    if cores and hasattr(os, "sched_setaffinity"):
        # A core that has gone since is no reason not to play.
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, [int(core) for core in cores.split(",")])


def descendants(of: int) -> list[int]:
    """Every process below one, nearest first; without /proc only the bot's group is known."""
    found = [of]
    for pid in found:
        tasks: list[Path] = []
        with contextlib.suppress(OSError):
            tasks = list(Path(f"/proc/{pid}/task").iterdir())
        # Each by itself: a thread that ends meanwhile must not hide the children of the others.
        for task in tasks:
            with contextlib.suppress(OSError):
                found += [int(child) for child in (task / "children").read_text().split()]
    return found[1:]


def signal_all(bot: int, number: int) -> None:
    """Send a signal to the bot's group and to all that has left it."""
    with contextlib.suppress(OSError):
        os.killpg(bot, number)
    for pid in descendants(os.getpid()):
        with contextlib.suppress(OSError):
            os.kill(pid, number)


def start(argv: list[str], control: socket.socket) -> int:
    """Start the bot in a group of its own; its output is ours."""
    try:
        pid = os.fork()
    except OSError as error:
        report_failure(control, error)
        raise
    if pid:
        return pid
    try:
        # The bot must not have it, but until it runs there may be something to report.
        control.set_inheritable(False)
        os.setsid()
        os.execvpe(argv[0], argv, os.environ)
    except OSError as error:
        if error.errno in NOT_THE_BOTS:
            report_failure(control, error)
        os.write(2, f"cannot execute {argv[0]!r}: {error.strerror}\n".encode())
    os._exit(CANNOT_START)


def report_failure(control: socket.socket, error: OSError) -> None:
    """Tell the runner that the bot could not be started, through no fault of its own."""
    with contextlib.suppress(OSError):
        control.sendall(json.dumps({"failed": error.errno}).encode() + b"\n")


def report(control: socket.socket, status: int) -> None:
    """Tell the runner how it ended and what it used."""
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    code = os.waitstatus_to_exitcode(status)
    # Linux counts in KiB, macOS in bytes.
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    news = {"code": code, "cpu_s": used.ru_utime + used.ru_stime, "memory_peak": peak}
    with contextlib.suppress(OSError):
        control.sendall(json.dumps(news).encode() + b"\n")


def main() -> None:
    """Start the bot and wait for its end, for commands, or for the end of the runner."""
    number, _, cores = sys.argv[1].partition(":")
    control = socket.socket(fileno=int(number))
    keep_to(cores)
    become_subreaper()
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake_write)
    # The terminal sends these to every process in it; the runner decides what they mean.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    bot = start(sys.argv[2:], control)
    control.sendall(json.dumps({"pid": bot}).encode() + b"\n")
    orders = {b"F": signal.SIGSTOP, b"T": signal.SIGCONT, b"K": signal.SIGKILL}
    while True:
        done, status = os.waitpid(bot, os.WNOHANG)
        if done:
            break
        readable, _, _ = select.select([control.fileno(), wake_read], [], [])
        if wake_read in readable:
            os.read(wake_read, 4096)
        if control.fileno() in readable:
            # The end of the runner reads as an empty order.
            order = control.recv(1)
            signal_all(bot, orders.get(order, signal.SIGKILL))
    signal_all(bot, signal.SIGKILL)
    report(control, status)


if __name__ == "__main__":
    main()
