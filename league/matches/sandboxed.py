"""The stage on which a worker plays: a sandbox, and the referee under its supervisor."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any, Protocol

from league.bots import program_of
from league.matches.fair import HostUnfit, Slot, plan_for
from league.matches.host import HostGuard
from league.matches.plan import TableBot
from league.matches.referee_process import NO_SLOT, RefereeCrashed, play_match
from league.matches.referee_start import StartReferee, start_fresh
from league.matches.slots import Slots
from league.matches.stage import Cause, RefereeFailed, VoidMatch
from referee.plan import MatchPlan
from referee.result import MatchResult
from sandbox.api import ImageProgram, PlatformFault, Program, Sandbox
from sandbox.owner import Owner


class Attendants(Protocol):
    """Those who look after the people at a table."""

    def seated(self, sandbox: Sandbox) -> Sandbox:
        """The sandbox for this table, in which people have their seats too."""

    def heard(self, message: dict[str, Any]) -> None:
        """What the referee reports besides the events for spectators."""


class SandboxStage:
    """Plays matches in a sandbox; everything that is started belongs to one owner.

    Each match gets a sandbox object of its own, because matches run in event loops of their own.
    """

    def __init__(
        self,
        make_sandbox: Callable[[], Sandbox],
        owner: Owner,
        guard: HostGuard | None = None,
        referee_uid: int | None = None,
        start: StartReferee = start_fresh,
        slot: Slot = NO_SLOT,
    ) -> None:
        self._make_sandbox = make_sandbox
        self._owner = owner
        self._guard = guard
        self._referee_uid = referee_uid
        self._start = start
        self._slot = slot
        self._attendants: Attendants | None = None
        self.runner = make_sandbox().name

    @contextmanager
    def admitted(
        self, slots: Slots, leaving: Callable[[], bool]
    ) -> Iterator["SandboxStage | None"]:
        """This stage in a slot of the worker, as soon as the host is fit for a match there."""
        with slots.admit(leaving) as slot:
            if slot is None:
                yield None
                return
            yield self.in_slot(slot)

    def in_slot(self, slot: Slot) -> "SandboxStage":
        """This stage in a slot that is the caller's."""
        made = copy(self)
        made._slot = slot
        return made

    def attended(self, attendants: Attendants) -> "SandboxStage":
        """This stage for one table with people."""
        made = copy(self)
        made._attendants = attendants
        # Nothing is rated here: a game that was played to its end is never thrown away.
        made._guard = None
        return made

    async def play(
        self,
        plan: MatchPlan,
        bots: Sequence[TableBot],
        on_event: Callable[[dict[str, Any]], None] | None,
    ) -> MatchResult:
        """Play a match; a failure of engine, host or referee voids it and costs nobody."""
        sandbox = self._make_sandbox()
        if self._attendants is not None:
            sandbox = self._attendants.seated(sandbox)
        programs = [_program(bot) for bot in bots]
        plan = plan_for(self._slot, plan, contained=sandbox.contained)
        try:
            return await self._guarded(plan, sandbox, programs, on_event)
        except HostUnfit as error:
            raise VoidMatch(str(error), error.evidence, Cause.HOST) from error
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
    ) -> MatchResult:
        playing = play_match(
            plan,
            sandbox,
            programs,
            on_event,
            on_report=None if self._attendants is None else self._attendants.heard,
            owner=self._owner,
            slot=self._slot,
            referee_uid=self._referee_uid,
            start=self._start,
        )
        return await playing if self._guard is None else await self._guard.watch(playing)


def _program(bot: TableBot) -> Program:
    if bot.image is not None:
        return ImageProgram(image=bot.image)
    if bot.program is None:
        raise VoidMatch(f"{bot.name} version {bot.version} has neither image nor program")
    return program_of(bot.program)
