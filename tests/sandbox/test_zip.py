"""A folder as a zip file: what authors' systems make is read, what strangers forge is refused."""

import dataclasses
import io
import random
import stat
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.api import SubmissionRejected
from sandbox.context import normalise_context
from sandbox.given_image import GivenImage
from sandbox.limits import image_limits

DOCKERFILE = "FROM scratch\nCOPY bot /bot\n"
LIMITS = dataclasses.replace(image_limits(), context_bytes=1 << 20, files=50)


def zipped(files: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def cleaned(data: bytes, tmp_path: Path) -> dict[str, bytes]:
    source, target = tmp_path / "given", tmp_path / "clean"
    source.write_bytes(data)
    normalise_context(source, target, {}, {}, LIMITS)
    with tarfile.open(target) as tar:
        return {one.name: _content(tar, one) for one in tar if not one.isdir()}


def _content(tar: tarfile.TarFile, one: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(one)
    assert file is not None
    return file.read()


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_zip_is_read_like_a_tar(tmp_path: Path, method: int) -> None:
    noise = random.Random(1).randbytes(200_000)
    files: dict[str, str | bytes] = {
        "Dockerfile": DOCKERFILE, "bot.py": "print(1)" * 999, "deep/er/net.bin": noise,
        "empty": "", "größe.txt": "ä",
    }  # fmt: skip
    got = cleaned(zipped(files, method), tmp_path)
    assert got.pop("Dockerfile").startswith(b"FROM scratch")
    assert got == {
        name: text.encode() if isinstance(text, str) else text
        for name, text in files.items()
        if name != "Dockerfile"
    }


def test_the_folder_around_it_and_what_systems_add_are_left_out(tmp_path: Path) -> None:
    """What Finder and Explorer make of a folder."""
    files: dict[str, str | bytes] = {
        "my-bot/Dockerfile": DOCKERFILE, "my-bot/bot.py": "1", "my-bot/.DS_Store": "x",
        "__MACOSX/my-bot/._bot.py": "x",
    }  # fmt: skip
    assert set(cleaned(zipped(files), tmp_path)) == {"Dockerfile", "bot.py"}
    backwards: dict[str, str | bytes] = {"my-bot\\Dockerfile": DOCKERFILE, "my-bot\\a\\b.py": "1"}
    assert set(cleaned(zipped(backwards), tmp_path)) == {"Dockerfile", "a/b.py"}


def test_modes_and_links_of_unix_are_kept(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("Dockerfile", DOCKERFILE)
        for name, mode, text in (
            ("run.sh", stat.S_IFREG | 0o755, "#!/bin/sh"),
            ("link", stat.S_IFLNK | 0o777, "run.sh"),
        ):
            info = zipfile.ZipInfo(name)
            info.create_system = 3
            info.external_attr = mode << 16
            archive.writestr(info, text)
    (tmp_path / "given").write_bytes(packed.getvalue())
    normalise_context(tmp_path / "given", tmp_path / "clean", {}, {}, LIMITS)
    with tarfile.open(tmp_path / "clean") as tar:
        assert tar.getmember("run.sh").mode == 0o755
        assert tar.getmember("link").linkname == "run.sh"


@pytest.mark.parametrize(
    ("name", "says"),
    [("../out", "leads out"), ("/etc/passwd", "leads out"), ("Dockerfile/x", "is a file")],
)
def test_names_are_held_to_the_rules_of_a_tar(tmp_path: Path, name: str, says: str) -> None:
    with pytest.raises(SubmissionRejected, match=says):
        cleaned(zipped({"Dockerfile": DOCKERFILE, name: "x"}), tmp_path)


def test_a_bomb_is_refused_before_it_goes_off(tmp_path: Path) -> None:
    bomb = zipped({"Dockerfile": DOCKERFILE, "zeros": b"\0" * (50 << 20)})
    assert len(bomb) < 100_000
    with pytest.raises(SubmissionRejected, match="over the limit"):
        cleaned(bomb, tmp_path)
    many = zipped({"Dockerfile": DOCKERFILE, **{f"f{number}": "" for number in range(60)}})
    with pytest.raises(SubmissionRejected, match="61 files, at most 50"):
        cleaned(many, tmp_path)


def test_an_entry_that_claims_too_little_or_too_much_is_refused(tmp_path: Path) -> None:
    honest = zipped({"Dockerfile": DOCKERFILE, "bot.py": "a" * 5000})
    place = honest.rindex(b"PK\x01\x02")
    for claimed in (10, 9000):
        lie = bytearray(honest)
        struct.pack_into("<L", lie, place + 24, claimed)
        with pytest.raises(SubmissionRejected, match=r"damaged|shorter"):
            cleaned(bytes(lie), tmp_path)


def test_what_is_encrypted_or_packed_in_a_rare_way_is_named(tmp_path: Path) -> None:
    honest = zipped({"bot.py": "1", "Dockerfile": DOCKERFILE})
    place = honest.index(b"PK\x01\x02")
    for at, value, says in ((8, 1, "encrypted"), (10, 14, "method 14")):
        other = bytearray(honest)
        struct.pack_into("<H", other, place + at, value)
        with pytest.raises(SubmissionRejected, match=rf"bot\.py.*{says}"):
            cleaned(bytes(other), tmp_path)


@given(noise=st.data())
def test_whatever_is_changed_in_a_zip_it_is_read_or_refused(
    noise: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = bytearray(zipped({"Dockerfile": DOCKERFILE, "a/b.py": "print(1)" * 50, "c": "x"}))
    for _ in range(noise.draw(st.integers(1, 6))):
        data[noise.draw(st.integers(4, len(data) - 1))] = noise.draw(st.integers(0, 255))
    cut = noise.draw(st.integers(4, len(data)))
    folder = tmp_path_factory.mktemp("zip")
    for forged in (bytes(data), bytes(data[:cut])):
        try:
            cleaned(forged, folder)
        except SubmissionRejected as refusal:
            assert str(refusal)  # noqa: PT017  # Both outcomes are fine; another error is not.


def test_a_zip_sent_as_an_image_is_told_what_to_choose() -> None:
    with pytest.raises(SubmissionRejected, match="is a zip file") as caught:
        GivenImage(io.BytesIO(zipped({"Dockerfile": DOCKERFILE})), LIMITS)
    assert "build_context" in str(caught.value)


@pytest.mark.parametrize("size", [65_536, 65_537, 65_794, 131_073, 200_001])
def test_what_the_packer_holds_back_at_the_end_of_a_read_is_there(
    tmp_path: Path, size: int
) -> None:
    got = cleaned(zipped({"Dockerfile": DOCKERFILE, "zeros": bytes(size)}), tmp_path)
    assert got["zeros"] == bytes(size)


def test_entries_that_claim_more_bytes_than_the_file_has_are_refused(tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(30_000)
    data = bytearray(zipped({"Dockerfile": DOCKERFILE, "a": noise, "b": noise}))
    first, second = (data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + n) for n in (1, 60))
    # Together they can only claim this much by sharing bytes.
    claimed = struct.pack("<I", len(data))
    for at in (first, second):
        data[at + 20 : at + 24] = claimed
    with pytest.raises(SubmissionRejected, match="overlap"):
        cleaned(bytes(data), tmp_path)
