"""A referee that says what a test tells it to, and positions of real games to ask about."""

import asyncio
import random
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import grpc.aio

import nimmt
from nimmt.choices import Choice, TurnOptions
from nimmt.simple import SIMPLE
from nimmt.views import View
from tests.kits.toolchains import environment
from wire import codec
from wire.v1 import bot_pb2 as pb

METHOD = "/bullring.v1.Referee/Play"
WAIT_SECONDS = 60
_EOF: Any = grpc.aio.EOF  # type: ignore[attr-defined]  # the stubs leave it out


class Position(NamedTuple):
    """What one seat is asked in a game."""

    kind: str
    view: View
    legal: tuple[int, ...] | TurnOptions


def positions(
    rules: str, options: Mapping[str, Any], players: int, seeds: Sequence[int] = (1,)
) -> list[Position]:
    """Everything that is asked in some games between partners who bring about every decision."""
    found: list[Position] = []
    for seed in seeds:
        board = nimmt.KeyedBoard(nimmt.key_from_seed(seed), number=0)
        state = nimmt.get(rules, options).start(players=players, board=board)
        # Hoarders make the bull cards run out, which is what steals need; else they are random.
        partners = [SIMPLE["hoarder"](random.Random(seat)) for seat in range(players)]
        while state.pending:
            chosen: dict[int, Choice] = {}
            for seat, ask in state.pending.items():
                view, legal = state.view(seat), state.legal(seat)
                assert view is not None
                if isinstance(legal, TurnOptions):
                    only = legal.only is not None
                else:
                    legal = tuple(legal)
                    only = len(legal) == 1
                if not only:
                    found.append(Position(ask.kind, view, legal))
                chosen[seat] = partners[seat](ask.kind, view, legal)
            state.apply(chosen)
    return found


def ask_of(position: Position, ask_id: int, game_no: int, move_ms: int = 100) -> pb.Ask:
    """A position as an ask."""
    kind = codec.KIND_TO_WIRE[position.kind]
    ask = pb.Ask(ask_id=ask_id, game_no=game_no, kind=kind, move_ms=move_ms)
    codec.fill_view(ask, position.view)
    codec.fill_legal(ask, position.legal)
    return ask


class Call:
    """The open call of one bot."""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[pb.FromBot | None] = asyncio.Queue()
        self.metadata: dict[str, str] = {}
        self.context: Any = None
        self.opened = asyncio.Event()
        self.finish = asyncio.Event()

    async def play(self, _requests: Any, context: Any) -> None:
        """The handler of the call: keeps what comes until the test has enough."""
        self.context = context
        self.metadata = {key: str(value) for key, value in context.invocation_metadata()}
        self.opened.set()
        reading = asyncio.ensure_future(self._read(context))
        await self.finish.wait()
        reading.cancel()

    async def _read(self, context: Any) -> None:
        while (data := await context.read()) is not _EOF:
            await self.heard.put(pb.FromBot.FromString(data))
        await self.heard.put(None)

    async def next(self) -> pb.FromBot | None:
        """The next message of the bot; None when it has closed its side."""
        return await asyncio.wait_for(self.heard.get(), WAIT_SECONDS)

    async def say(self, message: pb.ToBot | None = None, **parts: Any) -> None:
        """Send one message."""
        whole = pb.ToBot(**parts) if message is None else message
        await self.context.write(whole.SerializeToString())

    async def hello(self) -> pb.Hello:
        """What the bot says first."""
        first = await self.next()
        assert first is not None
        assert first.WhichOneof("message") == "hello"
        return first.hello

    async def welcome(self, rules: str, options: Mapping[str, Any], games: int) -> None:
        """Hello, Welcome, and the start of some games."""
        await self.hello()
        full = nimmt.get(rules, options)
        starts = [
            pb.GameStart(game_no=number, seat=number % 2, players=3, bot_seed=2**64 - 1 - number)
            for number in range(games)
        ]
        welcome = pb.Welcome(
            protocol=1,
            rules=rules,
            options=codec.options_to_wire(full.options),
            rules_version=1,
            time=pb.TimeControl(move_ms=100, bank_ms=1000),
        )
        await self.say(welcome=welcome, game_starts=starts)

    async def answers(self, count: int) -> tuple[dict[int, pb.Answer], int]:
        """So many answers by their ids, and in how many messages they came."""
        found: dict[int, pb.Answer] = {}
        messages = 0
        while len(found) < count:
            message = await self.next()
            assert message is not None, f"the bot left after {len(found)} of {count} answers"
            assert message.WhichOneof("message") == "answers", message
            assert message.answers.answers, "an Answers message is never empty"
            messages += 1
            for answer in message.answers.answers:
                assert answer.ask_id not in found, "answered twice"
                found[answer.ask_id] = answer
        return found, messages


class Ended(NamedTuple):
    """How the bot's process ended."""

    code: int
    out: str
    err: str


class Started:
    """A bot's process and its call."""

    def __init__(self, process: asyncio.subprocess.Process, call: Call) -> None:
        self.call = call
        self._process = process

    async def ended(self) -> Ended:
        """Wait for its end."""
        out, err = await asyncio.wait_for(self._process.communicate(), WAIT_SECONDS)
        assert self._process.returncode is not None
        return Ended(self._process.returncode, out.decode(), err.decode())


class _Handlers(grpc.GenericRpcHandler):  # type: ignore[type-arg]  # generic in the stubs alone
    """Routes the one method, as raw bytes."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def service(self, handler_call_details: Any) -> Any:
        assert handler_call_details.method == METHOD
        return grpc.stream_stream_rpc_method_handler(self._call.play)


@asynccontextmanager
async def process(command: Sequence[str], env: Mapping[str, str]) -> AsyncIterator[Started]:
    """A bot's process that is surely gone in the end."""
    started = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(**env),
    )
    try:
        yield Started(started, Call())
    finally:
        if started.returncode is None:
            started.kill()
            await started.communicate()


@asynccontextmanager
async def refereed(
    command: Sequence[str], env: Mapping[str, str], *, port: bool = False
) -> AsyncIterator[Started]:
    """A bot in an open call with us, over a unix socket or a port of this machine."""
    call = Call()
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((_Handlers(call),))
    with tempfile.TemporaryDirectory(prefix="br-kit-") as folder:
        address = f"unix://{Path(folder) / 'referee.sock'}"
        if port:
            address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        else:
            server.add_insecure_port(address)
        await server.start()
        try:
            async with process(command, {**env, "BULLRING_REFEREE": address}) as bot:
                bot.call = call
                opening = asyncio.ensure_future(call.opened.wait())
                await asyncio.wait([opening], timeout=WAIT_SECONDS)
                assert call.opened.is_set(), "the bot made no call"
                yield bot
        finally:
            call.finish.set()
            await server.stop(grace=0)
