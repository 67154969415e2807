"""The stage on which a worker plays: a sandbox, and the referee under its supervisor."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from league.bots import program_of
from league.matches.cores import CorePool
from league.matches.host import HostGuard
from league.matches.plan import TableBot
from league.matches.referee_process import RefereeCrashed, play_match
from league.matches.referee_start import StartReferee, start_fresh
from league.matches.stage import RefereeFailed, VoidMatch
from referee.plan import MatchPlan
from referee.result import MatchResult
from sandbox.api import ImageProgram, PlatformFault, Program, Sandbox
from sandbox.owner import Owner


class SandboxStage:
    """Plays matches in a sandbox; everything that is started belongs to one owner.

    Each match gets a sandbox object of its own, because matches run in event loops of their own.
    """

    def __init__(
        self,
        make_sandbox: Callable[[], Sandbox],
        owner: Owner,
        cores: CorePool,
        guard: HostGuard | None = None,
        referee_uid: int | None = None,
        start: StartReferee = start_fresh,
    ) -> None:
        self._make_sandbox = make_sandbox
        self._owner = owner
        self._cores = cores
        self._guard = guard
        self._referee_uid = referee_uid
        self._start = start
        self.runner = make_sandbox().name

    async def play(
        self,
        plan: MatchPlan,
        bots: Sequence[TableBot],
        on_event: Callable[[dict[str, Any]], None] | None,
    ) -> MatchResult:
        """Play a match; a failure of engine, host or referee voids it and costs nobody."""
        sandbox = self._make_sandbox()
        programs = [_program(bot) for bot in bots]
        with self._cores.share() as cores:
            if sandbox.contained:
                # Rated play among strangers: no more bots think than the slot has cores, and
                # those that wait are frozen, so that nobody thinks on another's time.
                plan = replace(plan, thinkers=max(1, len(cores)), freeze=True)
            try:
                return await self._guarded(plan, sandbox, programs, on_event, cores)
            except PlatformFault as error:
                raise VoidMatch(f"platform fault: {error}") from error
            except RefereeCrashed as error:
                raise RefereeFailed(str(error)[-4000:]) from error

    async def _guarded(
        self,
        plan: MatchPlan,
        sandbox: Sandbox,
        programs: Sequence[Program],
        on_event: Callable[[dict[str, Any]], None] | None,
        cores: tuple[int, ...],
    ) -> MatchResult:
        playing = play_match(
            plan,
            sandbox,
            programs,
            on_event,
            owner=self._owner,
            cores=cores or None,
            referee_uid=self._referee_uid,
            start=self._start,
        )
        if self._guard is None:
            return await playing
        return await self._guard.watch(playing, cores)


def _program(bot: TableBot) -> Program:
    if bot.image is not None:
        return ImageProgram(image=bot.image)
    if bot.program is None:
        raise VoidMatch(f"{bot.name} version {bot.version} has neither image nor program")
    return program_of(bot.program)
