"""Whatever dies, nothing of a bot is left; and an honest bot plays on beside a hostile one."""

import asyncio
import contextlib
import gc
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest

from sandbox.api import HowEnded, ImageProgram, PlatformFault
from sandbox.docker import DockerSandbox
from sandbox.engine import Engine
from sandbox.http import engine_socket
from sandbox.limits import UidRange, bot_limits
from sandbox.owner import Owner
from tests.sandbox.harness import (
    RUNTIME,
    Loosened,
    build_image,
    python,
    run_once,
    sandbox_at,
    script,
)

pytestmark = [pytest.mark.docker, pytest.mark.anyio]

LIMITS = bot_limits()
ROOT = Path(__file__).resolve().parents[2]

DYING_OWNER = """
import asyncio, sys, time
from pathlib import Path
from sandbox.api import ImageProgram
from sandbox.docker import DockerSandbox
from sandbox.limits import bot_limits
from sandbox.owner import Owner

async def main():
    box = DockerSandbox(owner=Owner(Path(sys.argv[1])), runtime=sys.argv[3] or None)
    program = ImageProgram(image=sys.argv[2], command=("sleep", "600"))
    async with box.run(program, bot_limits(), box.owner.new_socket_dir()) as bot:
        await bot.freeze()
        print(bot.container, flush=True)
        time.sleep(600)

asyncio.run(main())
"""


def habit(image: str, name: str) -> ImageProgram:
    return python(image, script("misbehave.py"), name)


def owners_in(state: Path) -> set[str]:
    # When images were last used outlives every owner.
    return {path.name.split(".")[0] for path in state.iterdir()} - {"images"}


async def test_the_reaper_removes_what_a_killed_worker_left_and_nothing_else(
    state: Path, base_image: str
) -> None:
    command = [sys.executable, "-c", DYING_OWNER, str(state), base_image, RUNTIME or ""]
    worker = await asyncio.create_subprocess_exec(
        *command, stdout=subprocess.PIPE, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert worker.stdout is not None
    container = (await worker.stdout.readline()).decode().strip()
    async with sandbox_at(state) as box:
        folder = box.owner.new_socket_dir()
        own = ImageProgram(image=base_image, command=("sleep", "600"))
        async with box.run(own, LIMITS, folder) as bot:
            assert (await box.reap()).containers == ()
            worker.send_signal(signal.SIGKILL)
            await worker.wait()
            reaped = await box.reap()
            assert reaped.containers == (container,)
            assert len(reaped.owners) == 1
            assert await nobody_names(container)
            assert (await box.engine.inspect(bot.container))["State"]["Running"]
            assert (await box.reap()).owners == ()
        assert owners_in(state) == {box.owner.token}
    worker._transport.close()  # type: ignore[attr-defined]  # asyncio has no public way


def running_for(container: str) -> list[str]:
    """The command lines on this host that name a container."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found.append(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return [command for command in found if container in command]


async def nobody_names(container: str) -> bool:
    """Whether all that served a container is gone within a while: a shim ends by itself."""
    async with asyncio.timeout(30):
        while running_for(container):
            await asyncio.sleep(0.05)
    return True


def pretender(name: str, container: str) -> subprocess.Popen[bytes]:
    """A process with the name and the argument of one of gVisor's."""
    code = "import time; time.sleep(600)"
    return subprocess.Popen(
        [name, "-c", code, f"--bundle=/x/{container}"], executable=sys.executable
    )


async def test_the_reaper_kills_what_gvisor_left_of_containers_that_are_gone(
    state: Path, engine: Engine, base_image: str
) -> None:
    dead = Owner(state)
    gone, unknown = secrets.token_hex(32), secrets.token_hex(32)
    async with sandbox_at(state) as box:
        own = ImageProgram(image=base_image, command=("sleep", "600"))
        async with box.run(own, LIMITS, box.owner.new_socket_dir()) as bot:
            for container in (gone, bot.container):
                dead.note(container)
            os.close(dead._lock)
            left = [pretender(name, gone) for name in ("runsc-sandbox", "runsc-gofer")]
            # Another's container, one that the engine has, and another program.
            spared = [
                pretender("runsc-gofer", unknown),
                pretender("runsc-sandbox", bot.container),
                pretender("containerd-shim", gone),
            ]
            try:
                runc = DockerSandbox(engine, box.owner)
                assert await runc._reap_processes() == []
                reaper = DockerSandbox(engine, box.owner, "runsc")
                assert set((await reaper.reap()).processes) == {one.pid for one in left}
                assert {one.wait() for one in left} == {-signal.SIGKILL}
                assert [one.poll() for one in spared] == [None] * 3
                assert (await reaper.reap()).processes == ()
            finally:
                for one in (*left, *spared):
                    one.kill()
                    one.wait()


async def test_the_reaper_of_another_installation_leaves_our_bots_alone(
    state: Path, base_image: str, tmp_path: Path
) -> None:
    async with sandbox_at(state) as box, sandbox_at(tmp_path / "other") as other:
        program = ImageProgram(image=base_image, command=("sleep", "600"))
        async with box.run(program, LIMITS, box.owner.new_socket_dir()) as bot:
            assert (await other.reap()).containers == ()
            assert (await box.engine.inspect(bot.container))["State"]["Running"]


@pytest.mark.parametrize("delay", [0, 0.02, 0.1, 0.2, 0.4])
async def test_a_cancelled_start_leaves_nothing(state: Path, base_image: str, delay: float) -> None:
    async with sandbox_at(state) as box:

        async def play() -> None:
            program = ImageProgram(image=base_image, command=("sleep", "600"))
            async with box.run(program, LIMITS, box.owner.new_socket_dir()) as bot:
                await bot.wait()

        task = asyncio.create_task(play())
        await asyncio.sleep(delay)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # `sandbox_at` looks for containers at its end.


async def test_a_container_that_someone_removed_is_a_platform_fault(
    state: Path, base_image: str
) -> None:
    async with sandbox_at(state) as box:
        program = ImageProgram(image=base_image, command=("sleep", "600"))
        async with box.run(program, LIMITS, box.owner.new_socket_dir()) as bot:
            await box.engine.remove(bot.container)
            with pytest.raises(PlatformFault):
                await bot.wait()
            await bot.freeze()
            await bot.thaw()
            await bot.kill()
            assert (await bot.usage()).cpu_s is not None or bot.log_tail() == b""


async def test_an_image_that_is_gone_is_a_platform_fault(state: Path) -> None:
    async with sandbox_at(state) as box:
        with pytest.raises(PlatformFault, match="not on this machine"):
            await run_once(box, ImageProgram(image="sha256:" + "0" * 64))


async def test_uids_are_unique_because_names_are(
    state: Path, base_image: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.docker.uid_range", lambda: UidRange(first=1_999_999_999, count=1))
    program = ImageProgram(image=base_image, command=("sleep", "600"))
    async with sandbox_at(state) as box, box.run(program, LIMITS, box.owner.new_socket_dir()):
        with pytest.raises(PlatformFault, match="No free uid"):
            await run_once(box, program)


@asynccontextmanager
async def echo_referee(folder: Path, rounds: int) -> AsyncIterator[asyncio.Future[int]]:
    """A referee that asks one bot `rounds` times, and how many answers came."""
    answers: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        count = 0
        for number in range(rounds):
            writer.write(f"{number}\n".encode())
            if await reader.readline() != f"{number}\n".encode():
                break
            count += 1
            await asyncio.sleep(0.005)
        writer.close()
        answers.set_result(count)

    server = await asyncio.start_unix_server(play, folder / "referee.sock")
    (folder / "referee.sock").chmod(0o666)
    async with server:
        yield answers


@pytest.mark.parametrize("enemy", ["fork_bomb", "memory_hog", "flood", "spin", "inode_bomb"])
async def test_an_honest_bot_plays_on_beside_a_hostile_one(
    state: Path, zoo_image: str, enemy: str
) -> None:
    async with sandbox_at(state) as box:
        folder = box.owner.new_socket_dir()
        async with (
            echo_referee(folder, rounds=100) as answers,
            box.run(habit(zoo_image, enemy), LIMITS, box.owner.new_socket_dir(), cores=[0]),
            box.run(habit(zoo_image, "honest"), LIMITS, folder, cores=[1]) as bot,
        ):
            assert await asyncio.wait_for(answers, 30) == 100
            assert (await bot.wait()).code == 0


async def test_a_bot_cannot_hold_more_connections_than_it_may_have_files(
    state: Path, zoo_image: str
) -> None:
    async with sandbox_at(state) as box:
        folder = box.owner.new_socket_dir()
        # A server that never accepts, with a longer queue than any bot can fill.
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(folder / "referee.sock"))
            (folder / "referee.sock").chmod(0o666)
            server.listen(4096)
            async with box.run(habit(zoo_image, "connections"), LIMITS, folder) as bot:
                await bot.wait()
    said = json.loads(bot.log_tail())
    assert said["stopped"] == "EMFILE"
    assert said["made"] < LIMITS.open_files


async def test_a_closed_door_cannot_be_opened_again(state: Path, zoo_image: str) -> None:
    async with sandbox_at(state) as box:
        folder = box.owner.new_socket_dir()
        async with echo_referee(folder, rounds=1):
            (folder / "referee.sock").unlink()
            async with box.run(habit(zoo_image, "connections"), LIMITS, folder) as bot:
                await bot.wait()
    assert json.loads(bot.log_tail()) == {"made": 0, "stopped": "ENOENT"}


GRPC_BOT = """
import grpc, os, threading
channel = grpc.insecure_channel(os.environ["BULLRING_REFEREE"])
play = channel.stream_stream("/zoo/Play", lambda b: b, lambda b: b)
answers = __import__("queue").Queue()
answers.put(b"hello")
for ask in play(iter(answers.get, None)):
    answers.put(b"answer to " + ask)
print("bye")
"""


async def test_a_grpc_bot_in_python_works_inside(state: Path, base_image: str) -> None:
    got: list[bytes] = []

    async def play(requests: AsyncIterator[bytes], context: object) -> AsyncIterator[bytes]:
        async for message in requests:
            got.append(message)
            if len(got) > 20:
                return
            yield b"%d" % len(got)

    server = grpc.aio.server()
    handler = grpc.stream_stream_rpc_method_handler(play)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("zoo", {"Play": handler}),)
    )
    async with sandbox_at(state) as box:
        folder = box.owner.new_socket_dir()
        server.add_insecure_port(f"unix://{folder}/referee.sock")
        await server.start()
        (folder / "referee.sock").chmod(0o666)
        async with box.run(python(base_image, GRPC_BOT), LIMITS, folder) as bot:
            ended = await asyncio.wait_for(bot.wait(), 60)
        await server.stop(None)
    assert (ended.how, ended.code) == (HowEnded.EXITED, 0), bot.log_tail()
    assert got[:2] == [b"hello", b"answer to 1"]


NODE_BOT = """
const net = require('net'), fs = require('fs'), { Worker } = require('worker_threads');
fs.writeFileSync('/tmp/x', 'y');
new Worker("require('worker_threads').parentPort.postMessage(1)", { eval: true })
  .on('message', () => {
    const s = net.connect('/run/bullring/referee.sock');
    s.on('data', d => s.write(d));
    s.on('end', () => { console.log('bye'); process.exit(0); });
  });
"""

C_BOT = r"""
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
static void *play(void *unused) {
  struct sockaddr_un a = {.sun_family = AF_UNIX};
  strcpy(a.sun_path, "/run/bullring/referee.sock");
  int s = socket(AF_UNIX, SOCK_STREAM, 0);
  char b[64];
  ssize_t n;
  if (connect(s, (struct sockaddr *)&a, sizeof a)) { perror("connect"); return 0; }
  while ((n = read(s, b, sizeof b)) > 0) if (write(s, b, n) < 0) break;
  puts("bye");
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, play, 0);
  pthread_join(t, 0);
  return 0;
}
"""


async def plays(box: Loosened, program: ImageProgram) -> None:
    """The program answers a referee and ends by itself."""
    folder = box.owner.new_socket_dir()
    async with echo_referee(folder, rounds=10) as answers:
        async with box.run(program, LIMITS, folder) as bot:
            ended = await asyncio.wait_for(bot.wait(), 60)
            assert ended.code == 0, bot.log_tail()
        assert answers.result() == 10
    assert bot.log_tail() == b"bye\n"


def compiled(folder: Path) -> bytes:
    (folder / "bot.c").write_text(C_BOT)
    command = ["gcc", "-static", "-pthread", "-o", "bot", "bot.c"]
    subprocess.run(command, check=True, cwd=folder)
    return (folder / "bot").read_bytes()


def program_file(path: str) -> bytes:
    return Path(path).resolve().read_bytes()


async def test_a_compiled_bot_in_an_empty_image_works(
    state: Path, engine: Engine, tmp_path: Path
) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("needs gcc to compile the bot")
    files = {"bot": await asyncio.to_thread(compiled, tmp_path)}
    image = await asyncio.to_thread(
        build_image, engine, 'FROM scratch\nCOPY bot /bot\nCMD ["/bot"]\n', files
    )
    async with sandbox_at(state) as box:
        await plays(box, ImageProgram(image=image))
    await engine.remove_image(image)


async def test_a_node_bot_works(state: Path, engine: Engine, base_image: str) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node on this machine, to copy it into an image")
    files = {"node": program_file(node), "bot.js": NODE_BOT.encode()}
    dockerfile = f'FROM {base_image}\nCOPY node bot.js /bot/\nCMD ["/bot/node", "/bot/bot.js"]\n'
    image = await asyncio.to_thread(build_image, engine, dockerfile, files)
    async with sandbox_at(state) as box:
        await plays(box, ImageProgram(image=image))
    await engine.remove_image(image)


async def test_an_engine_that_cannot_be_reached_is_a_platform_fault() -> None:
    with pytest.raises(PlatformFault, match="cannot be reached"):
        Engine("unix:///nowhere/docker.sock")


@asynccontextmanager
async def doorway(path: Path) -> AsyncIterator[Callable[[], None]]:
    """A way to the engine that can be shut, as when a daemon dies."""
    writers: list[asyncio.StreamWriter] = []

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
            writer.write_eof()

    async def visitor(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_unix_connection(engine_socket())
        writers.extend((writer, back))
        await asyncio.gather(pass_on(reader, back), pass_on(there, writer))
        for each in (writer, back):
            each.close()

    server = await asyncio.start_unix_server(visitor, path)

    def shut() -> None:
        server.close()
        for writer in writers:
            writer.transport.abort()

    try:
        yield shut
    finally:
        shut()
        await asyncio.sleep(0.05)


# The Docker library forgets to close its socket when nobody listens any more.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
async def test_an_engine_that_dies_is_a_platform_fault_and_the_next_start_cleans_up(
    state: Path, base_image: str
) -> None:
    program = ImageProgram(image=base_image, command=("sleep", "600"))
    started: list[str] = []
    async with doorway(state / "engine.sock") as shut:
        engine = await asyncio.to_thread(Engine, f"unix://{state}/engine.sock")
        box = DockerSandbox(engine, Owner(state))

        async def play() -> None:
            async with box.run(program, LIMITS, box.owner.new_socket_dir()) as bot:
                started.append(bot.container)
                shut()
                with pytest.raises(PlatformFault):
                    await asyncio.wait_for(bot.wait(), 10)

        with pytest.raises(PlatformFault):
            await play()
        box.close()
        gc.collect()
    async with sandbox_at(state) as fresh:
        assert list((await fresh.reap()).containers) == started


@pytest.mark.long
async def test_sixty_four_bots_run_at_once_and_all_are_gone(state: Path, base_image: str) -> None:
    uids: set[str] = set()
    async with sandbox_at(state) as box:
        together = asyncio.Barrier(64)

        async def one() -> None:
            program = ImageProgram(image=base_image, command=("sleep", "600"))
            async with box.run(program, LIMITS, box.owner.new_socket_dir()) as bot:
                uids.add((await box.engine.inspect(bot.container))["Config"]["User"])
                await together.wait()

        await asyncio.gather(*(one() for _ in range(64)))
    assert len(uids) == 64


@pytest.mark.long
async def test_cancelling_at_any_moment_leaves_nothing(state: Path, base_image: str) -> None:
    async with sandbox_at(state) as box:

        async def play() -> None:
            program = ImageProgram(image=base_image, command=("sleep", "600"))
            async with box.run(program, LIMITS, box.owner.new_socket_dir()) as bot:
                await bot.freeze()
                await bot.wait()

        for step in range(60):
            task = asyncio.create_task(play())
            await asyncio.sleep(step * 0.008)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            assert await box.engine.containers(f"bullring.owner={box.owner.token}") == []
