"""Commands for those who work on Bullring itself: run the tests, check the code."""

import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from cli.terminal import say
from league.matches import usable_cores

ROOT = Path(__file__).resolve().parent.parent
# Any of these says how the tests are spread, or needs the terminal, so ours is left out.
_OWN_SPREAD = ("-n", "--numprocesses", "--pdb", "--trace", "no:xdist", "--collect-only", "--co")


def pytest_command(arguments: list[str]) -> list[str]:
    """The pytest call for `bullring test`: on all cores, unless the arguments say otherwise."""
    own = any(a.startswith(_OWN_SPREAD) for a in arguments)
    # Slow tests wait for processes and clocks more than they compute: one more than there are
    # cores. Tests take from a millisecond to minutes: idle workers take over from the others.
    cores = len(usable_cores()) or os.cpu_count() or 1
    spread = [] if own else ["-n", str(cores + 1), "--dist", "worksteal"]
    return [sys.executable, "-m", "pytest", *spread, *arguments]


def pytest_environment(given: Mapping[str, str]) -> dict[str, str]:
    """The environment of the tests. They start hundreds of processes, and images of containers
    like to forbid Python to keep what it compiled: then each would compile everything again."""
    return {name: value for name, value in given.items() if name != "PYTHONDONTWRITEBYTECODE"}


def existing_packages(root: Path = ROOT) -> list[str]:
    """The packages of both wheels, in the order of the flow; a folder may hold no Python yet."""
    below = [Path(name).name for name in _wheel(root / "packaging" / "botkit")["force-include"]]
    names = [*below, *_wheel(root)["packages"]]
    return [name for name in names if any((root / name).rglob("*.py"))]


def _wheel(folder: Path) -> dict[str, Any]:
    config = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    found: dict[str, Any] = config["tool"]["hatch"]["build"]["targets"]["wheel"]
    return found


def lint_commands() -> dict[str, list[str]]:
    """What `bullring lint` runs, by name."""
    python = [sys.executable, "-m"]
    return {
        "ruff": [*python, "ruff", "check", "."],
        "ruff format": [*python, "ruff", "format", "--check", "."],
        "mypy": [*python, "mypy", *existing_packages(), "bullring", "bench", "deploy", "tests"],
        "codespell": [*python, "codespell_lib", "."],
    }


def test(context: typer.Context) -> None:
    """Run the tests, from the checkout and on all cores; further arguments go to pytest."""
    os.chdir(ROOT)
    command = pytest_command(context.args)
    os.execve(command[0], command, pytest_environment(os.environ))


def lint() -> None:
    """Check the code: style, formatting, types, spelling."""
    failed = []
    for name, command in lint_commands().items():
        say(f"== {name}", err=True)
        started = time.monotonic()
        if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
            failed.append(name)
        say(f"   {time.monotonic() - started:.1f} s", err=True)
    if failed:
        say(f"lint: failed: {', '.join(failed)}", err=True)
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(test)
    app.command()(lint)
