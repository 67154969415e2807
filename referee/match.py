"""One match: its passes in turn, the heart that beats for their clocks, and the result.

What happens inside a pass is decided in its room (`room.py`).
"""

import asyncio
import contextlib
import resource
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from referee.clock import BEAT_S, LagMeter, Thinkers
from referee.host import HostClock
from referee.lines import FromReferee, FromSupervisor
from referee.plan import MatchPlan
from referee.records import to_json
from referee.result import BotRecord
from referee.room import Room, Send
from wire.v1 import bot_pb2 as pb

ASKED_S = 0.5
"""How often the supervisor hears how far the match is; a first game may take many minutes."""


def peak_memory() -> int:
    """The most memory this process has had, in bytes."""
    # The usual counter also remembers the process that this one was forked from.
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


class MatchReferee:
    """Plays the passes of a match in turn, each made ready while the last one plays.

    Where the plan freezes bots (rated play in containers) a pass is made ready after the last one.
    """

    def __init__(
        self, plan: MatchPlan, folders: Sequence[Sequence[Path]], mode: int, send: Send
    ) -> None:
        self._plan = plan
        self._send = send
        self._lag = LagMeter(time.monotonic())
        self._clock = HostClock()
        thinkers = Thinkers(plan.thinkers)
        self._rooms = [
            Room(plan, number, folders[number], mode, send, thinkers, self._lag, self._clock)
            for number in range(len(plan.passes))
        ]
        self._began = time.monotonic()
        self._lagged = 0.0
        self._stopped = False
        self._played = 0.0
        self._cpu = 0.0

    def receive(self, message: dict[str, Any]) -> None:
        """One message of the supervisor."""
        if message["type"] == FromSupervisor.STOP:
            self._stopped = True
            for room in self._rooms:
                room.changed.set()
            return
        if message["type"] == FromSupervisor.HOST:
            self._host(message)
            return
        room = self._rooms[message["pass"]]
        match message["type"]:
            case FromSupervisor.READY:
                room.started(message["bot"])
            case FromSupervisor.GONE:
                room.gone(message["bot"], message)
            case FromSupervisor.THAWED:
                room.thawed(message["bot"])
            case other:
                raise ValueError(f"the supervisor sent a message of unknown type {other!r:.40}")

    def _host(self, message: dict[str, Any]) -> None:
        """The supervisor reports what the host did, and whether bots may be asked meanwhile."""
        now, clock = time.monotonic(), self._clock
        taken_s = message["foreign_ms"] / 1000.0
        report = clock.report(now, message["from"], message["to"], taken_s)
        if message["hold"] != clock.held:
            self._send({"type": FromReferee.HOLD, "on": message["hold"]})
        if message["hold"]:
            clock.hold(now)
        else:
            clock.resume(now)
        for room in self._rooms:
            if room.opened and not room.play.over:
                room.host_took(report)

    async def run(self) -> None:
        """Play everything, and report the result."""
        beating = asyncio.get_running_loop().create_task(self._beat())
        try:
            for number, room in enumerate(self._rooms):
                following = self._rooms[number + 1] if number + 1 < len(self._rooms) else None
                await self._play(room, following)
                if self._stopped:
                    await self._stop()
                    break
        finally:
            beating.cancel()
        self._send({"type": FromReferee.RESULT, "result": self._result()})

    async def _play(self, room: Room, following: Room | None) -> None:
        if not room.opened:
            await room.open()
        room.may_begin = True
        while not room.play.over and not self._stopped:
            room.start_bots()
            room.pump()
            # Where waiting bots are frozen, the next pass starts when nothing is left of this one.
            if following is not None and not self._plan.freeze and room.play.nearly_over:
                if not following.opened:
                    await following.open()
                following.start_bots()
            await room.changed.wait()
            room.changed.clear()
        if room.began is not None:
            self._played += time.monotonic() - room.began
            self._cpu += time.process_time() - room.cpu_then
        if not self._stopped:
            await room.close(pb.Goodbye.PASS_OVER)

    async def _stop(self) -> None:
        """End every pass that is not over; what was played counts."""
        for room in self._rooms:
            if room.opened:
                await room.close(pb.Goodbye.STOPPED)

    async def _beat(self) -> None:
        """The heart: measures the lag of this loop and looks at all clocks."""
        told_at, told = self._began, 0
        while True:
            await asyncio.sleep(BEAT_S)
            now = time.monotonic()
            if now - told_at >= ASKED_S:
                told_at, told = now, self._tell_asked(told)
            late = self._lag.beat(now)
            if late:
                self._lagged += late
                self._send({"type": FromReferee.LAG, "ms": round(late * 1000, 1)})
            for room in self._rooms:
                if room.opened and not room.play.over:
                    room.tick(now)

    def _tell_asked(self, told: int) -> int:
        """Say how many asks there were, if more than last time."""
        asks = sum(state.asks for room in self._rooms for state in room.play.states)
        if asks > told:
            self._send({"type": FromReferee.ASKED, "asks": asks})
        return asks

    def _result(self) -> dict[str, Any]:
        bots = [self._bot(bot) for bot in range(len(self._plan.bots))]
        return {
            "bots": [to_json(bot) for bot in bots],
            "complete": all(room.play.over for room in self._rooms),
            "decisions": sum(bot.asks for bot in bots),
            "wall_s": round(time.monotonic() - self._began, 3),
            "lag_ms": round(self._lagged * 1000, 1),
            "given_ms": round(self._clock.given_s * 1000, 1),
            "held_s": round(self._clock.held_s, 3),
            "play_s": round(self._played, 3),
            "referee_cpu_s": round(self._cpu, 3),
            "referee_memory": peak_memory(),
        }

    def _bot(self, bot: int) -> BotRecord:
        states = [room.play.states[bot] for room in self._rooms]
        times = sorted([ms for state in states for ms in state.times_ms])
        return BotRecord(
            asks=sum(state.asks for state in states),
            timeouts=sum(state.timeouts for state in states),
            median_ms=times[len(times) // 2] if times else None,
            worst_ms=times[-1] if times else None,
            think_s=round(sum(state.think_s for state in states), 4),
            faults=tuple([f for room in self._rooms for f in room.faults if f.bot == bot]),
            received=sum(self._lag.received[room.pass_no, bot] for room in self._rooms),
        )
