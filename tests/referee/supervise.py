"""The least that can supervise a referee process: it starts the bots, and tells of the host."""

import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from referee.plan import MatchPlan
from referee.records import from_json, to_json
from referee.result import FaultRecord
from sandbox.api import Program, Sandbox
from sandbox.limits import bot_limits
from sandbox.watched import HostReporter

ROOT = Path(__file__).resolve().parents[2]
EVERY_S = 0.2


class Supervised:
    """One match: what the referee said, and how it ended."""

    def __init__(
        self,
        plan: MatchPlan,
        sandbox: Sandbox,
        programs: Sequence[Program],
        folder: Path,
        reporter: HostReporter,
        cores: Sequence[int] | None = None,
    ) -> None:
        self.faults: list[FaultRecord] = []
        self.holds: list[bool] = []
        self.on_hold: Callable[[], None] | None = None
        self.on_start: Callable[[int], None] | None = None
        """Gets the process of the referee."""
        self.mode = 0o600
        """Of the sockets; bots in containers have accounts of their own."""
        self.games = 0
        self._plan, self._sandbox, self._programs = plan, sandbox, programs
        self._folders = [folder / str(bot) for bot in range(len(programs))]
        self._reporter = reporter
        self._cores = cores
        self._bots: set[asyncio.Task[None]] = set()
        self._child: asyncio.subprocess.Process

    async def play(self) -> dict[str, Any]:
        """The result, as the referee tells it."""
        for folder in self._folders:
            folder.mkdir()
        pipe = asyncio.subprocess.PIPE
        self._child = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "referee", stdin=pipe, stdout=pipe, cwd=ROOT, limit=1 << 26
        )
        if self.on_start is not None:
            self.on_start(self._child.pid)
        folders = [[str(folder) for folder in self._folders]]
        self._tell({"plan": to_json(self._plan), "folders": folders, "mode": self.mode})
        reporting = asyncio.ensure_future(self._report())
        try:
            return await self._listen()
        finally:
            for task in (reporting, *self._bots):
                task.cancel()
            await asyncio.gather(reporting, *self._bots, return_exceptions=True)
            if self._child.returncode is None:
                self._child.kill()
            await self._child.wait()

    def _tell(self, message: dict[str, Any]) -> None:
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps(message).encode() + b"\n")

    async def _report(self) -> None:
        while True:
            told = self._reporter.report()
            times = {"from": told.began, "to": told.ended, "foreign_ms": told.foreign_ms}
            self._tell({"type": "host", **times, "hold": not told.verdict.fit})
            await asyncio.sleep(EVERY_S)

    async def _listen(self) -> dict[str, Any]:
        assert self._child.stdout is not None
        while True:
            message: dict[str, Any] = json.loads(await self._child.stdout.readline())
            match message["type"]:
                case "need_pass":
                    for bot in message["bots"]:
                        self._bots.add(asyncio.ensure_future(self._run(bot)))
                case "game":
                    await self._child.stdout.readline()
                    self.games += 1
                case "fault":
                    self.faults.append(from_json(FaultRecord, message["fault"]))
                case "hold":
                    self.holds.append(message["on"])
                    if self.on_hold is not None:
                        self.on_hold()
                case "result":
                    result: dict[str, Any] = message["result"]
                    return result

    async def _run(self, bot: int) -> None:
        folder, where = self._folders[bot], {"pass": 0, "bot": bot}
        block = self._sandbox.run(self._programs[bot], bot_limits(), folder, cores=self._cores)
        async with block as running:
            self._tell({"type": "ready", **where})
            end = await running.wait()
            news = {"how": end.how.value, "code": end.code, "signal": end.signal}
            self._tell({"type": "gone", **where, **news})
