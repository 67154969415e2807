"""Build contexts from strangers, without an engine: what is refused, what is rewritten."""

import dataclasses
import errno
import tarfile
import zipfile
from pathlib import Path

import pytest
import typer

from cli.author.remote.parcel import make_parcel
from sandbox.api import SubmissionRejected
from sandbox.context import normalise_context
from sandbox.limits import image_limits
from sandbox.packing import pack
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


def test_a_saved_image_sent_as_a_folder_is_recognised(tmp_path: Path) -> None:
    with pytest.raises(SubmissionRejected, match="saved image") as caught:
        run(tmp_path, [(entry("manifest.json"), b"[]"), (entry("layer.tar"), b"")])
    assert "image_archive" in str(caught.value)


def packed(folder: Path, files: dict[str, str]) -> list[str]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    target = folder.parent / "packed.tar"
    pack(folder, target)
    with tarfile.open(target) as tar:
        return [entry.name for entry in tar if not entry.isdir()]


def test_caches_are_left_out_of_what_is_sent(tmp_path: Path) -> None:
    caches = [".git", ".mypy_cache", ".pytest_cache", "__pycache__", "node_modules", ".venv"]
    files = {f"{place}{name}/x": "" for name in caches for place in ("", "deep/er/")}
    bot = {"Dockerfile": "", "bot.py": "", "deep/er/net.bin": ""}
    assert packed(tmp_path / "bot", files | bot) == ["Dockerfile", "bot.py", "deep/er/net.bin"]


def test_a_file_that_cannot_be_read_is_named_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(self: tarfile.TarFile, *_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "bot/secret.key")

    # The user of the tests may be root, whom no mode keeps from reading.
    monkeypatch.setattr(tarfile.TarFile, "addfile", denied)
    said = r"bot/secret.key cannot be read \(Permission denied\)"
    with pytest.raises(SubmissionRejected, match=f"{said}.*name it in .dockerignore"):
        packed(tmp_path / "bot", {"Dockerfile": "", "secret.key": ""})
    with pytest.raises(typer.Exit) as ended:
        make_parcel(str(tmp_path / "bot"), tmp_path, build_here=False, tell=print)
    assert ended.value.exit_code == 2, "the command ends with what to do, not with a traceback"


def test_dockerignore_is_honoured_as_docker_does(tmp_path: Path) -> None:
    rules = "# what no bot needs\n*.log\n**/*.tmp\n/data\n!data/net.bin\nDockerfile\nlog?.txt\n"
    files = dict.fromkeys(
        ["Dockerfile", "bot.py", "a.log", "in/a.log", "in/b.tmp", "b.tmp", "data/raw.csv",
         "data/net.bin", "log1.txt", "log12.txt"], "",
    )  # fmt: skip
    kept = packed(tmp_path / "bot", files | {".dockerignore": rules})
    assert kept == [
        ".dockerignore", "Dockerfile", "bot.py", "data/net.bin", "in/a.log", "log12.txt",
    ]  # fmt: skip


def test_submit_leaves_out_of_a_folder_what_its_dockerignore_names(tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    packed(folder, {"Dockerfile": "", "bot.py": "", "games/1.json": "", ".dockerignore": "games"})
    parcel = make_parcel(str(folder), tmp_path, build_here=False, tell=print)
    assert parcel.file is not None
    with tarfile.open(parcel.file) as tar:
        assert sorted(tar.getnames()) == [".dockerignore", "Dockerfile", "bot.py"]


def test_an_archive_is_taken_as_it_is_and_only_its_dockerignore_is_dropped(tmp_path: Path) -> None:
    """Its rules are a stranger's patterns, and no business of the worker that reads it."""
    rules = b"data\n*.py\n"
    items = [DOCKERFILE, (entry("bot.py"), b"1"), (entry("data/net.bin"), b"2")]
    expected = ["Dockerfile", "bot.py", "data/net.bin"]
    assert sorted(run(tmp_path, [(entry(".dockerignore"), rules), *items])) == expected
    source, target = tmp_path / "bot.zip", tmp_path / "clean"
    with zipfile.ZipFile(source, "w") as archive:
        for one, content in [(entry(".dockerignore"), rules), *items]:
            archive.writestr(one.name, content)
    normalise_context(source, target, {}, {}, LIMITS)
    with tarfile.open(target) as tar:
        assert sorted(tar.getnames()) == expected
