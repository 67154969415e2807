"""What gVisor's runtime leaves on the host: a start that failed, or a container that was removed by
force, can leave its sandbox and its file server behind, and the engine knows nothing of them.

Which containers are ours is the caller's to say; nothing else is ever touched.
"""

import contextlib
import os
import signal
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

RUNTIME: Final = "runsc"
PROGRAMS: Final = frozenset({"runsc-sandbox", "runsc-gofer"})
"""How gVisor names its processes: the sandbox with its kernel, and the file server beside it."""


def is_gvisor(runtime: str | None) -> bool:
    """Whether containers of this runtime of the engine are gVisor's, whatever follows its name."""
    return runtime is not None and runtime.startswith(RUNTIME)


def _command(proc: Path, pid: int) -> list[str]:
    """The command line of a process; empty when it is gone, or not to be read."""
    with contextlib.suppress(OSError):
        return (proc / str(pid) / "cmdline").read_bytes().decode(errors="replace").split("\0")
    return []


def _serves(command: list[str], containers: Collection[str]) -> bool:
    """Whether it is gVisor's, for one of these containers, whose ids stand alone or in paths."""
    if not command or Path(command[0]).name not in PROGRAMS:
        return False
    words = {word for argument in command[1:] for word in argument.split("/")}
    return not words.isdisjoint(containers)


def processes_of(containers: Collection[str], proc: Path = Path("/proc")) -> Iterator[int]:
    """The processes of gVisor whose command line names one of these containers by its full id."""
    for folder in proc.iterdir():
        if folder.name.isdigit() and _serves(_command(proc, int(folder.name)), containers):
            yield int(folder.name)


def kill_leftovers(containers: Collection[str]) -> list[int]:
    """Kill what still runs for containers that the engine no longer has; says which processes."""
    killed = []
    for pid in list(processes_of(containers)) if containers else ():
        # Another process may have the number by now: it is held, and looked at once more.
        with contextlib.suppress(OSError):
            handle = os.pidfd_open(pid)
            try:
                if _serves(_command(Path("/proc"), pid), containers):
                    signal.pidfd_send_signal(handle, signal.SIGKILL)
                    killed.append(pid)
            finally:
                os.close(handle)
    return killed
