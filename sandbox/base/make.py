"""Makes the base images of Python bots: `python -m sandbox.base.make [numpy|onnx]…`.

Without a registry the Debian below it comes from Debian's own packages (debootstrap, needs root);
with one, `--from python:3.12-slim` is enough. Every step is cached; a second run takes seconds.
"""

import argparse
import hashlib
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SUITE = "bookworm"
PACKAGES = ("python3",)
DEBIAN_TAG = f"bullring-debian:{SUITE}"
COMPILER_PACKAGES = (*PACKAGES, "gcc", "libc6-dev")
COMPILER_TAG = f"bullring-compiler:{SUITE}"
BASE_TAG = "bullring-base:latest"
WHEELS = ("grpcio", "protobuf")
FOLDERS = {"protobuf": "google"}
"""What a wheel unpacks to, where that is not its own name."""
LIBRARIES = {"numpy": ("numpy",), "onnx": ("numpy", "onnxruntime")}
"""What the larger bases have besides; their names are `bullring-numpy` and `bullring-onnx`."""
OURS = ("nimmt", "wire", "botkit")
KEY_LABEL = "bullring.base.key"
UNWANTED = (
    "usr/share/doc", "usr/share/man", "usr/share/locale", "var/lib/apt/lists", "var/cache", "dev",
)  # fmt: skip
"""Left out of the image: nothing a bot reads, half of its size."""


def say(text: str) -> None:
    """Tell the operator what is going on; this is a script."""
    sys.stderr.write(text + "\n")


def docker(*args: str, stdin: bytes | None = None) -> str:
    """Run the docker command and return what it printed."""
    done = subprocess.run(["docker", *args], input=stdin, stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().strip()


def image_key(tag: str) -> str | None:
    """The cache key an image was made under, or None when there is no such image."""
    form = f'{{{{index .Config.Labels "{KEY_LABEL}"}}}}'
    command = ["docker", "image", "inspect", "--format", form, tag]
    done = subprocess.run(command, capture_output=True, check=False)
    return done.stdout.decode().strip() if done.returncode == 0 else None


def image_id(tag: str) -> str | None:
    """The id that a name stands for now."""
    command = ["docker", "image", "inspect", "--format", "{{.Id}}", tag]
    done = subprocess.run(command, capture_output=True, check=False)
    return done.stdout.decode().strip() if done.returncode == 0 else None


def make_debian(tag: str = DEBIAN_TAG, packages: Sequence[str] = PACKAGES) -> str:
    """A minimal Debian with some packages as an image, made from Debian's own, once."""
    key = hashlib.sha256(repr((SUITE, tuple(packages), UNWANTED)).encode()).hexdigest()[:16]
    if image_key(tag) == key:
        say(f"{tag}: already there")
        return tag
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        sys.exit(
            "Making a Debian image needs root and the debootstrap package. "
            "Install it (apt install debootstrap) and run as root, or use images that this Docker "
            "engine can pull (for the base of bots: --from python:3.12-slim)."
        )
    with tempfile.TemporaryDirectory(prefix="bullring-base-") as scratch:
        tree = Path(scratch) / "root"
        say(f"{tag}: unpacking Debian packages (minutes, once)")
        _debootstrap(tree, packages)
        # No bot may gain a uid; the engine forbids it anyway, and so does this.
        subprocess.run(
            ["find", str(tree), "-xdev", "-perm", "/6000", "-exec", "chmod", "a-s", "{}", "+"],
            check=True,
        )
        excluded = [f"--exclude=./{path}/*" for path in UNWANTED]
        pack = ["tar", "-C", str(tree), "--numeric-owner", *excluded, "-c", "."]
        with subprocess.Popen(pack, stdout=subprocess.PIPE) as tar:
            change = ["--change", f"LABEL {KEY_LABEL}={key}"]
            subprocess.run(
                ["docker", "import", *change, "-", tag],
                stdin=tar.stdout, stdout=sys.stderr, check=True,
            )  # fmt: skip
        if tar.returncode != 0:
            sys.exit(f"tar failed with code {tar.returncode} while packing {tree}")
    return tag


def _debootstrap(tree: Path, packages: Sequence[str]) -> None:
    """Debian in a folder. In two stages, to tell dpkg in between not to wait for the disk after
    every file: the folder is thrown away, and that waiting takes longer than all the rest."""
    include = "--include=" + ",".join(packages)
    first = ["debootstrap", "--variant=minbase", "--foreign", include, SUITE, str(tree)]
    subprocess.run(first, check=True, stdout=sys.stderr)
    hurry = tree / "etc/dpkg/dpkg.cfg.d/hurry"
    hurry.parent.mkdir(parents=True, exist_ok=True)
    hurry.write_text("force-unsafe-io\n")
    second = ["chroot", str(tree), "/debootstrap/debootstrap", "--second-stage"]
    subprocess.run(second, check=True, stdout=sys.stderr)


def python_version(image: str) -> str:
    """The X.Y of the Python inside an image: the wheels have to fit it."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    return docker("run", "--rm", "--network", "none", image, "python3", "-c", code)


def installer() -> list[str]:
    """The command that installs wheels into a folder for another Python."""
    if shutil.which("uv"):
        return ["uv", "pip", "install"]
    for python in (sys.executable, "python3"):
        probe = [python, "-c", "import uv"]
        if subprocess.run(probe, capture_output=True, check=False).returncode == 0:
            return [python, "-m", "uv", "pip", "install"]
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip", "install", "--only-binary=:all:"]
    sys.exit("Neither uv nor pip was found: install one of them and run this again.")


def cache_folder() -> Path:
    """Where wheels are kept between runs."""
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "bullring"


def fetch_wheels(version: str, larger: str | None = None) -> Path:
    """Unpacked wheels for one Python version, kept in the user's cache."""
    wanted = (*WHEELS, *LIBRARIES.get(larger or "", ()))
    target = cache_folder() / f"site-{version}{f'-{larger}' if larger else ''}"
    if not (target / FOLDERS.get(wanted[-1], wanted[-1])).is_dir():
        say(f"fetching {', '.join(wanted)} for Python {version}")
        unpack_wheels(target, version, wanted)
    return target


def unpack_wheels(target: Path, version: str, wanted: Sequence[str]) -> None:
    """Install wheels for another Python into a folder; `wanted` is as for pip install."""
    command = [*installer(), "--target", str(target), "--python-version", version, *wanted]
    subprocess.run(command, check=True, stdout=sys.stderr)


def _clean(info: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Keep the context the same on every machine, so that the build cache can work."""
    if "__pycache__" in info.name or info.name.endswith((".pyc", ".lock")):
        return None
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    info.mtime = 0
    info.mode = 0o755 if info.isdir() or info.mode & 0o100 else 0o644
    return info


def _clean_ours(info: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """The same for our own packages. A wheel for one platform brings a core that was built for this
    machine, not for the image, which builds its own; the libraries of others come with `site`."""
    return None if info.name.endswith(".so") else _clean(info)


def add_folder(tar: tarfile.TarFile, folder: Path, prefix: str) -> None:
    """Put what a folder holds into a build context."""
    for entry in sorted(folder.iterdir()):
        tar.add(entry, prefix + entry.name, filter=_clean)


def build_context(site: Path, root: Path = ROOT) -> bytes:
    """A tar with the Dockerfile, the wheels, and our own packages that exist in this tree."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        tar.add(Path(__file__).with_name("Dockerfile"), "Dockerfile", filter=_clean)
        add_folder(tar, site, "site/")
        for package in OURS:
            if (root / package).is_dir():
                tar.add(root / package, f"site/{package}", filter=_clean_ours)
            else:
                say(f"left out: there is no {package}/ in {root}")
    return packed.getvalue()


def tag_of(larger: str) -> str:
    """The name of a larger base."""
    return f"bullring-{larger}:latest"


def make_base(
    parent: str | None = None,
    tag: str | None = None,
    compiler: str | None = None,
    larger: str | None = None,
) -> str:
    """Build a base image and return its id: the small one, or one of `LIBRARIES`. `compiler` is an
    image with Python and a C compiler, in which the core of the rules is built; on another's image,
    that one by default."""
    below = parent or make_debian()
    context = build_context(fetch_wheels(python_version(below), larger))
    name = tag or (tag_of(larger) if larger else BASE_TAG)
    return build_image(name, below, context, "none", compiler or parent or compiler_image())


def compiler_image() -> str | None:
    """Our Debian with a C compiler; None where it cannot be made, as bots do without the core."""
    try:
        return make_debian(COMPILER_TAG, COMPILER_PACKAGES)
    except (SystemExit, subprocess.CalledProcessError) as error:
        say(f"{COMPILER_TAG}: not made, so bots will search in pure Python ({error})")
        return None


def build_image(
    tag: str, below: str, context: bytes, network: str, compiler: str | None = None
) -> str:
    """Build an image on another one, and take away what had its name before; returns its id."""
    before = image_id(tag)
    say(f"{tag}: building on {below}")
    made_in = ["--build-arg", f"COMPILER={compiler}"] if compiler else []
    docker("build", "--quiet", "--network", network, "--build-arg", f"FROM={below}", *made_in,
           "--tag", tag, "-", stdin=context)  # fmt: skip
    after = image_id(tag)
    if after is None:
        sys.exit(f"The engine built no image named {tag}.")
    if before not in (None, after):
        # The old one is nameless now; it stays only while a bot's image is built on it.
        subprocess.run(["docker", "image", "rm", str(before)], capture_output=True, check=False)
    return after


def main() -> None:
    """The command line of this script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="parent", metavar="IMAGE",
                        help="a Python image to build on instead of our own Debian")  # fmt: skip
    parser.add_argument("--compiler", metavar="IMAGE",
                        help="an image with Python and a C compiler, to build the core in; default:"
                        " our own Debian with gcc, or with --from the same image")  # fmt: skip
    parser.add_argument("--tag", help="another name for the image, when only one is made")
    parser.add_argument("larger", nargs="*", metavar="LARGER",
                        help=f"a larger base instead: {', '.join(LIBRARIES)}")  # fmt: skip
    options = parser.parse_args()
    for larger in options.larger:
        if larger not in LIBRARIES:
            parser.error(f"got {larger!r}, expected some of {', '.join(LIBRARIES)}")
    if options.tag and len(options.larger) > 1:
        parser.error("got --tag and several bases, expected one: they cannot share a name")
    for larger in options.larger or [None]:
        made = make_base(options.parent, options.tag, options.compiler, larger)
        sys.stdout.write(made + "\n")


if __name__ == "__main__":
    main()
