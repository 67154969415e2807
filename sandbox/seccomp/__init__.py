"""The lists of system calls a bot may make, one JSON file per architecture, and their loader.

`amd64.json` carries CPython with grpcio, Node, and compiled programs (libc, Go). Anything not in it
fails with EPERM. Another architecture is refused until someone has tried a list of its own on it.
"""

from functools import cache
from pathlib import Path

from sandbox.api import PlatformFault

_NAMES = {"x86_64": "amd64", "aarch64": "arm64"}
"""The engine's `info` says x86_64 where images say amd64."""


def image_architecture(machine: str) -> str:
    """The name images use for a machine: `amd64` for `x86_64`."""
    return _NAMES.get(machine, machine)


@cache
def profile(machine: str) -> str:
    """The list for one architecture, as the JSON text the engine takes."""
    architecture = image_architecture(machine)
    path = Path(__file__).with_name(f"{architecture}.json")
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in path.parent.glob("*.json")))
        raise PlatformFault(
            f"No system call list for architecture {architecture!r}; there are lists for: {known}. "
            "Run bots on such a machine, or write and test a list: without one a bot could reach "
            "parts of the kernel that Docker's own list leaves open."
        )
    return path.read_text("utf-8")
