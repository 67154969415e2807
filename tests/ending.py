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
    """A `subprocess.Popen` in a process group of its own, killed at the end however it comes."""
    process = subprocess.Popen(command, process_group=0, **options)
    try:
        yield process
    finally:
        end_group(process)


def end_group(process: "subprocess.Popen[Any]") -> None:
    """Kill a process that leads a group, and whatever is left of the group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            # What was written and never read by a dead process is no error.
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
