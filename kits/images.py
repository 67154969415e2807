"""Makes the base images of bots in other languages: `python -m kits.images [LANGUAGE]…`.

On the same Debian as the base of Python bots, with Debian's packages.
Needs a network while it builds. Every step is cached.
"""

import argparse
import io
import subprocess
import sys
import tarfile
from pathlib import Path

from sandbox.base.make import build_image, make_debian

KITS = Path(__file__).resolve().parent
_CONTRACTS = [KITS.parent / folder / "wire" / "v1" / "bot.proto" for folder in ("proto", "")]
CONTRACT = next(path for path in _CONTRACTS if path.exists())
"""In a checkout, or beside the installed code that was generated from it."""
LANGUAGES = ("javascript", "cpp", "ruby", "go")
LEFT_OUT = ("build", ".gitignore")


def tag_of(language: str) -> str:
    """The name of a language's base image, as a Dockerfile has it."""
    return f"bullring-{language}:latest"


def _plain(info: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """The same bytes on every machine, so that the build cache can work."""
    if Path(info.name).name in LEFT_OUT and info.name.count("/") < 1:
        return None
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    # Not 0: make takes a file of that age for one that is missing.
    info.mtime = 1
    return info


def context_of(language: str) -> bytes:
    """The kit's folder and the contract, packed."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for path in sorted((KITS / language).iterdir()):
            tar.add(path, path.name, filter=_plain)
        tar.add(CONTRACT, "bot.proto", filter=_plain)
    return packed.getvalue()


def make_image(language: str, parent: str | None = None) -> str:
    """Build one base image and return its id."""
    if language == "javascript":
        # Its libraries are plain JavaScript, so they are fetched here and need no npm inside.
        subprocess.run(["make", "-C", str(KITS / language)], check=True, stdout=sys.stderr)
    # Debian's packages are fetched by the build; the host's network is there on every engine.
    return build_image(tag_of(language), parent or make_debian(), context_of(language), "host")


def main() -> None:
    """The command line of this script."""
    parser = argparse.ArgumentParser(description=__doc__)
    # Choices are checked by hand: argparse refuses an empty list of them.
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", help=", ".join(LANGUAGES))
    parser.add_argument("--from", dest="parent", metavar="IMAGE",
                        help="a Debian to build on instead of our own")  # fmt: skip
    options = parser.parse_args()
    for language in options.languages or LANGUAGES:
        if language not in LANGUAGES:
            parser.error(f"got {language!r}, expected some of {', '.join(LANGUAGES)}")
    for language in options.languages or LANGUAGES:
        sys.stdout.write(f"{tag_of(language)} {make_image(language, options.parent)}\n")


if __name__ == "__main__":
    main()
