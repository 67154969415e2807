"""Run as a module in a referee's place, it tells what it was given at its start, and ends.

It imports what a referee imports: what an import opens is open in every fork.
"""

import json
import locale
import os
import random
import resource
import secrets
import signal
import sys
from pathlib import Path
from typing import Any

import referee.__main__  # noqa: F401 (for what its import opens)


def descriptors() -> dict[str, str]:
    """Every open descriptor and its sort. asyncio takes a socket or a pipe for stdin."""
    found = {}
    for link in Path("/proc/self/fd").iterdir():
        try:
            target = str(link.readlink())
        except OSError:
            continue  # The one that listed them.
        found[link.name] = target.partition(":[")[0].replace("socket", "pipe")
    return {number: sort for number, sort in found.items() if not sort.startswith("/proc")}


def facts() -> dict[str, Any]:
    """What a process may inherit, and must not have by accident."""
    umask = os.umask(0)
    os.umask(umask)
    limits = [name for name in dir(resource) if name.startswith("RLIMIT_")]
    status = dict(
        line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines()
    )
    kept = ("Umask", "Uid", "Gid", "Groups", "Threads", "NoNewPrivs", "Seccomp", "CapEff", "CapBnd")
    return {
        "descriptors": descriptors(),
        "environment": dict(os.environ),
        "limits": {name: resource.getrlimit(getattr(resource, name)) for name in limits},
        "umask": umask,
        "signals": {int(n): str(signal.getsignal(n)) for n in sorted(signal.valid_signals())},
        "masked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        "directory": str(Path.cwd()),
        "leads its session": os.getsid(0) == os.getpgrp() == os.getpid(),
        "nice": os.nice(0),
        "cores": sorted(os.sched_getaffinity(0)),
        "spared": Path("/proc/self/oom_score_adj").read_text(),
        "cgroup": Path("/proc/self/cgroup").read_text(),
        "flags": str(sys.flags),
        "path": sys.path,
        "encodings": [sys.stdin.encoding, sys.stdout.encoding, locale.getpreferredencoding()],
        **{name: status[name] for name in kept if name in status},
    }


def run() -> None:
    chance = {"random": random.random(), "secret": secrets.token_hex(8)}
    print(json.dumps({"pid": os.getpid(), "parent": os.getppid(), "chance": chance, **facts()}))
    sys.stdout.flush()
    sys.stderr.write("probed\n")
    # Some tests want it to live until its supervisor lets go.
    sys.exit(3 if sys.stdin.read() == "3" else 0)


if __name__ == "__main__":
    run()
