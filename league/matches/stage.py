"""What a worker asks of the stage on which it plays, and how a stage says that it failed."""

import errno
from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from typing import Any, Protocol

import store
from league.matches.plan import TableBot
from referee.plan import MatchPlan
from referee.result import MatchResult

NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
"""How the system says that a disk, or our share of it, is full."""

OnEvent = Callable[[dict[str, Any]], None]
"""Gets what anybody may see of a match while it is played."""


class Cause(StrEnum):
    """Why an attempt came to nothing, in the few words that are counted."""

    FILES = "files"
    """The replay could not be handed over."""
    DISK = "disk"
    """There was no room for it, or for what a match needs while it is played."""
    DATABASE = "database"
    """The result could not be stored."""
    PLATFORM = "platform"
    """The engine or the sandbox failed."""
    HOST = "host"
    """The machine was too busy to be fair."""
    REFEREE = "referee"
    """The referee crashed."""
    STALLED = "stalled"
    """No game ended for too long."""
    STOPPED = "stopped"
    """The worker was told to stop, or had lost its lease."""
    BUG = "bug"
    """Anything else is a bug of ours."""

    @property
    def is_the_workers(self) -> bool:
        """Whether it says nothing about the match, and so never brings it nearer to stuck."""
        return self in (Cause.FILES, Cause.DISK, Cause.DATABASE, Cause.HOST, Cause.STOPPED)

    @property
    def asks_the_worker(self) -> bool:
        """Whether the worker has to show that it is fit before the match is charged."""
        return self in (Cause.FILES, Cause.DISK, Cause.DATABASE, Cause.PLATFORM, Cause.BUG)


class VoidMatch(Exception):
    """The platform failed: the attempt is void and costs nobody anything."""

    def __init__(
        self,
        reason: str,
        evidence: store.JsonDict | None = None,
        cause: Cause = Cause.PLATFORM,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.evidence = evidence
        self.cause = cause


class RefereeFailed(VoidMatch):
    """The referee crashed: a bug of ours, which something that a bot sent may have found."""

    REASON = store.attempts.REFEREE_CRASHED

    def __init__(self, traceback: str) -> None:
        super().__init__(self.REASON, {"traceback": traceback}, Cause.REFEREE)


class Stage(Protocol):
    """Where matches are played; `league.wiring` makes it out of sandbox and referee."""

    @property
    def runner(self) -> str:
        """What replays and pages call the sandbox."""

    def play(
        self,
        plan: MatchPlan,
        bots: Sequence[TableBot],
        on_event: OnEvent | None,
    ) -> Awaitable[MatchResult]:
        """Play a match. Raises VoidMatch when the platform, not a bot, failed."""
