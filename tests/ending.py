"""Programs that a test starts, with all that they start themselves: none outlives the block."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


@contextmanager
def started(command: Sequence[str | os.PathLike[str]], **options: Any) -> Iterator[Any]:
    """A `subprocess.Popen` that leads a process group, killed at the end of the block.

    Also when the test fails: nothing may stay that other tests on this machine would feel.
    """
    process = subprocess.Popen(command, process_group=0, **options)
    try:
        yield process
    finally:
        kill_group(process)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                # What a dead process never read is no error.
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()


def kill_group(process: "subprocess.Popen[Any]") -> None:
    """Kill a process that leads a group, if it still runs, and whatever is left of the group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
