"""Versions share no file on disk: seen from the host, with the control taken off beside it."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox.api import ImageProgram
from sandbox.bot import DockerBot
from sandbox.docker import DockerSandbox
from sandbox.engine import Engine, EngineError, Json
from sandbox.intake import Accepted, Intake, Policy, let_go, pinned, short_id
from sandbox.layer_files import folders_of
from sandbox.limits import bot_limits
from sandbox.local_images import APART, LATELY_SECONDS, cached_name
from sandbox.owner import Owner
from tests.sandbox.archives import stream
from tests.sandbox.harness import build_image, until_line
from tests.sandbox.test_intake import context

pytestmark = [pytest.mark.docker, pytest.mark.anyio]

WAITS = b"import time; print('ready', flush=True); time.sleep(60)"


def inodes(image: Json) -> set[tuple[int, int]]:
    """Device and number of every file and folder below the layers of an image, or a container."""
    found = set()
    for folder in folders_of(image):
        assert folder.is_dir(), f"{folder} is out of reach: run this test on the engine's machine"
        for path in folder.rglob("*"):
            about = path.lstat()
            found.add((about.st_dev, about.st_ino))
    return found


def sources(count: int) -> list[bytes]:
    return [WAITS + f"  # {number}".encode() for number in range(count)]


@asynccontextmanager
async def accepted(
    state: Path, engine: Engine, bots: Sequence[bytes]
) -> AsyncIterator[list[Accepted]]:
    """These bots through intake, each on the same base image, released at the end."""
    owner = Owner(state)
    taken: list[Accepted] = []
    try:
        intake = Intake(engine, owner, Policy(bases=await pinned(engine, ("bullring-base",))))
        for source in bots:
            sent = context("FROM bullring-base\nCOPY bot.py /bot/\n", bot__py=source)
            taken.append(await intake.from_context(stream(sent)))
        yield taken
    finally:
        for each in taken:
            await let_go(engine, each)
        owner.close()


@dataclass(frozen=True)
class Ran:
    """A container that ran: its image, and the files it could see on the host's disk."""

    image: str
    inodes: set[tuple[int, int]]


async def run_together(box: DockerSandbox, images: Sequence[str]) -> list[Ran]:
    """Containers of these images, all running at once."""
    async with AsyncExitStack() as stack:
        bots: list[DockerBot] = []
        for image in images:
            folder = box.owner.new_socket_dir()
            program = ImageProgram(image=image)
            bots.append(await stack.enter_async_context(box.run(program, bot_limits(), folder)))
        for bot in bots:
            await until_line(bot, b"ready")
        found = [await box.engine.inspect(bot.container) for bot in bots]
        return [Ran(str(each["Image"]), inodes(each)) for each in found]


async def built(engine: Engine, dockerfile: str, *bots: bytes) -> list[str]:
    """Images as the engine builds them, without our rewriting."""
    files = [{"bot.py": source} for source in bots]
    return [await asyncio.to_thread(build_image, engine, dockerfile, each) for each in files]


async def test_bots_of_one_table_have_no_file_in_common(
    state: Path, engine: Engine, base_image: str
) -> None:
    box = DockerSandbox(Engine(), Owner(state))
    try:
        async with accepted(state, engine, sources(2)) as bots:
            one, two = await run_together(box, [bot.image for bot in bots])
            assert len(one.inodes) > 1000, "a base image has more files than that"
            assert one.inodes & two.inodes == set()
        # The control taken off: images as the engine builds them share every file of their base.
        plain = await built(engine, f"FROM {base_image}\nCOPY bot.py /bot/\n", *sources(2))
        one, two = await run_together(box, plain)
        assert len(one.inodes & two.inodes) > 1000
    finally:
        box.close()


async def test_a_worker_that_cannot_read_an_image_in_says_so_once_and_starts_it(
    state: Path,
    engine: Engine,
    base_image: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    [image] = await built(engine, f"FROM {base_image}\nCOPY bot.py /bot/\n", WAITS)
    nowhere = state / "nowhere"
    seen: list[list[Path]] = [folders_of(await engine.image(image)), [nowhere], []]
    expected = ["", str(nowhere), "not overlay2"]
    for folders, words in zip(seen, expected, strict=True):
        monkeypatch.setattr("sandbox.docker.folders_of", lambda _, given=folders: given)
        box = DockerSandbox(Engine(), Owner(state), apart=True)
        # The image as the engine has it: what matters here is where its files are looked for.
        monkeypatch.setattr(box.images, "ready", engine.image)
        try:
            for _ in range(2):
                await run_together(box, [image])
        finally:
            box.close()
        warned = [record.getMessage() for record in caplog.records]
        assert len(warned) == (1 if words else 0), warned
        assert all(words in one and "BULLRING_DOCKER_ROOT" in one for one in warned)
        caplog.clear()


async def remove(engine: Engine, *names: str) -> None:
    for name in names:
        await engine.remove_image(name)


async def exists(engine: Engine, name: str) -> bool:
    try:
        await engine.image(name)
    except EngineError as error:
        if error.status != 404:
            raise
        return False
    return True


async def test_a_version_accepted_earlier_runs_as_a_copy_that_stands_apart(
    state: Path, engine: Engine, base_image: str
) -> None:
    dockerfile = f"FROM {base_image}\nLABEL test=earlier\nCOPY bot.py /bot/\n"
    earlier = await built(engine, dockerfile, *sources(2))
    box = DockerSandbox(Engine(), Owner(state), apart=True)
    names = [f"{APART}/{box.owner.site}:{short_id(image)}" for image in earlier]
    try:
        one, two = await run_together(box, earlier)
        assert one.inodes & two.inodes == set()
        assert one.image not in earlier, "what runs is the copy"
        assert await exists(engine, earlier[0]), "and what is recorded stays"
        copies = [(await engine.image(name))["Id"] for name in names]
        assert copies == [one.image, two.image]
        again = DockerSandbox(box.engine, box.owner, apart=True)
        assert (await again.images.ready(earlier[0]))["Id"] == copies[0], "written once"
    finally:
        await remove(engine, *names)
        box.close()


async def test_images_that_were_not_used_lately_are_evicted_and_others_stay(
    state: Path, engine: Engine, base_image: str
) -> None:
    [image] = await built(engine, f"FROM {base_image}\nCOPY bot.py /bot/\n", b"# evicted")
    box = DockerSandbox(Engine(), Owner(state))
    name = f"{cached_name(box.owner)}:{short_id(image)}"
    elsewhere = f"{cached_name(box.owner)}-another:{short_id(image)}"
    mark = state / "images" / short_id(image)
    try:
        for each in (name, elsewhere):
            await engine.tag_image(image, *each.rsplit(":", 1))
        assert await box.images.evict(10.0) == [], "one that nobody asked for counts from now on"
        long_ago = time.time() - 20.0
        os.utime(mark, (long_ago, long_ago))
        await box.images.ready(image)
        assert await box.images.evict(10.0) == []
        os.utime(mark, (long_ago, long_ago))
        assert await box.images.evict(10.0) == [name]
        assert not await exists(engine, name)
        assert await exists(engine, elsewhere), "another league's name is not ours to remove"
    finally:
        await remove(engine, name, elsewhere)
        box.close()


async def test_a_full_disk_evicts_earlier_but_never_what_a_match_may_need_now(
    state: Path, engine: Engine, base_image: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    [image] = await built(engine, f"FROM {base_image}\nCOPY bot.py /bot/\n", b"# full")
    box = DockerSandbox(Engine(), Owner(state))
    name = f"{cached_name(box.owner)}:{short_id(image)}"
    mark = state / "images" / short_id(image)
    usage = type("Usage", (), {"free": 0})
    monkeypatch.setattr("sandbox.local_images.shutil.disk_usage", lambda _: usage)
    try:
        await engine.tag_image(image, *name.rsplit(":", 1))
        await box.images.ready(image)
        assert await box.images.evict(1e9) == []
        before = time.time() - LATELY_SECONDS - 1.0
        os.utime(mark, (before, before))
        assert await box.images.evict(1e9) == [name]
    finally:
        await remove(engine, name)
        box.close()
