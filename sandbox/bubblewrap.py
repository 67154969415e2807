"""A thin wall around trusted bots where bubblewrap is installed (Linux).

Inside, a bot has no network, can write nowhere but in its TMPDIR, and sees no process but its own.
It can still read this user's files, use any system call and as much memory as there is: this
catches accidents, and tells an author early what the real sandbox will refuse. It is no boundary.
"""

import shutil
import signal
import subprocess
from collections.abc import Sequence

TRIAL_SECONDS = 10
# bubblewrap reports a bot killed by signal N the way shells do.
SIGNAL_BASE = 128
WALL = (
    *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
    *("--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"),
    *("--cap-drop", "ALL", "--die-with-parent"),
    # A new /tmp would hide bots, sockets and checkouts that lie there; /dev/shm is new anyway.
    *("--setenv", "TMPDIR", "/dev/shm"),
)


def find() -> str | None:
    """The bubblewrap of this machine, or None where it is missing or may not make namespaces."""
    program = shutil.which("bwrap")
    if program is None:
        return None
    trial = [program, *WALL, "--unshare-net", "true"]
    try:
        done = subprocess.run(trial, capture_output=True, timeout=TRIAL_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return program if done.returncode == 0 else None


def behind_wall(program: str, argv: Sequence[str], *, network: bool) -> list[str]:
    """The command that runs `argv` behind the wall."""
    return [program, *WALL, *([] if network else ["--unshare-net"]), "--", *argv]


def exit_code(code: int) -> int:
    """An exit code as `subprocess` would tell it without the wall: negative for a signal.

    >>> exit_code(139), exit_code(7), exit_code(-9)
    (-11, 7, -9)
    """
    number = code - SIGNAL_BASE
    return -number if number in {each.value for each in signal.Signals} else code
