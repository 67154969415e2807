"""Builds both wheels, checks them, and publishes them if asked: `python -m deploy.wheels`.

`bullring-botkit` is what bots need, `bullring` the author's tool on top of it, with the server as
an extra. They have the same version and share no file.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Sequence
from email.message import Message
from email.parser import Parser
from importlib.util import find_spec
from pathlib import Path

from cli import __version__

ROOT = Path(__file__).resolve().parent.parent
PROJECTS = (ROOT / "packaging" / "botkit", ROOT)
"""In the order in which they are published: what is needed comes first."""
NEEDED = (
    "dashboard/docs/tutorial.md", "dashboard/templates/base.html", "kits/ruby/bullring.rb",
    "sample_bots/gap/Dockerfile", "cli/local/templates/README.md.tmpl", "sandbox/limits.toml",
    "store/migrations/env.py", "nimmt/core/build.py", "wire/v1/bot.proto", "nimmt/py.typed",
)  # fmt: skip
"""One file of every kind that is not a module; forgetting a kind would be noticed late."""


def say(text: str) -> None:
    """Tell the releaser what is going on; this is a script."""
    sys.stderr.write(text + "\n")


def build(folder: Path) -> list[Path]:
    """Both wheels, made again; BULLRING_CORE=1 puts the compiled core into one of them."""
    if find_spec("hatchling") is None:
        sys.exit("hatchling is not installed; `./bullring lint` installs it. Then run this again.")
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("bullring*.whl"):
        old.unlink()
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    for project in PROJECTS:
        subprocess.run(command, cwd=project, check=True, stdout=subprocess.DEVNULL)
    return sorted(folder.glob("bullring*.whl"), key=lambda path: "botkit" not in path.name)


def files_of(wheel: Path) -> set[str]:
    """What a wheel installs, its own description left out."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def about(wheel: Path) -> Message:
    """The description of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return Parser().parsestr(archive.read(name).decode())


def complaints(wheels: Sequence[Path]) -> list[str]:
    """What is wrong with the wheels, read without installing them."""
    botkit, tool = wheels
    found = []
    versions = {wheel.name: about(wheel)["Version"] for wheel in wheels}
    if set(versions.values()) != {__version__}:
        found.append(f"got the versions {versions}, expected {__version__} (cli/__init__.py)")
    asked = about(tool).get_all("Requires-Dist") or []
    if f"bullring-botkit=={__version__}" not in asked:
        found.append(f"{tool.name} does not need bullring-botkit=={__version__} (pyproject.toml)")
    if shared := files_of(botkit) & files_of(tool):
        found.append(f"both wheels own {', '.join(sorted(shared)[:5])}")
    if absent := set(NEEDED) - files_of(botkit) - files_of(tool):
        found.append(f"neither wheel holds {', '.join(sorted(absent))}")
    return found


def try_out(wheels: Sequence[Path]) -> None:
    """Install the wheels as an author does, from the index, and play with them."""
    with tempfile.TemporaryDirectory(prefix="bullring-wheels-") as scratch:
        folder = Path(scratch)
        venv.EnvBuilder(with_pip=True, symlinks=True).create(folder / "env")
        programs = folder / "env" / "bin"
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([str(programs / "python"), *install, *map(str, wheels)], check=True)
        tool = str(programs / "bullring")
        for words in (
            ["--version"],
            ["new", "mine"],
            ["play", "six-nimmt", "mine", "random", "-b", "2"],
        ):
            subprocess.run([tool, *words], cwd=folder, check=True, stdout=sys.stderr)


def publish(wheels: Sequence[Path]) -> None:
    """Upload them with uv or twine, whose own settings say where and as whom."""
    if uv := shutil.which("uv"):
        command = [uv, "publish"]
    elif find_spec("twine") is not None:
        command = [sys.executable, "-m", "twine", "upload"]
    else:
        sys.exit("Neither uv nor twine was found: install one of them and run this again.")
    subprocess.run([*command, *map(str, wheels)], check=True)


def main() -> None:
    """The command line of this script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, default=ROOT / "dist", help="the folder for the wheels")
    parser.add_argument("--publish", action="store_true", help="upload them when they are right")
    options = parser.parse_args()
    wheels = build(options.to)
    if wrong := complaints(wheels):
        sys.exit("\n".join(wrong))
    try_out(wheels)
    for wheel in wheels:
        say(f"{os.path.relpath(wheel)}, {wheel.stat().st_size / 1024:.0f} KiB: right")
    if options.publish:
        publish(wheels)


if __name__ == "__main__":
    main()
