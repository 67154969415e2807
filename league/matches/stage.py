"""What a worker asks of the stage on which it plays, and how a stage says that it failed."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

import store
from league.matches.plan import TableBot
from referee.plan import MatchPlan
from referee.result import MatchResult

OnEvent = Callable[[dict[str, Any]], None]
"""Gets what anybody may see of a match while it is played."""


class VoidMatch(Exception):
    """The platform failed: the attempt is void and costs nobody anything."""

    def __init__(
        self, reason: str, evidence: store.JsonDict | None = None, *, charged: bool = True
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.evidence = evidence
        self.charged = charged
        """Whether it brings the match nearer to stuck; an unfit host says nothing of a match."""


class RefereeFailed(VoidMatch):
    """The referee crashed: a bug of ours, which something that a bot sent may have found."""

    REASON = "the referee crashed"

    def __init__(self, traceback: str) -> None:
        super().__init__(self.REASON, {"traceback": traceback})


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
