"""Supervises one match: starts the referee process and, through a sandbox, the bots it asks for.

The referee holds the sockets and parses hostile bytes; this side holds the sandbox. They talk in
JSON lines. Whatever ends this block, no bot, no referee and no socket is left behind.
"""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from league.matches.bot_process import Report, SupervisedBot, with_usage
from league.matches.fair import REPORT_S, FairMatch, Slot
from league.matches.referee_start import RefereeChild, StartReferee, start_fresh
from referee.lines import FromReferee, FromSupervisor, ToWatchers
from referee.plan import MatchPlan
from referee.records import from_json, to_json
from referee.result import BotRecord, GameRecord, MatchResult
from sandbox.api import Limits, Program, Sandbox
from sandbox.limits import bot_limits
from sandbox.owner import Owner

END_S = 5.0
"""How long the referee may take to end after its result."""

NO_SLOT = Slot()
"""Anywhere on this machine, with nobody watching."""


class RefereeCrashed(Exception):
    """The referee process ended without a result: a bug of ours, whatever a bot has sent."""


async def play_match(
    plan: MatchPlan,
    sandbox: Sandbox,
    programs: Sequence[Program],
    on_event: Report | None = None,
    *,
    on_report: Report | None = None,
    owner: Owner | None = None,
    limits: Limits | None = None,
    slot: Slot = NO_SLOT,
    stop: asyncio.Event | None = None,
    referee_uid: int | None = None,
    start: StartReferee = start_fresh,
) -> MatchResult:
    """Play a match with these programs, one for each bot of the plan, in its slot of the machine.

    `on_event` gets what anybody may see (types `event`, `progress` and `hold`), `on_report` all
    else that the referee says (`game`, `fault`, `lag`, `asked`, `debug`), and `unfit` after a fault
    that is the host's. When `stop` is set the match ends early and what was played is returned.
    Raises `PlatformFault` (`HostUnfit` is one), or `RefereeCrashed` for a bug of ours.
    """
    plan.check()
    own = Owner() if owner is None else owner
    match = _Match(plan, sandbox, programs, own, limits or bot_limits(), slot, referee_uid)
    match.on_event, match.on_report = on_event, on_report
    try:
        return await match.play(start, stop)
    finally:
        if owner is None:
            own.close()


class _Match:
    """The life of one attempt."""

    def __init__(
        self,
        plan: MatchPlan,
        sandbox: Sandbox,
        programs: Sequence[Program],
        owner: Owner,
        limits: Limits,
        slot: Slot,
        referee_uid: int | None,
    ) -> None:
        if len(programs) != len(plan.bots):
            raise ValueError(f"{len(programs)} programs for {len(plan.bots)} bots")
        self._plan = plan
        self._sandbox = slot.watched(sandbox)
        self._programs = programs
        self._owner = owner
        self._limits = limits
        self._slot = slot
        self._fair = FairMatch(slot)
        self._uid = referee_uid
        self.on_event: Report | None = None
        self.on_report: Report | None = None
        self._bots: dict[tuple[int, int], SupervisedBot] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._by_pass: list[tuple[int, asyncio.Task[None]]] = []
        self._failure: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._games: list[GameRecord] = []
        self._asks: dict[int, int] = {}
        self._total = sum(len(games) for games in plan.passes)
        self._folders: list[list[Path]] = []
        self._child: RefereeChild

    async def play(self, start: StartReferee, stop: asyncio.Event | None) -> MatchResult:
        """Run the referee and everything it asks for."""
        players = range(len(self._plan.bots))
        try:
            self._folders = [
                [self._owner.new_socket_dir(self._uid) for _ in players] for _ in self._plan.passes
            ]
            self._child = await start(self._uid)
            self._slot.take_in_referee(self._child.pid)
            result = await self._talk(stop)
            # The bots' logs and times are complete when their blocks have ended.
            await asyncio.gather(*self._tasks)
            return self._collect(result)
        finally:
            await self._clean_up()

    def _send(self, message: dict[str, Any]) -> None:
        if not self._child.stdin.is_closing():
            self._child.stdin.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    async def _talk(self, stop: asyncio.Event | None) -> dict[str, Any]:
        """Serve the referee until it has a result, one of our parts fails, or it dies."""
        folders = [[str(folder) for folder in by_bot] for by_bot in self._folders]
        # Contained bots have uids of their own, and only theirs is mounted where they can see it.
        mode = 0o666 if self._sandbox.contained else 0o600
        self._send({"plan": to_json(self._plan), "folders": folders, "mode": mode})
        errors = asyncio.ensure_future(self._child.stderr.read())
        reading = asyncio.ensure_future(self._read())
        stopping = asyncio.ensure_future(self._watch_stop(stop))
        telling = asyncio.ensure_future(self._tell_of_host())
        try:
            await asyncio.wait((reading, self._failure), return_when=asyncio.FIRST_COMPLETED)
            if self._failure.done():
                self._failure.result()
            result = reading.result()
            if result is None:
                text = (await errors).decode(errors="backslashreplace")
                code = await self._child.wait()
                raise RefereeCrashed(f"the referee ended with code {code}:\n{text[-8000:]}")
            return result
        finally:
            tasks = (errors, reading, stopping, telling)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _tell_of_host(self) -> None:
        """Keep the referee informed; end the match when the host stays unfit for too long."""
        try:
            while self._slot.is_measured:
                self._send(self._fair.news())
                await asyncio.sleep(REPORT_S)
        except Exception as error:
            self._fail(error)

    async def _watch_stop(self, stop: asyncio.Event | None) -> None:
        if stop is not None:
            await stop.wait()
            self._send({"type": FromSupervisor.STOP})

    async def _read(self) -> dict[str, Any] | None:
        while line := await self._child.stdout.readline():
            message = json.loads(line)
            if message["type"] == FromReferee.GAME:
                replay = await self._child.stdout.readline()
                if not replay.endswith(b"\n"):
                    return None  # It died while it said so; the game counts for nothing.
                message["game"]["replay"] = replay.decode().rstrip("\n")
            if message["type"] == FromReferee.RESULT:
                result: dict[str, Any] = message["result"]
                return result
            self._handle(message)
        return None

    def _handle(self, message: dict[str, Any]) -> None:
        match message["type"]:
            case FromReferee.NEED_PASS:
                for bot, env in zip(message["bots"], message["env"], strict=True):
                    self._start_bot(message["pass"], bot, env)
            case FromReferee.DISMISS:
                # A match that is stopped at once says Goodbye to bots that were never started.
                if (dismissed := self._bots.get((message["pass"], message["bot"]))) is not None:
                    dismissed.dismissed.set()
            case FromReferee.PASS_OVER:
                for (pass_no, _), bot in self._bots.items():
                    if pass_no == message["pass"]:
                        bot.dismissed.set()
            case FromReferee.FREEZE | FromReferee.THAW:
                self._bots[message["pass"], message["bot"]].orders.put_nowait(message["type"])
            case FromReferee.GAME:
                self._game(message)
            case FromReferee.EVENT | FromReferee.HOLD:
                if self.on_event is not None:
                    self.on_event(message)
            case FromReferee.FAULT:
                self._fault(message)
            case _:
                if self.on_report is not None:
                    self.on_report(message)

    def _fault(self, message: dict[str, Any]) -> None:
        excuse = self._fair.excuse(message["fault"])
        if self.on_report is not None:
            self.on_report(message)
            if excuse is not None:
                bot = message["fault"]["bot"]
                self.on_report({"type": ToWatchers.UNFIT, "bot": bot, "reason": excuse})

    def _game(self, message: dict[str, Any]) -> None:
        record = from_json(GameRecord, message["game"])
        self._games.append(record)
        self._asks[record.pass_no] = message["asks"]
        if self.on_report is not None:
            self.on_report({"type": FromReferee.GAME, "game": record})
        if self.on_event is not None:
            done, decisions = len(self._games), sum(self._asks.values())
            progress = {"type": ToWatchers.PROGRESS, "games": done, "of": self._total}
            self.on_event({**progress, "decisions": decisions})

    def _start_bot(self, pass_no: int, bot: int, env: dict[str, str]) -> None:
        supervised = SupervisedBot(pass_no, bot, self._send, self.on_report)
        self._bots[pass_no, bot] = supervised
        started = self._sandbox.run(
            self._programs[bot],
            self._limits,
            self._folders[pass_no][bot],
            labels={"bullring.match": self._plan.match, "bullring.bot": str(bot)},
            cores=self._slot.cores or None,
            env=env,
        )
        # A bot that knew its own last pass would know its opponents' cards: in rated play none of
        # that pass is left when the next one starts.
        earlier = [t for n, t in self._by_pass if n < pass_no] if self._plan.freeze else []
        run = partial(supervised.run, started)
        task = asyncio.get_running_loop().create_task(_after(earlier, run))
        self._by_pass.append((pass_no, task))
        self._tasks.add(task)
        task.add_done_callback(self._bot_task_done)

    def _bot_task_done(self, task: "asyncio.Task[None]") -> None:
        if not task.cancelled() and (error := task.exception()):
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        if not self._failure.done():
            self._failure.set_exception(error)

    def _collect(self, result: dict[str, Any]) -> MatchResult:
        bots = [from_json(BotRecord, bot) for bot in result["bots"]]
        games = sorted(self._games, key=lambda game: (game.pass_no, game.game_no))
        return MatchResult(
            games=tuple(games),
            bots=tuple([with_usage(bot, self._lives(index)) for index, bot in enumerate(bots)]),
            complete=result["complete"],
            decisions=result["decisions"],
            wall_s=result["wall_s"],
            lag_ms=result["lag_ms"],
            given_ms=result["given_ms"],
            held_s=result["held_s"],
            not_measured=self._fair.not_measured(),
            play_s=result["play_s"],
            referee_cpu_s=result["referee_cpu_s"],
            referee_memory=result["referee_memory"],
        )

    def _lives(self, bot: int) -> list[SupervisedBot]:
        return [one for one in self._bots.values() if one.bot == bot]

    async def _clean_up(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._failure.done():
            # Seen or not: an unread exception would be reported as lost.
            self._failure.exception()
        child = getattr(self, "_child", None)
        if child is not None:
            await _end_referee(child)
        for by_bot in self._folders:
            for folder in by_bot:
                self._owner.remove_socket_dir(folder)


async def _after(
    earlier: Sequence[asyncio.Task[None]], work: Callable[[], Awaitable[None]]
) -> None:
    """Begin `work` when all of the earlier tasks have ended, however they did."""
    if earlier:
        await asyncio.wait(earlier)
    await work()


async def _end_referee(child: RefereeChild) -> None:
    """The end of its stdin ends the referee; if it does not, we do."""
    with contextlib.suppress(ConnectionError):
        child.stdin.close()
    try:
        async with asyncio.timeout(END_S):
            await child.wait()
    except (TimeoutError, asyncio.CancelledError):
        with contextlib.suppress(ProcessLookupError):
            child.kill()
        await child.wait()
    finally:
        child.let_go()
