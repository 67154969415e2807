"""Builds the compiled core with the system's C compiler: `python -m nimmt.core [FOLDER]`.

The library is named by a hash of its sources and the platform. It is never put beside the sources
of a checkout: without a folder it goes into the environment of the Python that runs this.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

SOURCES = Path(__file__).resolve().parent
FLAGS = ("-std=c11", "-O3", "-fPIC", "-shared", "-fvisibility=hidden")
COMPILERS = ("cc", "gcc", "clang")
HOW_TO_GET_ONE = "install a C compiler (Debian: apt install gcc) and try again"


class BuildError(Exception):
    """The library could not be built; the message says why and what to do."""


def source_files(folder: Path = SOURCES) -> list[Path]:
    """The C files and headers, sorted by name."""
    return sorted([*folder.glob("*.c"), *folder.glob("*.h")])


def fingerprint(folder: Path = SOURCES) -> str | None:
    """A hash of sources and platform; None where no sources lie (inside a zip file)."""
    files = source_files(folder)
    if not files:
        return None
    digest = hashlib.sha256(f"{sysconfig.get_platform()} {' '.join(FLAGS)}\n".encode())
    for path in files:
        content = path.read_bytes()
        digest.update(f"{path.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:24]


def library_name(print_of: str) -> str:
    """The file name of a library with this fingerprint."""
    return f"nimmt-core-{print_of}.so"


def environment_folder() -> Path:
    """Where the library of a checkout lies: in the virtual environment that uses it."""
    return Path(sys.prefix) / "lib" / "nimmt-core"


def find_compiler(environ: Mapping[str, str] | None = None) -> list[str] | None:
    """The command of a C compiler: what CC says, else the first one on the path."""
    given = (os.environ if environ is None else environ).get("CC", "").split()
    path = None if environ is None else environ.get("PATH", "")
    if given:
        return given if shutil.which(given[0], path=path) else None
    found = next((one for one in COMPILERS if shutil.which(one, path=path)), None)
    return [found] if found else None


def compile_library(
    target: Path, compiler: Sequence[str], print_of: str, extra: Sequence[str] = ()
) -> None:
    """Compile all sources into one library; BuildError says what the compiler said."""
    define = f'-DNIMMT_FINGERPRINT="{print_of}"'
    files = [str(path) for path in source_files() if path.suffix == ".c"]
    command = [*compiler, *FLAGS, *extra, define, "-o", str(target), *files]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise BuildError(f"{command[0]} could not be started: {error}") from None
    if done.returncode != 0:
        raise BuildError(f"{command[0]} ended with {done.returncode}:\n{done.stderr[-2000:]}")


def build(folder: Path | None = None, compiler: Sequence[str] | None = None) -> Path:
    """The library in this folder, built if it is not there yet; others of its kind are removed."""
    print_of = fingerprint()
    if print_of is None:
        raise BuildError(f"there are no C sources in {SOURCES}")
    folder = folder or environment_folder()
    target = folder / library_name(print_of)
    if target.exists():
        return target
    command = compiler or find_compiler()
    if command is None:
        raise BuildError(f"no C compiler was found: {HOW_TO_GET_ONE}")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix="building-") as scratch:
        made = Path(scratch) / target.name
        compile_library(made, command, print_of)
        # A rename, so that half a library is never loaded.
        made.replace(target)
    for old in folder.glob(library_name("*")):
        if old != target:
            old.unlink(missing_ok=True)
    return target


def main(arguments: Sequence[str]) -> int:
    """Build it; 0 and its path, or 1 and the reason."""
    # Bots load this module, and none of them reads a command line.
    import argparse

    parser = argparse.ArgumentParser(
        prog="python -m nimmt.core",
        description="Build the compiled core, for which a C compiler is needed: search bots,"
        " reviews and training run many times as fast with it.",
    )
    parser.add_argument(
        "folder", nargs="?", type=Path, help="where to put it; default: where it is looked for"
    )
    try:
        path = build(parser.parse_args(arguments).folder)
    except (BuildError, OSError) as error:
        sys.stderr.write(f"The compiled core was not built: {error}\n")
        return 1
    sys.stdout.write(f"{path}\n")
    return 0
