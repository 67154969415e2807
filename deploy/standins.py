"""Makes the image that stands in for python, postgres, redis and registry where Docker can reach
no registry: `python -m deploy.standins`, then add `-f deploy/standins.yml` to docker compose.

Debian's own packages below (debootstrap, needs root), the wheels of the league on top. Every step
is cached; a second run takes seconds.
"""

import hashlib
import io
import re
import sys
import tarfile
import tempfile
from pathlib import Path

from sandbox.base.make import (
    KEY_LABEL,
    ROOT,
    SUITE,
    add_folder,
    cache_folder,
    docker,
    image_key,
    make_debian,
    python_version,
    say,
    unpack_wheels,
)

TAG = "bullring-standin:latest"
DEBIAN_TAG = f"bullring-standin-debian:{SUITE}"
PACKAGES = (
    "ca-certificates", "docker-registry", "postgresql-15", "python3", "python3-pip", "redis-server",
)  # fmt: skip
ALSO = ("async-timeout",)
"""Needed by Debian's Python 3.11.2 and no later one; pip asks the Python it runs in, so the
conditions of these are left out."""
FILES = Path(__file__).with_name("standins")


def needed(lock: str) -> str:
    r"""The lock of the server, for Debian's Python.

    >>> needed("async-timeout==5.0.1 ; python_full_version < '3.11.3' \\\n")
    'async-timeout==5.0.1 \\\n'
    """
    for name in ALSO:
        lock = re.sub(rf"^({re.escape(name)}==\S+) ;[^\\\n]*", r"\1 ", lock, flags=re.MULTILINE)
    return lock


def fetch_league_wheels(version: str) -> Path:
    """Unpacked wheels of all that the server needs, kept in the user's cache."""
    wanted = needed((ROOT / "requirements.lock").read_text(encoding="utf-8"))
    key = hashlib.sha256(wanted.encode()).hexdigest()[:16]
    target = cache_folder() / f"league-{version}-{key}"
    if target.is_dir():
        return target
    say(f"fetching the league's packages for Python {version}")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        names = Path(scratch) / "needed.txt"
        names.write_text(wanted)
        site = Path(scratch) / "site"
        unpack_wheels(site, version, ["--require-hashes", "-r", str(names)])
        # Under its name only when it is whole.
        site.rename(target)
    return target


def make_standin() -> str:
    """Build the image, unless it is there already; returns its name."""
    below = make_debian(DEBIAN_TAG, PACKAGES)
    site = fetch_league_wheels(python_version(below))
    parts = [file.read_bytes() for file in sorted(FILES.iterdir())]
    parts += [str(image_key(below)).encode(), site.name.encode()]
    key = hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]
    if image_key(TAG) == key:
        say(f"{TAG}: already there")
        return TAG
    say(f"{TAG}: building on {below}")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        add_folder(tar, FILES, "")
        add_folder(tar, site, "site/")
    docker("build", "--quiet", "--network", "none", "--build-arg", f"FROM={below}",
           "--label", f"{KEY_LABEL}={key}", "--tag", TAG, "-", stdin=packed.getvalue())  # fmt: skip
    return TAG


if __name__ == "__main__":
    sys.stdout.write(make_standin() + "\n")
