"""The guard over the engine and its machine: a bot that was late while they failed lost nothing.

Whose time it was is judged in `fair.py`.
"""

from collections.abc import Awaitable, Callable
from dataclasses import asdict

from league.matches.stage import Cause, VoidMatch
from referee.faults import FaultKind
from referee.result import MatchResult
from sandbox.engine import Engine
from sandbox.health import reasons, watch_host
from sandbox.limits import host_limits

OF_TIME = (FaultKind.TIMEOUT, FaultKind.REFUSED_START)


class HostGuard:
    """Watches the engine from outside every bot's cgroup while a match is played."""

    def __init__(self, make_engine: Callable[[], Engine]) -> None:
        self._make_engine = make_engine

    async def watch(self, playing: Awaitable[MatchResult]) -> MatchResult:
        """The result, or VoidMatch with the evidence.

        A failing machine that made no bot late has harmed nobody, and its match counts.
        """
        engine = self._make_engine()
        try:
            async with watch_host(engine) as host:
                result = await playing
                evidence = host.evidence()
        finally:
            engine.close()
        late = any(fault.kind in OF_TIME for bot in result.bots for fault in bot.faults)
        found = reasons(evidence, host_limits())
        if late and found:
            why = f"the host was unfit: {'; '.join(found)}"
            raise VoidMatch(why, asdict(evidence), Cause.HOST)
        return result
