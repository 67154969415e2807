"""The connection of a bot: one call to the referee, batches hidden, errors said plainly."""

import asyncio
import gc
import os
import random
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from enum import IntEnum
from types import TracebackType
from typing import Any, NoReturn

import grpc
import grpc.aio

from botkit.bot import Bot, MessageClock, Played, Question
from nimmt.choices import Choice, TurnOptions
from wire import codec, fast
from wire.v1 import bot_pb2 as pb

ADDRESS = "BULLRING_REFEREE"
TOKEN = "BULLRING_TOKEN"
SDK = "botkit 1"
METHOD = "/bullring.v1.Referee/Play"
HERE = os.path.dirname(__file__)
FLUSH_SECONDS = 0.02
"""A batch that takes longer is answered in parts, so that others need not wait for all of it."""

# The stub package of grpc leaves this name out.
_EOF: Any = grpc.aio.EOF  # type: ignore[attr-defined]


class ExitCode(IntEnum):
    """How a bot's process ends."""

    FINE = 0
    """The referee said Goodbye."""
    AUTHOR = 1
    """The author's code raised; the traceback is on stderr."""
    NOT_CONNECTED = 2
    """There is no referee at the address, or no address."""
    TOO_NEW = 3
    """The referee speaks a newer protocol than this botkit."""
    LOST = 4
    """The connection broke in the middle of a pass."""


def run(bot: type[Bot], *, rules: Sequence[str] = (), max_batch: int = 64) -> NoReturn:
    """Play everything the referee asks, then exit. A fresh `bot()` is made for every game.

    `rules` names the rules the bot can play (none means all); `max_batch` is how many asks may
    come in one message, 1 to 256.
    """
    # Bots are run without a type checker, and run(MyBot()) is the usual slip.
    given: object = bot
    if not (isinstance(given, type) and issubclass(given, Bot)):
        raise TypeError(
            f"run() got {given!r:.80}, expected a subclass of botkit.Bot: "
            "write run(MyBot), not run(MyBot())."
        )
    address = os.environ.get(ADDRESS)
    if not address:
        _quit(
            ExitCode.NOT_CONNECTED,
            f"{ADDRESS} is not set: a bot is started by a referee. To play with it at home, type\n"
            f"    {_command()} play six-nimmt {sys.argv[0] or 'bot.py'} random random random",
        )
    hello = pb.Hello(
        sdk=SDK,
        rules=list(rules),
        max_batch=max_batch,
        events=bot.on_event is not Bot.on_event,
        protocol=codec.PROTOCOL,
    )
    # What is imported by now stays to the end. Leaving it out of every collection, the last one
    # above all, saves a seventh of what it takes to start and end a bot.
    gc.freeze()
    try:
        asyncio.run(_Client(bot, address).play(hello))
    except KeyboardInterrupt:
        _quit(ExitCode.LOST, "interrupted")
    sys.exit(ExitCode.FINE)


def _command() -> str:
    """What starts the command line: a checkout has a file for it beside this package."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return "./bullring" if os.path.isfile(os.path.join(folder, "bullring")) else "bullring"


def _quit(code: ExitCode, text: str) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.write(f"botkit: {text}\n")
    sys.stderr.flush()
    sys.exit(code)


class _Client:
    """One pass of one bot."""

    def __init__(self, bot: type[Bot], address: str) -> None:
        self._make = bot
        self._address = address
        self._played: Played | None = None
        self._games: dict[int, Bot] = {}
        self._clock: MessageClock | None = None
        # Types know nothing of the function behind a class method.
        self._batched = bot.choose_batch.__func__ is not Bot.choose_batch.__func__  # type: ignore[attr-defined]

    async def play(self, hello: pb.Hello) -> None:
        """Speak with the referee until Goodbye."""
        token = os.environ.get(TOKEN)
        metadata = (("bullring-token", token),) if token else ()
        options = [("grpc.max_receive_message_length", 64 << 20), ("grpc.enable_http_proxy", 0)]
        async with grpc.aio.insecure_channel(self._address, options=options) as channel:
            # Any: the stub package of grpc asks for arguments that the library does not need.
            method: Any = channel.stream_stream
            call = method(METHOD)(metadata=metadata)
            try:
                await call.write(pb.FromBot(hello=hello).SerializeToString())
                while (data := await call.read()) is not _EOF:
                    if await self._handle(call, data):
                        await call.done_writing()
                        return
            except grpc.aio.AioRpcError as error:
                self._broken(error)
            _quit(ExitCode.LOST, "the referee closed the connection without Goodbye")

    def _broken(self, error: grpc.aio.AioRpcError) -> NoReturn:
        detail = f"{error.code().name}: {error.details()}"
        if self._played is None:
            _quit(
                ExitCode.NOT_CONNECTED, f"cannot talk to a referee at {self._address!r} ({detail})"
            )
        if self._clock is not None and (late := -self._clock.left_ms()) > 0:
            _quit(
                ExitCode.LOST,
                f"too late: {late:.0f} ms ago the free time and the bank of this pass were used up,"
                " and the referee went on without this bot; self.time_left_ms says what is left",
            )
        _quit(ExitCode.LOST, f"the connection to the referee broke ({detail})")

    async def _handle(self, call: Any, data: bytes) -> bool:
        """All parts of one message in their order; says whether it was the last one."""
        message, asks, bank_ms = fast.split_message(data)
        try:
            if message.HasField("welcome"):
                self._welcome(message.welcome)
            for start in message.game_starts:
                self._start(start)
            for events in message.events:
                self._events(events)
            for over in message.game_overs:
                bot = self._games.pop(over.game_no)
                bot.on_game_over(tuple(over.points), tuple(over.places))
        except Exception as error:
            # The author's code: whatever it raises belongs into the author's log.
            await self._fail(call, 0, error)
        if asks:
            await self._answer(call, [fast.read_ask(ask) for ask in asks], bank_ms)
            self._clock = None
        if not message.HasField("goodbye"):
            return False
        if message.goodbye.reason == pb.Goodbye.OUT:
            sys.stderr.write(f"botkit: out of this pass: {message.goodbye.text}\n")
        return True

    def _welcome(self, welcome: pb.Welcome) -> None:
        if welcome.protocol > codec.PROTOCOL:
            _quit(
                ExitCode.TOO_NEW,
                f"the referee speaks protocol {welcome.protocol}, this botkit knows up to "
                f"{codec.PROTOCOL}. Install a newer bullring-botkit.",
            )
        self._played = Played(welcome.rules, codec.options_from_wire(welcome.options))

    def _start(self, start: pb.GameStart) -> None:
        bot = self._make()
        assert self._played is not None
        bot._played = self._played
        bot.game_no = start.game_no
        bot.seat = start.seat
        bot.players = start.players
        bot.rng = random.Random(start.bot_seed)
        self._games[start.game_no] = bot
        bot.on_game_start()

    def _events(self, events: pb.Events) -> None:
        bot = self._games[events.game_no]
        for message in events.events:
            event = codec.event_from_wire(message)
            if event is not None:
                bot.on_event(event)

    def _question(self, ask: fast.PlainAsk, clock: MessageClock) -> Question:
        bot = self._games[ask.game_no]
        if isinstance(ask.legal, TurnOptions):
            bot.turns = ask.legal
        else:
            bot.legal = ask.legal
        bot._clock = clock
        bot._note = ""
        return Question(bot, ask.kind, ask.view, ask.legal)

    async def _answer(self, call: Any, asks: Sequence[fast.PlainAsk], bank_ms: int) -> None:
        clock = MessageClock(sum([ask.move_ms for ask in asks]), bank_ms, len(asks))
        self._clock = clock
        if self._batched:
            await self._answer_at_once(call, asks, clock)
            return
        answers: list[pb.Answer] = []
        flushed = time.monotonic()
        for ask in asks:
            question = self._question(ask, clock)
            choice = await self._guard(call, ask.ask_id, question.bot.choose, question)
            answers.append(_answer(ask.ask_id, question, choice))
            clock.asks_left -= 1
            if time.monotonic() - flushed > FLUSH_SECONDS and clock.asks_left:
                await call.write(_pack(answers))
                answers = []
                flushed = time.monotonic()
        await call.write(_pack(answers))

    async def _answer_at_once(
        self, call: Any, asks: Sequence[fast.PlainAsk], clock: MessageClock
    ) -> None:
        questions = [self._question(ask, clock) for ask in asks]
        first = asks[0].ask_id
        choices = await self._guard(call, first, self._make.choose_batch, questions)
        if len(choices) != len(questions):
            problem = f"choose_batch got {len(questions)} questions and gave {len(choices)} choices"
            await self._fail(call, first, ValueError(problem))
        both = zip(asks, questions, choices, strict=True)
        answers = [_answer(ask.ask_id, question, choice) for ask, question, choice in both]
        await call.write(_pack(answers))

    async def _guard(
        self, call: Any, ask_id: int, work: Callable[[Any], Any], argument: Any
    ) -> Any:
        """Run the author's code; when it raises, tell the referee which ask failed, and exit."""
        try:
            return work(argument)
        except Exception as error:
            # Whatever it is, it is the author's.
            await self._fail(call, ask_id, error)

    async def _fail(self, call: Any, ask_id: int, error: Exception) -> NoReturn:
        error.__traceback__ = _authors_part(error.__traceback__)
        traceback.print_exception(error)
        last = "".join(traceback.format_exception_only(error)).strip()
        where = traceback.extract_tb(error.__traceback__)[-1:]
        place = f" ({os.path.basename(where[0].filename)}:{where[0].lineno})" if where else ""
        failure = pb.Failure(ask_id=ask_id, error=f"{last[:300]}{place}")
        await call.write(pb.FromBot(failure=failure).SerializeToString())
        # Closing our side makes sure that the message is sent before this process is gone.
        await call.done_writing()
        await asyncio.wait([asyncio.ensure_future(call.code())], timeout=1.0)
        _quit(ExitCode.AUTHOR, f"the bot's own code raised {type(error).__name__}, see above")


def _authors_part(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without our own frames at its top: the author looks for the bug elsewhere."""
    part = trace
    while part is not None and os.path.dirname(part.tb_frame.f_code.co_filename) == HERE:
        part = part.tb_next
    return part or trace


def _pack(answers: list[pb.Answer]) -> bytes:
    return pb.FromBot(answers=pb.Answers(answers=answers)).SerializeToString()


def _answer(ask_id: int, question: Question, choice: Choice) -> pb.Answer:
    answer = pb.Answer(ask_id=ask_id)
    try:
        codec.fill_choice(answer, question.kind, choice)
    except (TypeError, ValueError, AttributeError) as error:
        # It goes out without a choice, which the referee counts as an illegal one.
        name = f"choose_{question.kind}"
        sys.stderr.write(f"botkit: {name} returned {choice!r:.80}, which is no choice: {error}\n")
        answer = pb.Answer(ask_id=ask_id)
    if question.bot._note:
        answer.note = question.bot._note.encode()[: codec.NOTE_BYTES].decode(errors="ignore")
    return answer
