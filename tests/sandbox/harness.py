"""What the Docker tests share: images, a sandbox with one control taken off, host-side looks."""

import asyncio
import io
import json
import os
import secrets
import tarfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sandbox import seccomp
from sandbox.api import SOCKET_DIR, Exit, ImageProgram, Limits
from sandbox.bot import DockerBot
from sandbox.docker import DockerSandbox
from sandbox.engine import Engine, Json
from sandbox.limits import bot_limits
from sandbox.owner import Owner

INSIDE = Path(__file__).with_name("inside")
Change = Callable[[Json], None]
TEST_LABEL = "bullring.test"
RUNTIME = os.environ.get("BULLRING_TEST_RUNTIME") or None
"""Another runtime of the engine, such as runsc, to try everything under."""
SESSION = secrets.token_hex(8)
"""Test images carry it, so that two test runs on one engine leave each other's alone."""


class Loosened(DockerSandbox):
    """The real runner with one change to its configuration, for positive controls."""

    change: Change | None = None

    async def _create(self, config: Callable[[int], Json]) -> str:
        def changed(uid: int) -> Json:
            made = config(uid)
            if self.change is not None:
                self.change(made)
            return made

        return await super()._create(changed)


class Unchecked(Loosened):
    """A runner that does not look at the image first."""

    async def _check_image(self, image: str) -> str:
        self._seccomp = seccomp.profile("x86_64")
        return image


@asynccontextmanager
async def sandbox_at(
    state: Path, change: Change | None = None, kind: type[Loosened] = Loosened
) -> AsyncIterator[Loosened]:
    """A sandbox of this test's own; afterwards none of its containers may be left."""
    box = kind(Engine(), Owner(state), RUNTIME)
    box.change = change
    try:
        yield box
        left = await box.engine.containers(f"bullring.owner={box.owner.token}")
        assert left == [], f"containers left behind: {left}"
    finally:
        box.close()


def script(name: str) -> str:
    """The source of a program that runs inside."""
    return (INSIDE / name).read_text("utf-8")


def python(image: str, source: str, *args: str) -> ImageProgram:
    """A program that runs Python source in an image."""
    return ImageProgram(image=image, command=("python3", "-c", source, *args))


@dataclass
class Outcome:
    """What one run came to, with what the host saw."""

    exit: Exit
    log: bytes
    flooded: bool
    seen: dict[str, Any] = field(default_factory=dict)

    @property
    def on_disk(self) -> list[Any]:
        """What it has left on the host's disk: changed files of its own, and a log."""
        # The engine makes the point where the socket's folder is mounted.
        made = [change for change in self.seen["diff"] if not SOCKET_DIR.startswith(change["Path"])]
        return [*made, *filter(None, [self.seen["log_file"]])]

    def lines(self) -> list[Any]:
        """The output as JSON lines."""
        return [json.loads(line) for line in self.log.decode().splitlines()]


Look = Callable[[DockerBot], Awaitable[dict[str, Any]]]


async def run_once(
    box: Loosened,
    program: ImageProgram,
    *,
    limits: Limits | None = None,
    look: Look | None = None,
    seconds: float = 60,
    **options: Any,
) -> Outcome:
    """Run one program to its end; `look` watches from the host while it runs.

    Nothing of it may run or hold memory afterwards. Its own account and cgroup are looked at: what
    the host has free moves by itself, because other programs run there too.
    """
    folder = box.owner.new_socket_dir()
    opened: AbstractAsyncContextManager[DockerBot] = box.run(
        program, limits or bot_limits(), folder, **options
    )
    async with opened as bot:
        seen = await look(bot) if look else {}
        ended = await asyncio.wait_for(bot.wait(), seconds)
        seen["diff"] = await box.engine.call(lambda api: api.diff(bot.container)) or []
        inspected = await box.engine.inspect(bot.container)
        seen["log_file"] = inspected["LogPath"]
        uid = int(inspected["Config"]["User"].split(":")[0])
    # A control that is taken off may make it root, who has other processes here.
    assert uid == 0 or processes_of(uid) == []
    assert await gone(bot)
    return Outcome(ended, bot.log_tail(), bot.output_flooded, seen)


async def until_line(bot: DockerBot, word: bytes, seconds: float = 30) -> None:
    """Wait until the bot has printed a word."""
    async with asyncio.timeout(seconds):
        while word not in bot.log_tail():
            await asyncio.sleep(0.01)


async def gone(bot: DockerBot, seconds: float = 30) -> bool:
    """Whether a bot's cgroup has gone, and with it every page of memory that was counted there."""
    files = bot._files
    if files is None:
        return True  # It had ended before anybody could look.
    deadline = asyncio.get_running_loop().time() + seconds
    while files.freezer.exists() and asyncio.get_running_loop().time() < deadline:
        await asyncio.sleep(0.05)
    return not files.freezer.exists()


def processes_of(uid: int) -> list[int]:
    """The processes on this host that belong to a uid."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if entry.stat().st_uid == uid:
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def open_descriptors() -> int:
    """How many files and sockets this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


def build_image(engine: Engine, dockerfile: str, files: dict[str, bytes] | None = None) -> str:
    """Build a trusted test image without the rules of intake; returns its id."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, data in {"Dockerfile": dockerfile.encode(), **(files or {})}.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            info.mode = 0o755
            tar.addfile(info, io.BytesIO(data))
    packed.seek(0)

    def work(api: Any) -> str:
        lines = api.build(
            fileobj=packed, custom_context=True, decode=True, rm=True, forcerm=True,
            network_mode="none", labels={TEST_LABEL: SESSION},
        )  # fmt: skip
        image = ""
        for line in lines:
            assert "error" not in line, line
            image = line.get("aux", {}).get("ID", image)
        return image

    return asyncio.run(engine.call(work))


async def remove_test_images(engine: Engine) -> None:
    """Remove what `build_image` made; an image below another goes in a later round."""
    for _ in range(5):
        for image in await engine.images(f"{TEST_LABEL}={SESSION}"):
            await engine.remove_image(str(image["Id"]))
