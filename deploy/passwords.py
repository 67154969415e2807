"""Makes the passwords of a deployment: `python3 -m deploy.passwords`, before the first start.

One file for each purpose; what is there stays. Needs the standard library alone.
"""

import argparse
import os
import secrets
import sys
from pathlib import Path

NAMES = (
    "postgres_password",
    "league_password",
    "worker_password",
    "redis_password",
    "files_password",
)
"""The files that docker-compose.yml names under `secrets`."""


def make_passwords(folder: Path) -> list[str]:
    """Make what is missing; returns the names of the new files.

    The folder is closed to everyone else on this machine. The files in it are not: Compose mounts
    each alone into a container, where it must be readable for an account that is not root.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    return [name for name in NAMES if _make(folder / name)]


def _make(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:
        return False
    with os.fdopen(descriptor, "w") as file:
        os.fchmod(descriptor, 0o644)
        file.write(secrets.token_hex(24) + "\n")
    return True


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="Make the passwords of a deployment.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path("secrets"))
    folder = parser.parse_args().folder
    made = make_passwords(folder)
    sys.stdout.write(f"{folder}: made {', '.join(made) or 'nothing, all are there'}\n")


if __name__ == "__main__":
    main()
