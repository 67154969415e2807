"""The guard over the engine: a bot that was late while it was silent lost nothing.

Whose time it was on the cores is judged in `fair.py`.
"""

from collections.abc import Awaitable, Callable, Sequence

from league.matches.stage import Cause, VoidMatch
from referee.faults import FaultKind
from referee.result import FaultRecord, MatchResult
from sandbox.engine import Engine
from sandbox.health import Span, overlaps, watch_host
from sandbox.limits import host_limits

OF_TIME = (FaultKind.TIMEOUT, FaultKind.REFUSED_START)


class HostGuard:
    """Watches the engine from outside every bot's cgroup while a match is played."""

    def __init__(self, make_engine: Callable[[], Engine]) -> None:
        self._make_engine = make_engine

    async def watch(self, playing: Awaitable[MatchResult]) -> MatchResult:
        """The result, or VoidMatch with the evidence.

        Only a silence in the very time that was too long excuses a bot: one before or after it
        took nothing from the bot, and would be a way to be late on purpose and pay nothing.
        """
        engine = self._make_engine()
        try:
            async with watch_host(engine, host_limits()) as host:
                result = await playing
                silences = host.silences()
        finally:
            engine.close()
        for fault in (fault for bot in result.bots for fault in bot.faults):
            silence = silence_during(fault, silences)
            if silence is not None:
                raise _void(fault, silence)
        return result


def silence_during(fault: FaultRecord, silences: Sequence[Span]) -> Span | None:
    """The silence that excuses a fault; None: it is not one of time, or the engine answered."""
    if fault.kind not in OF_TIME or fault.began is None or fault.ended is None:
        return None
    span = (fault.began, fault.ended)
    return next((silence for silence in silences if overlaps(span, silence)), None)


def _void(fault: FaultRecord, silence: Span) -> VoidMatch:
    assert fault.began is not None
    assert fault.ended is not None
    silent = silence[1] - silence[0]
    evidence = {
        "engine_silence": round(silent, 1),
        "fault": fault.kind,
        "fault_seconds": round(fault.ended - fault.began, 3),
        "silent_from_s": round(silence[0] - fault.began, 3),
        "silent_to_s": round(silence[1] - fault.began, 3),
    }
    why = (
        f"the host was unfit: the engine was silent for {silent:.1f} s"
        f" (limit {host_limits().engine_silence:g} s) during a {fault.kind}"
    )
    return VoidMatch(why, evidence, Cause.HOST)
