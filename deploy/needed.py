"""Prints what the server needs of the packages in pyproject.toml: its dependencies and those for
PostgreSQL, without tests and tools. The image installs these in the versions of the lock."""

import sys
import tomllib
from pathlib import Path


def needed(pyproject: Path) -> list[str]:
    """Requirements as pip reads them."""
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    return [*project["dependencies"], *project["optional-dependencies"]["postgres"]]


if __name__ == "__main__":
    sys.stdout.write("\n".join(needed(Path("pyproject.toml"))) + "\n")
