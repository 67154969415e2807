"""Replay files: whole or not there, named by content, bounded when read, swept when orphaned."""

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import (
    Blob,
    BlobDamaged,
    BlobError,
    BlobMissing,
    Blobs,
    NoRoom,
    Store,
    attempts,
    results,
)
from store.packed import zstd
from tests.store.support import outcome, queued_matches, replay_lines

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    return Blobs(tmp_path / "blobs")


def files(blobs: Blobs) -> list[Path]:
    return [path for path in blobs.root.rglob("*") if path.is_file()]


def age(path: Path, seconds: float) -> None:
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))


def test_what_is_written_is_read_back(blobs: Blobs) -> None:
    lines = replay_lines(100)
    blob = blobs.write(iter(lines))
    assert blob.lines == 100
    assert blob.size == blobs.path(blob.sha256).stat().st_size
    assert list(blobs.lines(blob.sha256)) == lines
    assert blobs.line(blob.sha256, 57) == lines[57]
    assert files(blobs) == [blobs.path(blob.sha256)]


def test_any_zstd_program_can_read_the_file(blobs: Blobs) -> None:
    blob = blobs.write([b'{"a":1}', b'{"b":2}'])
    packed = blobs.path(blob.sha256).read_bytes()
    assert zstd.decompress(packed) == b'{"a":1}\n{"b":2}\n'


@given(lines=st.lists(st.binary(max_size=200).filter(lambda line: b"\n" not in line)))
def test_any_lines_survive(lines: list[bytes], tmp_path_factory: pytest.TempPathFactory) -> None:
    blobs = Blobs(tmp_path_factory.mktemp("blobs"))
    assert list(blobs.lines(blobs.write(lines).sha256)) == lines


def test_equal_content_is_one_file(blobs: Blobs) -> None:
    assert blobs.write(replay_lines()) == blobs.write(replay_lines())
    assert len(files(blobs)) == 1


def test_a_missing_file_and_a_missing_line_say_so(blobs: Blobs) -> None:
    blob = blobs.write(replay_lines(2))
    with pytest.raises(BlobMissing, match="line 2"):
        blobs.line(blob.sha256, 2)
    with pytest.raises(BlobMissing, match="no replay file"):
        blobs.lines("0" * 64)


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "A" * 64, "0" * 63])
def test_only_a_hash_names_a_file(blobs: Blobs, name: str) -> None:
    with pytest.raises(BlobMissing, match="64"):
        blobs.path(name)


def test_a_changed_file_is_found_out(blobs: Blobs) -> None:
    blob = blobs.write(replay_lines())
    path = blobs.path(blob.sha256)
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    with pytest.raises(BlobDamaged, match="name"):
        blobs.lines(blob.sha256)


def test_a_file_that_unpacks_to_too_much_is_refused_before_it_does(tmp_path: Path) -> None:
    blob = Blobs(tmp_path).write([b"0" * 50_000_000])
    assert blob.size < 50_000
    small = Blobs(tmp_path, max_bytes=1_000_000)
    with pytest.raises(BlobDamaged, match="1000000"):
        list(small.lines(blob.sha256))


def test_a_line_feed_inside_a_line_is_refused_and_leaves_nothing(blobs: Blobs) -> None:
    with pytest.raises(BlobError, match="line feed"):
        blobs.write([b"{}", b"{\n}"])
    assert files(blobs) == []


def test_a_full_disk_leaves_nothing_behind(blobs: Blobs, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(NoRoom, match="free some space"):
        blobs.write(replay_lines())
    assert files(blobs) == []


def test_a_real_limit_on_the_file_size_leaves_nothing_behind(tmp_path: Path) -> None:
    code = (
        "import os, resource, sys\n"
        "from pathlib import Path\n"
        "from store import Blobs, NoRoom\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
        "try:\n"
        "    Blobs(Path(sys.argv[1])).write(os.urandom(50).hex().encode() for _ in range(9000))\n"
        "except NoRoom as error:\n"
        "    sys.exit(7)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, check=False)
    assert done.returncode == 7
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_the_sweeper_takes_old_orphans_only(store: Store) -> None:
    (match_id,) = queued_matches(store)
    named = store.blobs.write(replay_lines())
    with store.write() as session:
        attempt = attempts.claim(session, match_id, "w1")
        assert attempt is not None
        attempts.finish(session, attempt.token, outcome(replay=named))
    old = store.blobs.write([b"old orphan"])
    fresh = store.blobs.write([b"fresh orphan"])
    half = store.blobs.root / ".writing-left"
    half.write_bytes(b"half")
    for path in (store.blobs.path(named.sha256), store.blobs.path(old.sha256), half):
        age(path, 7200)
    assert set(results.sweep(store)) == {old.sha256, half.name}
    assert {sha256 for sha256, _ in store.blobs.files()} == {named.sha256, fresh.sha256}


def test_writing_an_old_orphan_again_saves_it_from_the_sweeper(blobs: Blobs) -> None:
    def write() -> Blob:
        return blobs.write([b"again"])

    age(blobs.path(write().sha256), 7200)
    write()
    assert blobs.sweep(set(), grace=3600) == []
