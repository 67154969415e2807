"""Stands between the process runner and one bot: when the runner dies, the bot dies too.

Run as `python watchdog.py FD:CORES ARGV…` by `sandbox/process.py`; FD is a socket to the runner,
CORES those that the bot may use, separated by commas, or empty for all. An order is one byte, the
number of a signal for the bot and all below it; how it ended goes back as one JSON line, and so
does the number of an error that kept this machine from starting the bot. It starts once for every
bot, so it imports next to nothing: `json`, `socket` and `pathlib` would double what it costs.
"""

import ctypes
import errno
import os
import select
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PR_SET_CHILD_SUBREAPER = 36
CANNOT_START = 127
SIGKILL = 9
NOT_THE_BOTS = (errno.EAGAIN, errno.ENOMEM, errno.ENFILE, errno.EMFILE)
"""Errors that keep a program from starting here although it may be a good one."""
CLEAR_SECONDS = 1.0
"""How long we wait for killed processes to be gone."""


def become_subreaper() -> None:
    """Adopt whatever the bot leaves behind, where the system can do that (Linux)."""
    try:
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        pass


def keep_to(cores: str) -> None:
    """Use these cores alone, and let the bot inherit it, where the system can do that (Linux)."""
    if cores and hasattr(os, "sched_setaffinity"):
        try:
            os.sched_setaffinity(0, [int(core) for core in cores.split(",")])
        except OSError:
            pass  # A core that has gone since is no reason not to play.


def descendants(of: int) -> list[int]:
    """Every process below one, nearest first; without /proc only the bot's group is known."""
    found = [of]
    for pid in found:
        for task in _names(f"/proc/{pid}/task"):
            # Each by itself: a thread that ends meanwhile must not hide the children of others.
            try:
                with open(f"/proc/{pid}/task/{task}/children") as children:
                    found += [int(child) for child in children.read().split()]
            except OSError:
                continue
    return found[1:]


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def signal_all(bot: int, number: int) -> None:
    """Send a signal to the bot's group and to all that has left it."""
    try:
        os.killpg(bot, number)
    except OSError:
        pass
    for pid in descendants(os.getpid()):
        try:
            os.kill(pid, number)
        except OSError:
            pass


class Tally:
    """The most CPU time and memory that was seen before a kill.

    The first process of a namespace, which bubblewrap makes, does not wait for those that are
    killed with it, so what they used must be read while they live.
    """

    def __init__(self) -> None:
        self.cpu_s = 0.0
        self.peak = 0

    def look(self) -> None:
        """Add up what has been waited for, and what lives below us."""
        import resource

        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        total = used.ru_utime + used.ru_stime
        for pid in descendants(os.getpid()):
            try:
                total += cpu_seconds(pid)
                self.peak = max(self.peak, peak_memory(pid))
            except (OSError, ValueError, IndexError):
                continue
        self.cpu_s = max(self.cpu_s, total)


def cpu_seconds(pid: int) -> float:
    """What a process has used, and its children that it has waited for (Linux)."""
    with open(f"/proc/{pid}/stat", errors="replace") as stat:
        fields = [int(field) for field in stat.read().rpartition(")")[2].split()[11:15]]
    ticks = os.sysconf("SC_CLK_TCK")
    with open(f"/proc/{pid}/schedstat") as exact:
        # Of the first thread alone, but not cut to whole ticks.
        own = max(sum(fields[:2]) / ticks, int(exact.read().split()[0]) * 1e-9)
    return own + sum(fields[2:]) / ticks


def peak_memory(pid: int) -> int:
    """The most bytes that a process has had (Linux)."""
    with open(f"/proc/{pid}/status", errors="replace") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def clear_away(bot: int, tally: Tally) -> None:
    """Kill what the bot left and wait for it, so that the time it used is counted.

    Behind bubblewrap that is everything: its outer process ends without waiting for the inner one,
    which has run the bot.
    """
    end = time.monotonic() + CLEAR_SECONDS
    while time.monotonic() < end:
        tally.look()
        signal_all(bot, SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)


def start(argv: list[str], control: int) -> int:
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
        os.set_inheritable(control, False)
        os.setsid()
        os.execvpe(argv[0], argv, os.environ)
    except OSError as error:
        if error.errno in NOT_THE_BOTS:
            report_failure(control, error)
        os.write(2, f"cannot execute {argv[0]!r}: {error.strerror}\n".encode())
    os._exit(CANNOT_START)


def tell(control: int, news: str) -> None:
    """Say something to the runner, if it is still there."""
    try:
        os.write(control, news.encode() + b"\n")
    except OSError:
        pass


def report_failure(control: int, error: OSError) -> None:
    """Tell the runner that the bot could not be started, through no fault of its own."""
    tell(control, f'{{"failed": {error.errno}}}')


def report(control: int, status: int, tally: Tally) -> None:
    """Tell the runner how it ended and what it used."""
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    code = os.waitstatus_to_exitcode(status)
    # Linux counts in KiB, macOS in bytes.
    peak = max(tally.peak, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024))
    cpu = max(tally.cpu_s, used.ru_utime + used.ru_stime)
    tell(control, f'{{"code": {code}, "cpu_s": {cpu:.6f}, "memory_peak": {peak}}}')


def end_of_a_child() -> "Callable[[int], int]":
    """What gives, for a child, a descriptor that can be read when it has ended."""
    if hasattr(os, "pidfd_open"):
        try:
            os.close(os.pidfd_open(os.getpid()))
        except OSError:
            pass  # A kernel that does not know it.
        else:
            return os.pidfd_open
    import signal

    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_read, False)
    os.set_blocking(wake_write, False)
    # Before the start, or an end that comes at once would be missed.
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake_write)
    return lambda pid: wake_read


def drain(wake: int) -> None:
    """Empty the pipe that wakes us; a descriptor of a process has nothing to read."""
    try:
        os.read(wake, 4096)
    except OSError:
        pass


def main() -> None:
    """Start the bot and wait for its end, for orders, or for the end of the runner."""
    number, _, cores = sys.argv[1].partition(":")
    control = int(number)
    keep_to(cores)
    become_subreaper()
    watch = end_of_a_child()
    bot = start(sys.argv[2:], control)
    tell(control, f'{{"pid": {bot}}}')
    ended = watch(bot)
    tally = Tally()
    while True:
        done, status = os.waitpid(bot, os.WNOHANG)
        if done:
            break
        readable, _, _ = select.select([control, ended], [], [])
        if control in readable:
            # The end of the runner reads as an empty order.
            order = (os.read(control, 1) or bytes([SIGKILL]))[0]
            if order == SIGKILL:
                tally.look()
            signal_all(bot, order)
        else:
            drain(ended)
    clear_away(bot, tally)
    report(control, status, tally)


if __name__ == "__main__":
    main()
