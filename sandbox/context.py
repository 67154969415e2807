"""An author's build context: read, checked and rewritten, with a checked Dockerfile in it."""

import io
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import IO

from sandbox import dockerfile
from sandbox.api import SubmissionRejected
from sandbox.limits import ImageLimits
from sandbox.tarcheck import Budget, decompressed, entries, safe_name
from sandbox.zipcheck import is_zip, zip_entries

DROPPED = (".dockerignore",)
"""Names that mean something to the engine but not to us."""
IMAGE_FILES = ("manifest.json", "oci-layout")
"""What `docker save` puts at the top of its archive; either tells a saved image."""


def _leads_out(name: str, target: str) -> bool:
    path = PurePosixPath(name).parent
    depth = len(path.parts)
    for part in PurePosixPath(target).parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return True
    return target.startswith("/")


def _refuse_kind(name: str) -> SubmissionRejected:
    return SubmissionRejected(
        "special_file", f"The build context holds {name[:100]!r}, which is not a file, folder or "
        "link inside it.", "Leave it out.",
    )  # fmt: skip


class _Parents:
    """Remembers what is not a folder, so that nothing can be put below it."""

    def __init__(self) -> None:
        self._kinds: dict[str, str] = {}

    def holds(self, *names: str) -> bool:
        """Whether any of these is a file."""
        return any(self._kinds.get(name) == "file" for name in names)

    def take(self, name: str, entry: tarfile.TarInfo) -> None:
        """One entry; refused when it lies behind a link or a file of this context."""
        for parent in PurePosixPath(name).parents:
            if (kind := self._kinds.get(str(parent))) is not None:
                raise SubmissionRejected(
                    "through_link", f"The build context holds {name[:100]!r}, but "
                    f"{str(parent)[:100]!r} is a {kind}, expected a folder.",
                    "Put the file at its real path.",
                )  # fmt: skip
        self._kinds.pop(name, None)
        if not entry.isdir():
            self._kinds[name] = "link" if entry.issym() else "file"


def _given_entries(
    given: IO[bytes], limits: ImageLimits
) -> Iterator[tuple[tarfile.TarInfo, IO[bytes] | None]]:
    """The entries of a tar, plain or with gzip, or of a zip."""
    if is_zip(given):
        yield from zip_entries(given, limits.files)
        return
    reader = decompressed(given, limits.context_bytes * 2, "The build context")
    for tar, entry in entries(reader, "The build context"):
        yield entry, tar.extractfile(entry) if entry.isfile() else None


def normalise_context(
    source: Path,
    target: Path,
    bases: Mapping[str, str],
    labels: Mapping[str, str],
    limits: ImageLimits,
) -> None:
    """Write a clean context; blocking, run it in a thread."""
    budget = Budget.of(limits.context_bytes, limits.files)
    text: bytes | None = None
    parents = _Parents()
    with source.open("rb") as given, tarfile.open(target, "w") as out:
        for entry, file in _given_entries(given, limits):
            name = safe_name(entry.name, "The build context")
            budget.take_file()
            if not name or name in DROPPED:
                continue
            parents.take(name, entry)
            clean = tarfile.TarInfo(name)
            clean.mode = entry.mode & 0o777
            clean.type = entry.type
            if entry.isfile():
                budget.take_bytes(entry.size)
                if name == "Dockerfile":
                    if entry.size > limits.dockerfile_bytes:
                        raise SubmissionRejected(
                            "too_large", f"The Dockerfile has {entry.size} bytes, at most "
                            f"{limits.dockerfile_bytes} are read.", "Shorten it.",
                        )  # fmt: skip
                    text = file.read() if file else b""
                    continue
                clean.type = tarfile.REGTYPE
                clean.size = entry.size
                out.addfile(clean, file)
            elif entry.isdir():
                out.addfile(clean)
            elif entry.issym() and not _leads_out(name, entry.linkname):
                clean.linkname = entry.linkname
                out.addfile(clean)
            else:
                raise _refuse_kind(name)
        if text is None and parents.holds(*IMAGE_FILES):
            raise SubmissionRejected(
                "image_as_context", "This is a saved image, sent as a folder with a Dockerfile.",
                "Send it again as an image archive (kind image_archive).",
            )  # fmt: skip
        if text is None:
            raise SubmissionRejected(
                "no_dockerfile", "The build context has no Dockerfile at its top.",
                "Pack the folder itself: tar -C folder -c .",
            )  # fmt: skip
        written = dockerfile.checked(text, bases, labels).encode()
        info = tarfile.TarInfo("Dockerfile")
        info.size = len(written)
        out.addfile(info, io.BytesIO(written))
