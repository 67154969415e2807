"""What containment costs: starts, freezing, and the share of a match that is not play.

Run `python -m bench.sandbox` (minutes; `--small` for less). It needs a Docker engine and the base
image (`python -m sandbox.base.make`). Look at the ratios: all rows are measured in turn, and a busy
machine slows them alike.
"""

import asyncio
import contextlib
import statistics
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.options import described
from league.matches import play_match
from referee.plan import MatchPlan, PlannedBot, one_pass
from sandbox.api import CommandProgram, ImageProgram, Program, Sandbox
from sandbox.docker import DockerSandbox
from sandbox.engine import Engine
from sandbox.limits import bot_limits
from sandbox.owner import Owner
from sandbox.process import ProcessSandbox

ROOT = Path(__file__).resolve().parent.parent
HELLO = (
    "import os,socket;s=socket.socket(socket.AF_UNIX);"
    "s.connect(os.environ['BULLRING_REFEREE'][7:]);s.send(b'x');s.recv(1)"
)
GRPC_HELLO = f"import botkit;{HELLO}"
LOWEST = (ROOT / "sample_bots/lowest/bot.py").read_text("utf-8")
SLOW = LOWEST.replace(
    'class LowestBot(Bot):\n',
    'class LowestBot(Bot):\n    def choose_card(self, view):\n'
    '        import time\n        time.sleep(0.1)\n        return min(view.hand)\n\n',
)  # fmt: skip


async def first_byte(box: Sandbox, owner: Owner, program: Program) -> float:
    """Seconds from the call of `run` until the bot's first byte has come."""
    folder = owner.new_socket_dir()
    came: asyncio.Future[float] = asyncio.get_running_loop().create_future()

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        came.set_result(time.perf_counter())
        writer.close()

    async with await asyncio.start_unix_server(greet, folder / "referee.sock"):
        (folder / "referee.sock").chmod(0o666)
        begun = time.perf_counter()
        async with box.run(program, bot_limits(), folder):
            return await asyncio.wait_for(came, 30) - begun


async def docker_run_true(image: str) -> float:
    """Seconds that the plainest container of the command line takes."""
    begun = time.perf_counter()
    child = await asyncio.create_subprocess_exec(
        "docker", "run", "--rm", "--network", "none", image, "true", stdout=subprocess.DEVNULL
    )
    await child.wait()
    return time.perf_counter() - begun


async def freezing(box: DockerSandbox, image: str, times: int) -> tuple[float, float]:
    """Median seconds of a freeze and of a thaw."""
    program = ImageProgram(image=image, command=("python3", "-c", "while True: pass"))
    froze: list[float] = []
    thawed: list[float] = []
    async with box.run(program, bot_limits(), box.owner.new_socket_dir(), cores=[0]) as bot:
        for _ in range(times):
            begun = time.perf_counter()
            await bot.freeze()
            middle = time.perf_counter()
            await bot.thaw()
            froze.append(middle - begun)
            thawed.append(time.perf_counter() - middle)
            await asyncio.sleep(0.002)
    return statistics.median(froze), statistics.median(thawed)


async def per_second(box: DockerSandbox, image: str, count: int) -> float:
    """Containers started and removed per second, as many at once as the runner allows."""
    program = ImageProgram(image=image, command=("sleep", "60"))

    async def one() -> None:
        async with box.run(program, bot_limits(), box.owner.new_socket_dir()):
            pass

    begun = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(count)))
    return count / (time.perf_counter() - begun)


async def not_playing(
    box: Sandbox, owner: Owner, program: Program, boards: int
) -> tuple[float, float]:
    """Seconds of a match of four bots, and the share before its first and after its last event."""
    seen: list[float] = []
    plan = MatchPlan(
        match="bench",
        rules="six-nimmt",
        bots=tuple(PlannedBot(name=f"bot{n}") for n in range(4)),
        passes=one_pass(4, boards),
        key="ab" * 32,
        runner=box.name,
        watch=True,
    )
    begun = time.perf_counter()
    await play_match(
        plan, box, [program] * 4, lambda _: seen.append(time.perf_counter()), owner=owner
    )
    taken = time.perf_counter() - begun
    playing = seen[-1] - seen[0] if seen else 0.0
    return taken, (taken - playing) / taken


async def median(work: Callable[[], Awaitable[float]], times: int) -> float:
    """The median of several runs."""
    return statistics.median([await work() for _ in range(times)])


async def measure(small: bool) -> Table:
    """All rows, in turn."""
    table = Table("what", "value", "ratio", title="containment")
    times, boards = (3, 8) if small else (9, 100)
    with tempfile.TemporaryDirectory(prefix="br-") as state, contextlib.ExitStack() as stack:
        engine = Engine()
        box = DockerSandbox(engine, Owner(Path(state)))
        stack.callback(box.close)
        plain = ProcessSandbox()
        image = str((await engine.image("bullring-base"))["Id"])

        def inside(source: str) -> ImageProgram:
            return ImageProgram(image=image, command=("python3", "-c", source))

        def outside(source: str) -> CommandProgram:
            return CommandProgram(argv=("python3", "-c", source), cwd=ROOT)

        base = await median(lambda: docker_run_true(image), times)
        table.add_row("docker run --rm … true", f"{base * 1000:.0f} ms", "1.00")
        rows: list[tuple[str, Sandbox, Program]] = [
            ("first byte, container", box, inside(HELLO)),
            ("first byte, container, botkit imported", box, inside(GRPC_HELLO)),
            ("first byte, process", plain, outside(HELLO)),
        ]
        for name, runner, program in rows:
            taken = await median(partial(first_byte, runner, box.owner, program), times)
            table.add_row(name, f"{taken * 1000:.0f} ms", f"{taken / base:.2f}")
        froze, thawed = await freezing(box, image, 50)
        table.add_row("freeze / thaw", f"{froze * 1000:.2f} / {thawed * 1000:.2f} ms", "")
        rate = await per_second(box, image, 8 if small else 32)
        table.add_row("started and removed per second", f"{rate:.1f}", f"{rate * base:.2f}")
        for name, source, size in (("instant bots", LOWEST, boards), ("100 ms bots", SLOW, 8)):
            taken, share = await not_playing(box, box.owner, inside(source), size)
            table.add_row(f"match of {size} boards, {name}", f"{taken:.1f} s",
                          f"{share:.0%} not playing")  # fmt: skip
    return table


def main() -> None:
    """Print the table."""
    parser = described(__doc__)
    parser.add_argument("--small", action="store_true", help="fewer rounds")
    Console().print(asyncio.run(measure(parser.parse_args().small)))


if __name__ == "__main__":
    main()
