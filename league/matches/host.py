"""The guard over a fair host: when the machine was unfit and a bot ran out of time, nobody lost."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict

from league.matches.stage import Cause, VoidMatch
from referee.faults import FaultKind
from referee.result import MatchResult
from sandbox.engine import Engine
from sandbox.health import reasons, watch_host
from sandbox.limits import host_limits


class HostGuard:
    """Watches the host from outside every bot's cgroup while a match is played."""

    def __init__(self, make_engine: Callable[[], Engine]) -> None:
        self._make_engine = make_engine

    async def watch(self, playing: Awaitable[MatchResult], cores: tuple[int, ...]) -> MatchResult:
        """The result, or VoidMatch with the evidence.

        A busy machine that made no bot late has harmed nobody, and its match counts.
        """
        engine = self._make_engine()
        try:
            async with watch_host(engine, cores or None) as host:
                result = await playing
                evidence = host.evidence()
        finally:
            engine.close()
        late = any(f.kind is FaultKind.TIMEOUT for bot in result.bots for f in bot.faults)
        found = reasons(evidence, host_limits())
        if late and found:
            raise VoidMatch(f"the host was unfit: {'; '.join(found)}", asdict(evidence), Cause.HOST)
        return result
