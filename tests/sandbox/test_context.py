"""Build contexts from strangers, without an engine: what is refused, what is rewritten."""

import dataclasses
import tarfile
from pathlib import Path

import pytest

from sandbox.api import SubmissionRejected
from sandbox.context import normalise_context
from sandbox.limits import image_limits
from tests.sandbox.archives import Entries, entry, tar_of

DOCKERFILE = (entry("Dockerfile"), b"FROM scratch\nCOPY bot /bot\n")
LIMITS = dataclasses.replace(image_limits(), context_bytes=1 << 20)


def run(tmp_path: Path, items: Entries) -> list[str]:
    source, target = tmp_path / "given", tmp_path / "clean"
    source.write_bytes(tar_of(items))
    normalise_context(source, target, {}, {}, LIMITS)
    with tarfile.open(target) as tar:
        return tar.getnames()


@pytest.mark.parametrize(
    "first", [entry("a", tarfile.SYMTYPE, linkname="b"), entry("a")], ids=["link", "file"]
)
def test_nothing_can_be_written_through_a_link_or_below_a_file(
    tmp_path: Path, first: tarfile.TarInfo
) -> None:
    with pytest.raises(SubmissionRejected, match=r"'a/x/y', but 'a' is a .*, expected a folder"):
        run(tmp_path, [DOCKERFILE, (first, b""), (entry("a/x/y"), b"")])


def test_a_folder_in_place_of_a_link_takes_files(tmp_path: Path) -> None:
    link = entry("a", tarfile.SYMTYPE, linkname="b")
    items = [DOCKERFILE, (link, b""), (entry("a", tarfile.DIRTYPE), b""), (entry("a/x"), b"1")]
    assert run(tmp_path, items) == ["a", "a", "a/x", "Dockerfile"]
