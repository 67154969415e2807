"""Image archives from strangers: what is refused, what is rewritten, what a fingerprint is."""

import contextlib
import copy
import dataclasses
import gzip
import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox import bottom
from sandbox.api import SubmissionRejected
from sandbox.archive import Normalised, normalise
from sandbox.limits import image_limits
from tests.sandbox.archives import CONFIG, archive, entry, files, tar_of

LIMITS = dataclasses.replace(
    image_limits(), unpacked_bytes=4 << 20, archive_bytes=8 << 20, files=200, layers=8
)


def run(tmp_path: Path, data: bytes) -> Normalised:
    source = tmp_path / "given"
    source.write_bytes(data)
    return normalise(source, tmp_path / "clean.tar", "amd64", LIMITS, "test-bot")


def changed(**fields: Any) -> dict[str, Any]:
    """The plain configuration with other fields of its inner part."""
    made = copy.deepcopy(CONFIG)
    made["config"].update(fields)
    return made


def layer(*items: tarfile.TarInfo) -> list[bytes]:
    return [tar_of([(item, b"") for item in items])]


def pax_bomb() -> bytes:
    """A layer whose header claims two gigabytes of extra records."""
    info = entry("x", tarfile.XHDTYPE)
    info.size = 2 << 30
    return info.tobuf(tarfile.USTAR_FORMAT) + b"\0" * 4096


def negative_size() -> bytes:
    head = bytearray(entry("x").tobuf(tarfile.USTAR_FORMAT))
    head[124:136] = b"\xff" * 11 + b"\x00"
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head) + b"\0" * 1024


HUGE = 5 << 20
REFUSED: dict[str, tuple[str, Callable[[], bytes]]] = {
    "gzip bomb layer": (
        "too_large",
        lambda: archive([gzip.compress(tar_of(files(zeros=b"\0" * HUGE)))]),
    ),
    "many layers that are large together": (
        "too_large",
        lambda: archive([tar_of(files(zeros=b"\0" * (1 << 20)))] * 6),
    ),
    "gzip bomb around it all": (
        "too_large",
        lambda: gzip.compress(archive([tar_of(files(zeros=b"\0" * (3 * HUGE)))])),
    ),
    "two gigabytes of header": ("bad_archive", lambda: archive([pax_bomb()])),
    "negative size": ("bad_archive", lambda: archive([negative_size()])),
    "too many files": (
        "too_many_files",
        lambda: archive([tar_of([(entry(f"f{n}"), b"") for n in range(300)])]),
    ),
    "too many folders that no entry names": (
        "too_many_files",
        lambda: archive(layer(*(entry(f"{n}/" + 100 * "a/" + "f") for n in range(5)))),
    ),
    "too many links beside the layers": (
        "too_many_files",
        lambda: archive(
            extra=[(entry(f"l{n}", tarfile.SYMTYPE, linkname="x"), b"") for n in range(300)]
        ),
    ),
    "a link of half a mebibyte": (
        "unsafe_path",
        lambda: archive(layer(entry("x", tarfile.SYMTYPE, linkname=(1 << 19) * "x"))),
    ),
    "half a character in the command": (
        "bad_config",
        lambda: archive(config=changed(Cmd=["/bot", "\ud800"])),
    ),
    "a NUL in the environment": ("bad_config", lambda: archive(config=changed(Env=["A=\0"]))),
    "too many layers": ("too_many_layers", lambda: archive([tar_of([])] * 9)),
    "path with dots": ("unsafe_path", lambda: archive(layer(entry("../../etc/x")))),
    "absolute path": ("unsafe_path", lambda: archive(layer(entry("/etc/x")))),
    "hard link out": (
        "unsafe_path",
        lambda: archive(layer(entry("x", tarfile.LNKTYPE, linkname="../../etc/shadow"))),
    ),
    "outer path with dots": (
        "unsafe_path",
        lambda: archive(extra=[(entry("../../etc/profile"), b"x")]),
    ),
    "disk device": (
        "special_file",
        lambda: archive(layer(entry("disk", tarfile.BLKTYPE, devmajor=254))),
    ),
    "memory device": (
        "special_file",
        lambda: archive(layer(entry("kmsg", tarfile.CHRTYPE, devmajor=1, devminor=11))),
    ),
    "pipe": ("special_file", lambda: archive(layer(entry("pipe", tarfile.FIFOTYPE)))),
    "outer device": (
        "special_file",
        lambda: archive(extra=[(entry("x", tarfile.CHRTYPE), b"")]),
    ),
    "long name": ("unsafe_path", lambda: archive(layer(entry("d/" * 500 + "x")))),
    "other architecture": (
        "architecture",
        lambda: archive(config={**CONFIG, "architecture": "s390x"}),
    ),
    "other system": ("architecture", lambda: archive(config={**CONFIG, "os": "windows"})),
    "volume": ("volume", lambda: archive(config=changed(Volumes={"/data": {}}))),
    "health check": ("healthcheck", lambda: archive(config=changed(Healthcheck={"Test": ["x"]}))),
    "onbuild": ("onbuild", lambda: archive(config=changed(OnBuild=["RUN x"]))),
    "no command": ("no_command", lambda: archive(config=changed(Cmd=None))),
    "command that is no list": ("bad_config", lambda: archive(config=changed(Cmd="/bot"))),
    "environment of numbers": ("bad_config", lambda: archive(config=changed(Env=[1]))),
    "huge environment": ("bad_config", lambda: archive(config=changed(Env=["A=" + "x" * 5000]))),
    "thousands of labels": (
        "bad_config",
        lambda: archive(config=changed(Labels={f"l{n}": "x" for n in range(5000)})),
    ),
    "huge configuration": (
        "too_large",
        lambda: archive(config=changed(Labels={"l": "x" * (2 << 20)})),
    ),
    "huge manifest": (
        "too_large",
        lambda: archive(manifest=[{"Config": "x" * (2 << 20), "Layers": []}]),
    ),
    "manifest of a thousand brackets": (
        "bad_archive",
        lambda: tar_of([(entry("manifest.json"), b"[" * 100_000)]),
    ),
    "no manifest": ("bad_archive", lambda: tar_of(files(x=b"y"))),
    "two images": ("bad_archive", lambda: archive(manifest=[{}, {}])),
    "layer that is not there": (
        "bad_archive",
        lambda: archive(manifest=[{"Config": "config.json", "Layers": ["../../etc/passwd"]}]),
    ),
    "not a tar": ("bad_archive", lambda: b"MZ" * 5000),
    "empty": ("bad_archive", lambda: b""),
    "cut off": ("bad_archive", lambda: archive([tar_of(files(x=b"y" * 100_000))])[:50_000]),
    "broken gzip": ("bad_archive", lambda: gzip.compress(archive())[:-20] + b"x" * 20),
    "file at tmp": ("in_the_way", lambda: archive(layer(entry("tmp")))),
    "link at the socket's folder": (
        "in_the_way",
        lambda: archive(layer(entry("run/bullring", tarfile.SYMTYPE, linkname="/proc"))),
    ),
    "file at the working directory": (
        "in_the_way",
        lambda: archive(layer(entry("work")), config=changed(WorkingDir="/work")),
    ),
    "a name twice in a layer": (
        "duplicate_name",
        lambda: archive(layer(entry("bot"), entry("bot"))),
    ),
    "a name twice, spelled in two ways": (
        "duplicate_name",
        lambda: archive(layer(entry("app/bot"), entry("./app//bot"))),
    ),
    "a folder twice": (
        "duplicate_name",
        lambda: archive(layer(entry("app", tarfile.DIRTYPE), entry("app", tarfile.DIRTYPE))),
    ),
    "a document twice in the archive": (
        "duplicate_name",
        lambda: archive(extra=[(entry("config.json"), b"{}")]),
    ),
    "removal of nothing": ("whiteout", lambda: archive(layer(entry("app/.wh.")))),
    "removal of the folder itself": ("whiteout", lambda: archive(layer(entry("app/.wh..")))),
    "removal of the folder above": ("whiteout", lambda: archive(layer(entry("app/.wh...")))),
    "metadata of an old engine": ("whiteout", lambda: archive(layer(entry(".wh..wh.plnk")))),
    "a folder that is a removal": (
        "whiteout",
        lambda: archive(layer(entry(".wh.old", tarfile.DIRTYPE))),
    ),
    "a file in a removal": ("whiteout", lambda: archive(layer(entry(".wh.old/bot")))),
    "removal of what the layer adds": (
        "whiteout",
        lambda: archive(layer(entry("app/bot"), entry("app/.wh.bot"))),
    ),
    "a write through a link": (
        "through_link",
        lambda: archive(layer(entry("a", tarfile.SYMTYPE, linkname="/etc"), entry("a/passwd"))),
    ),
    "a write through a link of a lower layer": (
        "through_link",
        lambda: archive([*layer(entry("a", tarfile.SYMTYPE, linkname="b")), *layer(entry("a/x"))]),
    ),
    "a file below a file": ("through_link", lambda: archive(layer(entry("a"), entry("a/b")))),
    "a hard link to a file of a lower layer": (
        "hard_link",
        lambda: archive([*layer(entry("a")), *layer(entry("b", tarfile.LNKTYPE, linkname="a"))]),
    ),
    "a hard link to a folder": (
        "hard_link",
        lambda: archive(
            layer(entry("a", tarfile.DIRTYPE), entry("b", tarfile.LNKTYPE, linkname="a"))
        ),
    ),
    "a variable without a name": ("env", lambda: archive(config=changed(Env=["A=1", "=2"]))),
    "a variable without a value": ("env", lambda: archive(config=changed(Env=["A"]))),
    "an empty variable": ("env", lambda: archive(config=changed(Env=[""]))),
    "a working directory that is a link": (
        "workdir",
        lambda: archive(
            layer(entry("work", tarfile.SYMTYPE, linkname="/app")),
            config=changed(WorkingDir="/work"),
        ),
    ),
    "a working directory behind a link": (
        "workdir",
        lambda: archive(
            layer(entry("a", tarfile.SYMTYPE, linkname="/b")), config=changed(WorkingDir="/a/b/c")
        ),
    ),
    "a working directory in proc": ("workdir", lambda: archive(config=changed(WorkingDir="/proc"))),
    "a working directory in sys, by a detour": (
        "workdir",
        lambda: archive(config=changed(WorkingDir="//app/.././sys/fs")),
    ),
    "a working directory in dev": (
        "workdir",
        lambda: archive(config=changed(WorkingDir="/dev/shm")),
    ),
    "a working directory at the socket": (
        "workdir",
        lambda: archive(config=changed(WorkingDir="/run/bullring/x")),
    ),
    "a relative working directory": ("workdir", lambda: archive(config=changed(WorkingDir="app"))),
    "zstd layer": ("compression", lambda: archive([b"\x28\xb5\x2f\xfd" + b"x" * 100])),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_hostile_archive_is_refused_with_its_rule(tmp_path: Path, case: str) -> None:
    rule, make = REFUSED[case]
    with pytest.raises(SubmissionRejected) as caught:
        run(tmp_path, make())
    assert caught.value.rule == rule, str(caught.value)
    assert caught.value.fix
    assert not (tmp_path / "clean.tar").exists()
    assert [p.name for p in tmp_path.iterdir()] == ["given"]


def read_back(path: Path) -> tuple[dict[str, Any], list[list[tarfile.TarInfo]]]:
    """The configuration and the layers' entries of an archive that we wrote."""
    with tarfile.open(path) as tar:

        def content(name: str) -> bytes:
            file = tar.extractfile(name)
            assert file is not None
            return file.read()

        manifest = json.loads(content("manifest.json"))[0]
        config = json.loads(content(manifest["Config"]))
        layers = []
        for name in manifest["Layers"]:
            with tarfile.open(fileobj=io.BytesIO(content(name))) as inner:
                layers.append(inner.getmembers())
    return config, layers


def test_what_is_loaded_holds_nothing_that_was_not_checked(tmp_path: Path) -> None:
    items = [
        (entry("dev", tarfile.DIRTYPE), b""),
        (entry("dev/null", tarfile.CHRTYPE, devmajor=1, devminor=3), b""),
        (entry("bin/su", mode=0o4755, pax_headers={"SCHILY.xattr.user.x": "y"}), b"su"),
        (entry("etc/passwd", mode=0o644), b"root"),
        (entry("link", tarfile.SYMTYPE, linkname="/etc/shadow"), b""),
        (entry("hard", tarfile.LNKTYPE, linkname="bin/su"), b""),
    ]  # fmt: skip
    config = changed(Labels={"page": "<script>alert(1)</script>"}, User="root", StopSignal="9",
                     ExposedPorts={"80/tcp": {}}, Shell=["/evil"])  # fmt: skip
    done = run(tmp_path, archive([tar_of(items, format=tarfile.PAX_FORMAT)], config=config))
    written, layers = read_back(tmp_path / "clean.tar")
    assert set(written["config"]) == {"Entrypoint", "Cmd", "Env", "WorkingDir", "Labels"}
    assert written["config"]["Labels"] == {bottom.LABEL: done.fingerprint}
    assert "<script>" not in json.dumps(written)
    assert [info.name for info in layers[0]] == [bottom.FILE]
    found = {info.name: info for info in layers[1]}
    assert set(found) == {"dev", "bin/su", "etc/passwd", "link", "hard"}
    assert found["bin/su"].mode == 0o755
    assert not any(info.pax_headers for info in layers[1])
    assert done.warnings == ("'bin/su' was setuid or setgid; the bits were removed",)


def layer_ids(path: Path) -> list[str]:
    with tarfile.open(path) as tar:
        file = tar.extractfile("manifest.json")
        assert file is not None
        config = tar.extractfile(json.load(file)[0]["Config"])
        assert config is not None
        return list(json.load(config)["rootfs"]["diff_ids"])


def test_every_version_has_a_lowest_layer_that_no_other_has(tmp_path: Path) -> None:
    base = tar_of(files(lib=b"the same for all"))
    one = run(tmp_path, archive([base, tar_of(files(bot=b"one"))]))
    of_one = layer_ids(tmp_path / "clean.tar")
    two = run(tmp_path, archive([base, tar_of(files(bot=b"two"))]))
    of_two = layer_ids(tmp_path / "clean.tar")
    assert of_one[0] == bottom.layer_id(bottom.bottom_layer(one.fingerprint))
    assert of_one[0] != of_two[0]
    assert of_one[1] == of_two[1], "the layer of the base is the same; its chain is not"
    assert one.fingerprint != two.fingerprint
    assert one.files == two.files == 2


def test_an_image_that_comes_back_becomes_the_same_image(tmp_path: Path) -> None:
    first = run(tmp_path, archive([tar_of(files(bot=b"#!")), tar_of(files(data=b"1"))]))
    again = run(tmp_path, (tmp_path / "clean.tar").read_bytes())
    assert (again.image, again.fingerprint) == (first.image, first.fingerprint)


def test_a_lowest_layer_that_is_only_claimed_to_be_ours_is_kept_as_a_file(tmp_path: Path) -> None:
    wrong = {bottom.LABEL: "0" * 64}
    given = archive(
        [bottom.bottom_layer("1" * 64), tar_of(files(bot=b"#!"))], changed(Labels=wrong)
    )
    done = run(tmp_path, given)
    assert done.files == 2
    assert len(layer_ids(tmp_path / "clean.tar")) == 3


@pytest.mark.parametrize("labels", [None, {}, {bottom.LABEL: "x"}, {bottom.LABEL: "0" * 64}])
def test_an_image_stands_apart_only_with_its_own_lowest_layer(labels: dict[str, str]) -> None:
    other = bottom.layer_id(bottom.bottom_layer("1" * 64))
    assert not bottom.stands_apart(labels, [other])
    assert not bottom.stands_apart(labels, [])
    assert bottom.stands_apart({bottom.LABEL: "1" * 64}, [other])


def test_what_only_looks_like_a_mistake_passes(tmp_path: Path) -> None:
    link = entry("a", tarfile.SYMTYPE, linkname="/etc")
    layers = [
        tar_of([(link, b""), (entry("old"), b""), (entry("device"), b"")]),
        # A folder of its own in place of the link, a file again, and one that was removed first.
        tar_of([(entry("a", tarfile.DIRTYPE), b""), (entry("a/x"), b"1"), (entry("old"), b"2")]),
        tar_of([(entry(".wh.old"), b""), (entry(".what"), b"3"), (entry("x.wh.y"), b"4")]),
    ]
    config = changed(WorkingDir="/processes/../app//bot/", Env=["A=", "B==x"])
    run(tmp_path, archive(layers, config=config))
    written, _ = read_back(tmp_path / "clean.tar")
    assert written["config"]["WorkingDir"] == "/app/bot"
    assert written["config"]["Env"] == ["A=", "B==x"]


def test_a_gzip_archive_and_gzip_layers_are_fine(tmp_path: Path) -> None:
    plain = archive([tar_of(files(bot=b"#!"))])
    packed = gzip.compress(archive([gzip.compress(tar_of(files(bot=b"#!")))]))
    assert run(tmp_path, plain).image == run(tmp_path, packed).image


def test_layers_may_be_links_to_one_another_as_old_engines_write_them(tmp_path: Path) -> None:
    listed = [{"Config": "config.json", "Layers": ["0/layer.tar", "1/layer.tar"]}]
    link = entry("1/layer.tar", tarfile.SYMTYPE, linkname="../0/layer.tar")
    done = run(tmp_path, archive(manifest=listed, extra=[(link, b"")]))
    assert done.files == 2


def fingerprint(tmp_path: Path, layers: list[bytes], **fields: Any) -> str:
    return run(tmp_path, archive(layers, config=changed(**fields))).fingerprint


def test_a_fingerprint_is_what_the_bot_sees(tmp_path: Path) -> None:
    bot = (entry("app/bot", mtime=1), b"1")
    later = (entry("app/bot", mtime=99, uid=5), b"1")
    two = tar_of([bot])
    assert fingerprint(tmp_path, [two]) == fingerprint(tmp_path, [tar_of([later])])
    hidden = [tar_of([bot, (entry("app/old"), b"2")]), tar_of([(entry("app/.wh.old"), b"")])]
    assert fingerprint(tmp_path, [two]) == fingerprint(tmp_path, hidden)
    opaque = [
        tar_of([(entry("app/x"), b"3"), (entry("app/y"), b"4")]),
        tar_of([(entry("app/.wh..wh..opq"), b""), bot]),
    ]
    assert fingerprint(tmp_path, [two]) == fingerprint(tmp_path, opaque)
    assert fingerprint(tmp_path, [two]) != fingerprint(
        tmp_path, [tar_of([(entry("app/bot"), b"2")])]
    )
    assert fingerprint(tmp_path, [two]) != fingerprint(tmp_path, [two], Cmd=["/bot", "--strong"])


@given(st.binary(max_size=2000), st.integers(0, 6000))
def test_no_bytes_do_anything_but_pass_or_be_refused(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, where: int
) -> None:
    base = bytearray(archive())
    start = where % len(base)
    base[start : start + len(noise)] = noise
    with contextlib.suppress(SubmissionRejected):
        assert run(tmp_path_factory.mktemp("a"), bytes(base)).files >= 0
