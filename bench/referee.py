"""Refereed decisions a second, beside bare ping-pongs in the same run: `python -m bench.referee`.

Trust the ratios: a busy machine slows all of them alike. `--quick` is for a first look, `--start`
for what it costs to start a match instead.
"""

import asyncio
import contextlib
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import grpc
import grpc.aio

import nimmt
from bench import referee_logic, referee_start
from bench.options import described
from league import wiring
from league.matches import play_match
from referee.plan import MatchPlan, PlannedBot, TimeControl, one_pass
from referee.result import MatchResult
from sandbox.api import CommandProgram

ROOT = Path(__file__).resolve().parent.parent
QUESTION, ANSWER = b"q" * 192, b"a" * 20
"""About the size of one ask and of one answer."""

ECHO_BOT = """
import asyncio, os, sys, grpc, grpc.aio
async def main():
    async with grpc.aio.insecure_channel(sys.argv[1]) as channel:
        call = channel.stream_stream("/echo/Echo")()
        await call.write(b"hello")
        while (data := await call.read()) is not grpc.aio.EOF:
            await call.write(b"a" * 20)
asyncio.run(main())
"""
SOCKET_BOT = """
import socket, struct, sys
sys.path.insert(0, sys.argv[2])
from wire.v1 import bot_pb2 as pb
wire = socket.socket(socket.AF_UNIX); wire.connect(sys.argv[1]); file = wire.makefile("rb")
answer = pb.Answer(ask_id=1, card=5).SerializeToString()
answer = struct.pack(">I", len(answer)) + answer
while head := file.read(4):
    pb.Ask.FromString(file.read(struct.unpack(">I", head)[0])); wire.sendall(answer)
"""
PIPE_BOT = """
import json, sys
for line in sys.stdin:
    json.loads(line); print('{"ask_id": 1, "card": 5}', flush=True)
"""


async def grpc_echo(bots: int, seconds: float) -> tuple[float, float]:
    """Round trips a second of bare streams, and our CPU seconds for one.

    All bots are asked, then all answers are awaited, as in a turn of 6 nimmt!.
    """
    ready: list[object] = []
    all_here, done = asyncio.Event(), asyncio.Event()

    async def echo(_: object, context: Any) -> None:
        await context.read()
        ready.append(context)
        if len(ready) == bots:
            all_here.set()
        await done.wait()

    class Handler(grpc.GenericRpcHandler):  # type: ignore[type-arg]  # generic in the stubs alone
        def service(self, details: object) -> Any:
            return grpc.stream_stream_rpc_method_handler(echo)

    with tempfile.TemporaryDirectory() as folder:
        servers, processes = [], []
        for number in range(bots):
            server = grpc.aio.server()
            server.add_generic_rpc_handlers((Handler(),))
            server.add_insecure_port(f"unix:{folder}/{number}")
            await server.start()
            servers.append(server)
            argv = [sys.executable, "-c", ECHO_BOT, f"unix:{folder}/{number}"]
            processes.append(await asyncio.create_subprocess_exec(*argv))
        await all_here.wait()

        async def ask(context: Any) -> None:
            await context.write(QUESTION)
            await context.read()

        cpu = time.process_time()
        count, end = 0, time.monotonic() + seconds
        while time.monotonic() < end:
            await asyncio.gather(*[ask(context) for context in ready])
            count += bots
        cpu = time.process_time() - cpu
        done.set()
        for process in processes:
            # The end of its call may have ended it already.
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        for server in servers:
            await server.stop(0)
    return count / seconds, cpu / count


def raw_socket(seconds: float) -> float:
    """Round trips a second of length-prefixed protobuf over a unix socket."""
    from wire.v1 import bot_pb2 as pb

    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/s"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()
        process = subprocess.Popen([sys.executable, "-c", SOCKET_BOT, path, str(ROOT)])
        wire, _ = listener.accept()
        file = wire.makefile("rb")
        ask = pb.Ask(ask_id=1, legal=range(1, 11))
        ask.six_nimmt.hand.extend(range(1, 11))
        question = ask.SerializeToString()
        question = struct.pack(">I", len(question)) + question
        count, end = 0, time.monotonic() + seconds
        while time.monotonic() < end:
            wire.sendall(question)
            pb.Answer.FromString(file.read(struct.unpack(">I", file.read(4))[0]))
            count += 1
        file.close()
        wire.close()
        listener.close()
        process.wait()
    return count / seconds


def pipes(seconds: float) -> float:
    """Round trips a second of JSON lines over pipes."""
    process = subprocess.Popen(
        [sys.executable, "-c", PIPE_BOT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    question = json.dumps({"ask_id": 1, "hand": list(range(10)), "rows": [[1], [2], [3], [4]]})
    count, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        process.stdin.write(question + "\n")
        process.stdin.flush()
        json.loads(process.stdout.readline())
        count += 1
    process.stdin.close()
    process.wait()
    process.stdout.close()
    return count / seconds


def make_plan(players: int, games: int, in_flight: int, thinkers: int | None) -> MatchPlan:
    """6 nimmt!, one round a game, honest bots, clocks and replays on."""
    return MatchPlan(
        match="bench",
        rules="six-nimmt",
        options={"rounds": 1},
        bots=tuple(PlannedBot(name=f"bench/{n}") for n in range(players)),
        passes=one_pass(players, games),
        key=nimmt.key_from_seed(1).hex(),
        time=TimeControl(move_ms=1000, bank_ms=10_000, start_ms=60_000),
        in_flight=in_flight,
        thinkers=thinkers,
    )


async def refereed(
    players: int, games: int, in_flight: int, thinkers: int | None = None
) -> MatchResult:
    """One match of sample bots that answer at once."""
    bot = ROOT / "sample_bots" / "lowest"
    program = CommandProgram(argv=(sys.executable, "bot.py"), cwd=bot)
    plan = make_plan(players, games, in_flight, thinkers)
    return await play_match(plan, wiring.process_sandbox(), [program] * players)


def line(name: str, rate: float, more: str = "") -> None:
    """One row of the report."""
    print(f"{name:<44} {rate:>10,.0f}/s  {more}")


def show(name: str, result: MatchResult) -> float:
    """One refereed row: rate, CPU for a decision on both sides, memory."""
    rate = result.decisions / result.play_s
    faults = sum(len(bot.faults) for bot in result.bots)
    bots = sum(bot.cpu_s or 0 for bot in result.bots) / result.decisions
    own = result.referee_cpu_s / result.decisions
    line(
        name,
        rate,
        f"CPU us/decision: referee {own * 1e6:.0f}, bots with their start {bots * 1e6:.0f}; "
        f"{result.referee_memory / 2**20:.0f} MiB, {faults} faults, {result.lag_ms:.0f} ms lag",
    )
    return rate


async def main() -> None:
    """Run everything once and print the ratios that the design asks for."""
    parser = described(__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer decisions")
    parser.add_argument("--start", action="store_true", help="imports and a match of one game")
    chosen = parser.parse_args()
    quick: bool = chosen.quick
    seconds, scale = (1.0, 1) if quick else (4.0, 4)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}")
    if chosen.start:
        await referee_start.show(make_plan(4, 1, 1, None), quick)
        return
    one, cpu_one = await grpc_echo(1, seconds)
    line("bare gRPC stream echo, 1 bot", one, f"CPU us/trip: server {cpu_one * 1e6:.0f}")
    four, cpu_four = await grpc_echo(4, seconds)
    line("bare gRPC stream echo, 4 in step", four, f"CPU us/trip: server {cpu_four * 1e6:.0f}")
    line("raw socket, length-prefixed protobuf, 1 bot", raw_socket(seconds))
    piped = pipes(seconds)
    line("JSON lines over pipes, 1 bot", piped)
    logic = await referee_logic.measure(make_plan(4, 100, 1, None))
    more = f"of the referee's own, {logic / cpu_four:.2f} x the echo's trip"
    line("own logic without gRPC, 4 bots, in flight 1", 1 / logic, f"{logic * 1e6:.1f} us {more}")
    rates, cpu = {}, {}
    for in_flight, games in ((1, 25), (16, 100), (64, 200)):
        result = await refereed(4, games * scale, in_flight)
        rates[in_flight] = show(f"refereed, 4 bots, in flight {in_flight}", result)
        cpu[in_flight] = result.referee_cpu_s / result.decisions
    for in_flight, games in ((1, 25), (64, 200)):
        result = await refereed(4, games * scale, in_flight, thinkers=2)
        show(f"refereed, 4 bots, in flight {in_flight}, 2 thinkers", result)
    show("refereed, 10 bots at one table, in flight 64", await refereed(10, 80 * scale, 64))
    began = time.monotonic()
    eight = await asyncio.gather(*[refereed(4, 50 * scale, 64) for _ in range(8)])
    total = sum(result.decisions for result in eight)
    line("8 matches at once, 4 bots each, in flight 64", total / (time.monotonic() - began))
    print(f"in flight 1 costs {four / rates[1]:.2f} x of the echo with 4 bots in step")
    print(f"  in CPU of the serving side, which noise spares: {cpu[1] / cpu_four:.2f} x")
    print(
        f"in flight 64 is {rates[64] / rates[1]:.1f} x in flight 1; in CPU {cpu[1] / cpu[64]:.1f} x"
    )
    print(f"in flight 64 is {rates[64] / piped:.2f} x the pipes")


if __name__ == "__main__":
    asyncio.run(main())
