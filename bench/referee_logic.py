"""The referee's own logic for a decision: the real room, bytes in and bytes out, without gRPC.

Bots are functions here, and their time is not counted. What remains is parsing, clocks, rules,
replays, encoding and the tasks of the room; what `bench.referee` shows beyond it is gRPC, its
threads and the kernel.
"""

import asyncio
import time
from pathlib import Path

from referee.clock import LagMeter, Thinkers
from referee.plan import MatchPlan
from referee.room import Room
from referee.seat import Seat
from wire.v1 import bot_pb2 as pb

Outbox = list[tuple[int, bytes]]


class LoopbackSeat(Seat):
    """A seat whose messages go to a list instead of a socket."""

    outbox: Outbox

    async def open(self) -> None:
        """Nothing listens."""

    async def write(self, data: bytes) -> None:
        """Keep a message for its bot."""
        self.outbox.append((self.bot, data))


def lowest(data: bytes) -> bytes | None:
    """What a bot answers that takes the first choice of each ask; None where it is not asked."""
    answers = [
        pb.Answer(ask_id=ask.ask_id, card=ask.legal[0])
        if ask.kind == pb.CARD
        else pb.Answer(ask_id=ask.ask_id, row=ask.legal[0])
        for ask in pb.ToBot.FromString(data).asks.asks
    ]
    return pb.FromBot(answers=pb.Answers(answers=answers)).SerializeToString() if answers else None


async def play(plan: MatchPlan) -> float:
    """CPU seconds of our own for one decision of a match of 6 nimmt!."""
    outbox = LoopbackSeat.outbox = []
    bots = range(len(plan.bots))
    folders = [Path()] * len(bots)
    lag = LagMeter(time.monotonic())
    thinkers = Thinkers(None)
    room = Room(plan, 0, folders, 0o600, lambda _: None, thinkers, lag, seat=LoopbackSeat)
    await room.open()
    room.start_bots()
    room.may_begin = True
    hello = pb.FromBot(hello=pb.Hello(max_batch=64)).SerializeToString()
    began, not_ours = time.thread_time(), 0.0
    for bot in bots:
        room.started(bot)
        room.message(bot, hello)
    while not room.play.over:
        # One turn of the loop for the tasks that write, as the library's own turns would be.
        await asyncio.sleep(0)
        lag.beat(time.monotonic())
        before = time.thread_time()
        answers = [(bot, answer) for bot, data in outbox if (answer := lowest(data))]
        outbox.clear()
        not_ours += time.thread_time() - before
        for bot, answer in answers:
            room.message(bot, answer)
            await asyncio.sleep(0)
    spent = time.thread_time() - began - not_ours
    decisions = sum(state.asks for state in room.play.states)
    await room.close(pb.Goodbye.PASS_OVER)
    return spent / decisions


async def measure(plan: MatchPlan, times: int = 7) -> float:
    """The middle of several runs: neighbours slow some of them."""
    return sorted([await play(plan) for _ in range(times)])[times // 2]
