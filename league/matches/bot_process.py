"""One bot of one pass, from its start in a sandbox to its end, and what it leaves behind."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any

from referee.lines import FromReferee, FromSupervisor, HowGone, ToWatchers
from referee.result import BotRecord
from sandbox.api import RunningBot, StartRefused

GOODBYE_S = 1.0
"""How long a bot may take to leave by itself after Goodbye."""

LOG_BYTES = 65536

Report = Callable[[dict[str, Any]], None]


class SupervisedBot:
    """Tells the referee what becomes of the bot, and does to it what the referee asks for."""

    def __init__(self, pass_no: int, bot: int, send: Report, on_report: Report | None) -> None:
        self.pass_no = pass_no
        self.bot = bot
        self.dismissed = asyncio.Event()
        self.orders: asyncio.Queue[str] = asyncio.Queue()
        self.cpu_s: float | None = None
        self.memory_peak: int | None = None
        self.log = b""
        self._where = {"pass": pass_no, "bot": bot}
        self._send = send
        self._on_report = on_report

    async def run(self, started: AbstractAsyncContextManager[RunningBot]) -> None:
        """Start it, stay with it until it is gone, and keep what it used and wrote."""
        try:
            async with started as running:
                self._send({"type": FromSupervisor.READY, **self._where})
                await self._accompany(running)
            usage = await running.usage()
            self.cpu_s, self.memory_peak = usage.cpu_s, usage.memory_peak
            self.log = running.log_tail()
        except StartRefused as error:
            news = {"how": HowGone.REFUSED, "cause": str(error)}
            self._send({"type": FromSupervisor.GONE, **self._where, **news})

    async def _accompany(self, running: RunningBot) -> None:
        """Until the bot ends by itself, or is dismissed and has had time to leave."""
        ended = asyncio.ensure_future(running.wait())
        dismissed = asyncio.ensure_future(self.dismissed.wait())
        ordering = asyncio.ensure_future(self._carry_out(running))
        try:
            await asyncio.wait((ended, dismissed, ordering), return_when=asyncio.FIRST_COMPLETED)
            if ordering.done():
                ordering.result()
            if ended.done():
                end = ended.result()
                news = {"how": HowGone(end.how), "code": end.code, "signal": end.signal}
                self._send({"type": FromSupervisor.GONE, **self._where, **news})
            else:
                await running.thaw()
                await asyncio.wait((ended,), timeout=GOODBYE_S)
                if self._on_report is not None:
                    self._on_report(
                        {"type": ToWatchers.LEFT, **self._where, "by_itself": ended.done()}
                    )
        finally:
            for task in (ended, dismissed, ordering):
                task.cancel()
            await asyncio.gather(ended, dismissed, ordering, return_exceptions=True)

    async def _carry_out(self, running: RunningBot) -> None:
        """Freeze and thaw in the order in which the referee asked for it."""
        while True:
            if await self.orders.get() == FromReferee.FREEZE:
                await running.freeze()
            else:
                await running.thaw()
                self._send({"type": FromSupervisor.THAWED, **self._where})


def with_usage(record: BotRecord, lives: Sequence[SupervisedBot]) -> BotRecord:
    """What the referee says of a bot, with what its processes used and wrote in all passes."""
    cpu = [bot.cpu_s for bot in lives if bot.cpu_s is not None]
    peaks = [bot.memory_peak for bot in lives if bot.memory_peak is not None]
    return replace(
        record,
        cpu_s=round(sum(cpu), 4) if cpu else None,
        memory_peak=max(peaks, default=None),
        log=printable(b"".join(bot.log for bot in lives)[-LOG_BYTES:]),
    )


def printable(log: bytes) -> str:
    """A bot's output as text without control characters; line ends and tabs stay.

    >>> printable(b"a\\tb\\n\\x1b[31mred\\xff")
    'a\\tb\\n\\\\x1b[31mred\\\\xff'
    """
    text = log.decode("utf-8", "backslashreplace")
    return "".join(
        [c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text]
    )
