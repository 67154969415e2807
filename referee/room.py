"""The shell around one pass of a match: sockets, writers, tasks, and who is told what.

Decisions are made in `play.py`; this only moves bytes and time.
"""

import asyncio
import secrets
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError

from nimmt import Event
from nimmt.events import to_json as event_to_json
from nimmt.replay import Decision
from referee.clock import LagMeter, Thinkers
from referee.faults import BotFault, FaultKind, process_end, stream_end
from referee.host import HostClock, Report
from referee.lines import FromReferee, HowGone
from referee.plan import MatchPlan
from referee.play import PassPlay
from referee.records import to_json
from referee.result import FaultRecord, GameRecord
from referee.seat import Seat
from wire.codec import ANSWER_BYTES
from wire.v1 import bot_pb2 as pb

Send = Callable[[dict[str, Any]], None]
GOODBYE_S = 0.5
"""How long the last message may take to be read before the call is cut."""


IDS_AT_ONCE = 64


def utc_now() -> str:
    """The wall clock, as replays write it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def random_ids() -> Callable[[], int]:
    """Makes 64 random bits at each call; the kernel is asked for many at a time."""

    def draw() -> Iterator[int]:
        while True:
            yield from struct.unpack(f"<{IDS_AT_ONCE}Q", secrets.token_bytes(8 * IDS_AT_ONCE))

    return draw().__next__


class Bell:
    """Wakes one writer. An `asyncio.Event` is for many, and costs twice as much at every ask."""

    __slots__ = ("_rung", "_waiter")

    def __init__(self) -> None:
        self._rung = False
        self._waiter: asyncio.Future[None] | None = None

    def ring(self) -> None:
        """Wake the writer, or let it not fall asleep. Safe to repeat."""
        self._rung = True
        if self._waiter is not None:
            waiter, self._waiter = self._waiter, None
            if not waiter.done():
                waiter.set_result(None)

    async def rung(self) -> None:
        """Wait for the bell."""
        if not self._rung:
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        self._rung = False

    def heard(self) -> bool:
        """Whether it has been rung since the last look, without waiting."""
        rung, self._rung = self._rung, False
        return rung


class Room:
    """One pass with its servers and writers; talks to `PassPlay` and is its host."""

    def __init__(
        self,
        plan: MatchPlan,
        pass_no: int,
        folders: Sequence[Path],
        mode: int,
        send: Send,
        thinkers: Thinkers,
        lag: LagMeter,
        host_clock: HostClock | None = None,
        seat: Callable[..., Seat] = Seat,
    ) -> None:
        self.pass_no = pass_no
        self.faults: list[FaultRecord] = []
        self.changed = asyncio.Event()
        self._plan, self._send = plan, send
        self._thinkers, self._lag = thinkers, lag
        self._clock = HostClock() if host_clock is None else host_clock
        self.play = PassPlay(
            plan,
            pass_no,
            self,
            thinkers=thinkers,
            lag=lag,
            new_id=random_ids(),
            utc=utc_now,
            host_clock=self._clock,
        )
        self._seats = [
            seat(bot, folder, mode, self, tcp=plan.tcp) for bot, folder in enumerate(folders)
        ]
        self._bells = [Bell() for _ in folders]
        self._ends: dict[int, grpc.StatusCode | None] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._to_start = [state.bot for state in self.play.states if state.out is None]
        self.opened = False
        self.began: float | None = None
        self.cpu_then = 0.0
        self.may_begin = False
        """Set when the pass before this one is over."""

    async def open(self) -> None:
        """Listen on every seat's socket."""
        for seat in self._seats:
            await seat.open()
        for bot in range(len(self._seats)):
            self._spawn(self._write(bot))
        self.opened = True

    def start_bots(self) -> None:
        """Ask for as many bots as may start now: a starting bot counts as thinking."""
        ready = []
        while self._may_start():
            bot = self._to_start.pop(0)
            if not self._plan.bots[bot].person:
                self._thinkers.begin((self.pass_no, bot))
            ready.append(bot)
        if ready:
            wanted = {"type": FromReferee.NEED_PASS, "pass": self.pass_no, "bots": ready}
            self._send({**wanted, "env": [self._seats[bot].environment for bot in ready]})

    def _may_start(self) -> bool:
        if not self.opened or not self._to_start or self._clock.held:
            return False
        return self._thinkers.has_room() or self._plan.bots[self._to_start[0]].person

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._reap)

    def _reap(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            # An error of ours must end the match with a traceback, never stall it.
            asyncio.get_running_loop().call_exception_handler(
                {"message": "a task of the referee failed", "exception": error}
            )

    async def _write(self, bot: int) -> None:
        """Write to one bot whenever it is due."""
        bell, seat, play = self._bells[bot], self._seats[bot], self.play
        while True:
            await bell.rung()
            if (news := play.news(bot)) is not None:
                await seat.write(news)
            data = play.compose(bot)
            if data is None:
                continue
            if bot == self._plan.debug_bot:
                self._debug("to", pb.ToBot.FromString(data))
            play.sent(bot, time.monotonic())
            await seat.write(data)

    def pump(self) -> None:
        """After anything happened: wake the writers whose bots are due."""
        if not self.play.begun and self.may_begin and self._all_joined():
            self.began, self.cpu_then = time.monotonic(), time.process_time()
            self.play.begin()
        for bot in self.play.due():
            self._bells[bot].ring()

    def _all_joined(self) -> bool:
        return not self._to_start and self.play.all_joined

    def _happened(self) -> None:
        """Something came in: go on as far as possible, and wake the match when it has work."""
        self.pump()
        if self._to_start or self.play.nearly_over:
            self.changed.set()

    # Called by the seats.

    def message(self, bot: int, data: bytes) -> None:
        """A bot sent bytes; nothing it can send raises here."""
        # Time on the processor: while others have it, the bytes are not what keeps us.
        before = time.thread_time()
        self._message(bot, data)
        self._lag.handled((self.pass_no, bot), len(data), time.thread_time() - before)

    def _message(self, bot: int, data: bytes) -> None:
        now = time.monotonic()
        state = self.play.states[bot]
        try:
            if len(data) > ANSWER_BYTES * state.max_batch:
                raise DecodeError(f"{len(data)} bytes where {ANSWER_BYTES} an ask are allowed")
            parsed = pb.FromBot.FromString(data)
        except DecodeError as error:
            self.play.misbehaved(bot, f"it sent a message that cannot be read: {str(error)[:100]}")
            self._happened()
            return
        if bot == self._plan.debug_bot:
            self._debug("from", parsed)
        kind = parsed.WhichOneof("message")
        if kind == "answers":
            self.play.answered(bot, parsed.answers.answers, now)
        elif kind == "hello":
            self._hello(bot, parsed.hello, now)
        elif kind == "failure":
            self.play.failed(bot, parsed.failure.error)
        else:
            self.play.misbehaved(bot, "it sent a message with nothing in it")
        self._happened()

    def _hello(self, bot: int, hello: pb.Hello, now: float) -> None:
        welcome = self.play.hello(bot, hello, now)
        if welcome is not None:
            self._seats[bot].shut_door()
            self._spawn(self._seats[bot].write(welcome.SerializeToString()))

    def second_call(self, bot: int, method: str) -> None:
        """A bot made a call besides its one."""
        self.play.misbehaved(bot, f"it made a second call, {method[:80]!r}")
        self._happened()

    def ended(self, bot: int, code: grpc.StatusCode | None) -> None:
        """A bot's call is over."""
        self._ends[bot] = code
        self.play.stream_ended(bot, time.monotonic())
        self._happened()

    # Called by the supervisor.

    def started(self, bot: int) -> None:
        """A bot's process runs."""
        self.play.awaited(bot, time.monotonic())

    def gone(self, bot: int, news: dict[str, Any]) -> None:
        """A bot's process has ended, or could not be started."""
        if news["how"] == HowGone.REFUSED:
            fault = BotFault(kind=FaultKind.REFUSED_START, cause=str(news["cause"])[:300])
        else:
            fault = process_end(news["how"], news["code"], news["signal"])
        self.play.lost(bot, fault)
        self._happened()

    def thawed(self, bot: int) -> None:
        """A bot runs again after it was frozen."""
        if self.play.thawed(bot):
            self._bells[bot].ring()

    def host_took(self, report: Report | None) -> None:
        """The host took time, or a break in the asking begins or is over."""
        if report is not None:
            self.play.host_took(report)
        self._happened()

    def tick(self, now: float) -> None:
        """Look at the clocks."""
        for bot in self.play.tick(now):
            self.play.lost(bot, stream_end(self._ends.get(bot)))
        self._happened()

    # Called by the play.

    def game_over(self, record: GameRecord) -> None:
        """Report a finished game."""
        asks = sum(state.asks for state in self.play.states)
        game = to_json(replace(record, replay=""))
        self._send({"type": FromReferee.GAME, "game": game, "asks": asks, "replay": record.replay})

    def fault(self, record: FaultRecord) -> None:
        """Report a fault."""
        self.faults.append(record)
        self._send({"type": FromReferee.FAULT, "fault": to_json(record)})

    def out(self, bot: int, cause: str) -> None:
        """Say Goodbye to a bot that is out, and have its process ended."""
        self._spawn(self._dismiss(bot, pb.Goodbye.OUT, cause))

    def thaw(self, bot: int) -> None:
        """Have a bot thawed."""
        self._send({"type": FromReferee.THAW, "pass": self.pass_no, "bot": bot})

    def freeze(self, bot: int) -> None:
        """Have a bot frozen."""
        self._send({"type": FromReferee.FREEZE, "pass": self.pass_no, "bot": bot})

    def decided(self, decision: Decision, out: FaultKind | None) -> None:
        """Report what was decided, so that another attempt can go on from here."""
        shown = {**decision.to_json(), "out": None if out is None else out.value}
        self._send({"type": FromReferee.DECISION, "decision": shown})

    def watched(self, game_no: int, events: Sequence[Event]) -> None:
        """Report what happened in the watched game."""
        shown = [event_to_json(event) for event in events]
        news = {
            "type": FromReferee.EVENT,
            "pass": self.pass_no,
            "game_no": game_no,
            "events": shown,
        }
        self._send(news)

    def _debug(self, direction: str, message: Any) -> None:
        shown = MessageToDict(message, preserving_proto_field_name=True)
        self._send({"type": FromReferee.DEBUG, "direction": direction, "message": shown})

    async def _dismiss(self, bot: int, reason: pb.Goodbye.Reason, text: str) -> None:
        seat = self._seats[bot]
        farewell = self.play.farewell(bot, reason, text)
        try:
            # A bot that does not read would keep the write waiting for ever.
            async with asyncio.timeout(GOODBYE_S):
                await seat.write(farewell.SerializeToString())
        except TimeoutError:
            pass
        seat.finish()
        self._send({"type": FromReferee.DISMISS, "pass": self.pass_no, "bot": bot})

    async def close(self, reason: pb.Goodbye.Reason, text: str = "") -> None:
        """End the pass: Goodbye to all that are left, then no server and no socket remains."""
        left = [state.bot for state in self.play.states if state.out is None]
        await asyncio.gather(*[self._dismiss(bot, reason, text) for bot in left])
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*[seat.close() for seat in self._seats])
        self.opened = False
        self._send({"type": FromReferee.PASS_OVER, "pass": self.pass_no})
