"""Submissions against the real engine: what is accepted runs, what is refused leaves nothing."""

import asyncio
import dataclasses
import gzip
import hashlib
import json
import tarfile
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from sandbox import http
from sandbox.api import ImageProgram, PlatformFault, SubmissionRejected
from sandbox.docker import DockerSandbox
from sandbox.engine import Engine
from sandbox.home import build_folder, image_named
from sandbox.intake import Intake, Policy, held_names, keep, let_all_go, let_go, pinned, short_id
from sandbox.limits import build_limits, image_limits
from sandbox.owner import Owner
from tests.sandbox.archives import archive, entry, stream, tar_of
from tests.sandbox.harness import run_once, sandbox_at

pytestmark = [pytest.mark.docker, pytest.mark.anyio]

MB = 1 << 20
SAMPLE = Path(__file__).resolve().parents[2] / "sample_bots/lowest"

FORKS = b"""
import os, time
made = 0
try:
    while made < 1000:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        made += 1
except OSError:
    pass
print("forks", made, flush=True)
os._exit(1)
"""


def context(dockerfile: str, **files: bytes) -> bytes:
    items = [(entry("Dockerfile"), dockerfile.encode())]
    items += [(entry(name.replace("__", ".")), data) for name, data in files.items()]
    return tar_of(items)


@asynccontextmanager
async def intake_at(state: Path, engine: Engine, **changes: Any) -> AsyncIterator[Intake]:
    """An intake that must leave no image, container or file when the test removed what it took."""
    owner = Owner(state)
    bases = await pinned(engine, ("bullring-base",))
    try:
        yield Intake(engine, owner, Policy(**{"bases": bases, **changes}))
        assert await engine.containers(f"bullring.owner={owner.token}") == []
        assert await engine.images(f"bullring.owner={owner.token}") == []
        assert await held_names(engine, owner) == []
    finally:
        owner.close()


async def tagged(engine: Engine) -> set[str]:
    """All images that intake has named."""
    found = await engine.call(lambda api: api.images())
    ours = ("bullring-bot:", "bullring-check/")
    return {str(i["Id"]) for i in found if any(n.startswith(ours) for n in i["RepoTags"] or ())}


async def export(engine: Engine, image: str) -> bytes:
    async with http.request("GET", f"/images/{image}/get") as response:
        return b"".join([part async for part in response.parts()])


async def test_a_two_line_bot_is_built_checked_and_runs(
    state: Path, engine: Engine, base_image: str
) -> None:
    sent = context("FROM bullring-base\nCOPY bot.py /bot/\n", bot__py=b"print('I am a bot')")
    async with intake_at(state, engine) as intake:
        accepted = await intake.from_context(stream(sent))
        assert "COPY bot.py" in accepted.log
        async with sandbox_at(state) as box:
            outcome = await run_once(box, ImageProgram(image=accepted.image))
        assert outcome.log == b"I am a bot\n"
        await let_go(engine, accepted)
        assert accepted.image not in await tagged(engine)


async def test_equal_submissions_are_one_entrant_however_they_come(
    state: Path, engine: Engine
) -> None:
    sent = context('FROM scratch\nCOPY bot /bot\nCMD ["/bot"]\n', bot=b"#!/nothing")
    async with intake_at(state, engine, bases={}) as intake:
        first = await intake.from_context(stream(sent))
        again = await intake.from_context(stream(sent))
        saved = await export(engine, first.image)
        by_archive = await intake.from_archive(stream(gzip.compress(saved)))
        assert first.fingerprint == again.fingerprint == by_archive.fingerprint
        assert by_archive.image == first.image
        await let_go(engine, first)
        assert first.image in await tagged(engine), "the other two hold it still"
        for each in (again, by_archive):
            await let_go(engine, each)
        assert first.image not in await tagged(engine)


REFUSED = {
    "a step that fails": (context("FROM bullring-base\nRUN exit 3\n"), "build_failed"),
    "a step that needs a network": (
        context(
            "FROM bullring-base\n"
            "RUN python3 -c \"import socket; socket.create_connection(('192.0.2.1', 80), 3)\"\n"
        ),
        "build_failed",
    ),
    "a file that is not there": (context("FROM bullring-base\nCOPY x /x\n"), "build_failed"),
    "a base image outside the list": (context("FROM debian\n"), "base_image"),
    "a volume": (context("FROM bullring-base\nVOLUME /x\n"), "volume"),
    "no Dockerfile": (tar_of([(entry("bot.py"), b"")]), "no_dockerfile"),
    "a memory hog in a step": (
        context('FROM bullring-base\nRUN python3 -c "x = bytearray(2 * 10**9)"\n'),
        "build_failed",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_a_refused_build_leaves_nothing(
    state: Path, engine: Engine, base_image: str, case: str
) -> None:
    sent, rule = REFUSED[case]
    async with intake_at(state, engine) as intake:
        with pytest.raises(SubmissionRejected) as caught:
            await intake.from_context(stream(sent))
    assert caught.value.rule == rule, str(caught.value)


async def test_a_build_that_takes_too_long_is_stopped_with_everything_it_started(
    state: Path, engine: Engine, base_image: str
) -> None:
    sent = context("FROM bullring-base\nRUN sleep 600\n")
    limits = dataclasses.replace(build_limits(), seconds=3.0)
    async with intake_at(state, engine, build=limits) as intake:
        with pytest.raises(SubmissionRejected, match="stopped after 3 seconds"):
            await intake.from_context(stream(sent))


async def test_a_build_that_fills_the_disk_is_stopped(
    state: Path, engine: Engine, base_image: str
) -> None:
    sent = context("FROM bullring-base\nRUN head -c 600000000 /dev/zero > /x && sleep 30\n")
    limits = dataclasses.replace(build_limits(), disk=200 * MB)
    async with intake_at(state, engine, build=limits) as intake:
        with pytest.raises(SubmissionRejected) as caught:
            await intake.from_context(stream(sent))
    assert caught.value.rule == "build_disk"


async def test_a_fork_bomb_in_a_build_step_is_bounded(
    state: Path, engine: Engine, base_image: str
) -> None:
    sent = context("FROM bullring-base\nCOPY x.py /\nRUN python3 /x.py\n", x__py=FORKS)
    async with intake_at(state, engine) as intake:
        with pytest.raises(SubmissionRejected) as caught:
            await intake.from_context(stream(sent))
    forks = int(caught.value.fix.split("forks ")[1].split()[0])
    assert 100 < forks < 300


async def test_a_context_with_a_way_out_is_refused(state: Path, engine: Engine) -> None:
    link = entry("secret", tarfile.SYMTYPE, linkname="../../etc/shadow")
    sent = tar_of([(entry("Dockerfile"), b"FROM scratch\nCOPY secret /x\n"), (link, b"")])
    async with intake_at(state, engine, bases={}) as intake:
        with pytest.raises(SubmissionRejected) as caught:
            await intake.from_context(stream(sent))
    assert caught.value.rule == "special_file"


async def test_an_upload_is_cut_at_the_first_byte_too_many(state: Path, engine: Engine) -> None:
    limits = dataclasses.replace(image_limits(), archive_bytes=MB)
    taken = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal taken
        while True:
            taken += 65536
            yield b"x" * 65536

    async with intake_at(state, engine, image=limits) as intake:
        with pytest.raises(SubmissionRejected, match=r"over the limit of 1\.0 MiB"):
            await intake.from_archive(endless())
    assert taken <= MB + 2 * 65536


async def test_a_refused_archive_leaves_nothing_and_a_full_disk_is_our_fault(
    state: Path, engine: Engine
) -> None:
    async with intake_at(state, engine) as intake:
        with pytest.raises(SubmissionRejected):
            await intake.from_archive(stream(archive(manifest=[])))
    limits = dataclasses.replace(build_limits(), min_free_disk=1 << 60)
    async with intake_at(state, engine, build=limits) as intake:
        with pytest.raises(PlatformFault, match="disk are free"):
            await intake.from_archive(stream(archive()))


async def test_submissions_are_taken_one_at_a_time(state: Path, engine: Engine) -> None:
    busy = 0
    most = 0

    async def slow() -> AsyncIterator[bytes]:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        await asyncio.sleep(0.05)
        busy -= 1
        yield b"not a tar"

    async with intake_at(state, engine) as intake:
        results = await asyncio.gather(
            *(intake.from_archive(slow()) for _ in range(3)), return_exceptions=True
        )
    assert [type(result) for result in results] == [SubmissionRejected] * 3
    assert most == 1


@contextmanager
def registry(blobs: dict[str, bytes], manifest: bytes) -> Iterator[str]:
    """A registry on loopback that holds one image."""
    digest = digest_of(manifest)
    media = "application/vnd.docker.distribution.manifest.v2+json"

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.rsplit("/", 1)[-1]
            data = manifest if name == digest else blobs.get(name, b"{}")
            self.send_response(200)
            self.send_header("Content-Type", media if name == digest else "application/json")
            self.send_header("Docker-Content-Digest", digest)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(data)

        do_HEAD = do_GET

        def log_message(self, *args: Any) -> None:
            """Stay quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}/owner/bot@{digest}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def digest_of(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def image_blobs() -> tuple[dict[str, bytes], bytes]:
    layer = gzip.compress(tar_of([(entry("bot"), b"#!")]))
    plain = gzip.decompress(layer)
    config = json.dumps(
        {
            "architecture": "amd64",
            "os": "linux",
            "config": {"Cmd": ["/bot"]},
            "rootfs": {"type": "layers", "diff_ids": [digest_of(plain)]},
        }
    ).encode()

    def describe(data: bytes, kind: str) -> dict[str, Any]:
        return {
            "mediaType": f"application/vnd.docker.{kind}",
            "size": len(data),
            "digest": digest_of(data),
        }

    parts = (
        describe(config, "container.image.v1+json"),
        describe(layer, "image.rootfs.diff.tar.gzip"),
    )
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
        "config": parts[0],
        "layers": [parts[1]],
    }
    blobs = {str(parts[0]["digest"]): config, str(parts[1]["digest"]): layer}
    return blobs, json.dumps(manifest).encode()


async def test_a_reference_by_digest_is_pulled_from_an_allowed_registry_only(
    state: Path, engine: Engine
) -> None:
    with registry(*image_blobs()) as reference:
        host = reference.split("/")[0]
        async with intake_at(state, engine, registries=(host,)) as intake:
            accepted = await intake.from_reference(reference)
            assert accepted.files == 1
            await let_go(engine, accepted)
            with pytest.raises(SubmissionRejected) as caught:
                await intake.from_reference(reference.split("@")[0] + ":latest")
            assert caught.value.rule == "reference"
            with pytest.raises(SubmissionRejected) as caught:
                await intake.from_reference(reference.split("@")[0] + "@sha256:" + "0" * 64)
            assert caught.value.rule == "pull_failed"
        async with intake_at(state, engine) as intake:
            with pytest.raises(SubmissionRejected) as caught:
                await intake.from_reference(reference)
            assert caught.value.rule == "registry"
    names = await engine.call(lambda api: [n for i in api.images() for n in i["RepoDigests"] or []])
    assert not [name for name in names if name.startswith(host)]


async def test_an_author_at_home_builds_a_folder_by_the_same_rules(
    state: Path, engine: Engine, base_image: str
) -> None:
    owner = Owner(state)
    accepted = await build_folder(engine, owner, SAMPLE)
    assert (await image_named(engine, accepted.name)).image == accepted.image
    await let_all_go(engine, owner)
    with pytest.raises(SubmissionRejected, match="no image named"):
        await image_named(engine, accepted.name)
    owner.close()


async def test_an_image_goes_with_its_last_name(state: Path, engine: Engine) -> None:
    sent = context('FROM scratch\nCOPY bot /bot\nCMD ["/bot"]\n', bot=b"#!/kept")
    owner, dead = Owner(state), Owner(state)
    first = await Intake(engine, owner, Policy()).from_context(stream(sent))
    second = await Intake(engine, dead, Policy()).from_context(stream(sent))
    assert first.image == second.image
    dead.close()
    reaped = await DockerSandbox(engine, owner).reap()
    assert second.name in reaped.images
    assert first.name not in reaped.images, "its owner lives"
    await keep(engine, first.image)
    await let_go(engine, first)
    assert await engine.image(first.image), "an accepted bot keeps its image"
    await engine.remove_image(f"bullring-bot:{short_id(first.image)}")
    assert first.image not in await tagged(engine)
    owner.close()
