"""How long a match may go on: as long as games end, for the clocks of the bots bound the rest.

A limit on the whole match would be a gift to losers: a bot that uses all the time that its clock
gives it could make the match too long, and void it without a fault.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from league.matches.stage import Cause, OnEvent, VoidMatch
from referee.lines import FromReferee, ToWatchers


@asynccontextmanager
async def while_games_end(seconds: float, on_event: OnEvent | None) -> AsyncIterator[OnEvent]:
    """Void the match in the block when no game of it has ended for so long.

    Gives what has to be told the events of the match; it hands them on. Time in which the asking
    was held does not count: nobody could have ended a game.
    """
    left: float | None = None
    try:
        async with asyncio.timeout(seconds) as limit:

            def told(message: dict[str, Any]) -> None:
                nonlocal left
                now = asyncio.get_running_loop().time()
                if message["type"] == FromReferee.HOLD:
                    if not limit.expired():
                        left = _hold(limit, now, left, on=message["on"])
                    return
                if message["type"] == ToWatchers.PROGRESS and not limit.expired():
                    if left is None:
                        limit.reschedule(now + seconds)
                    else:
                        left = seconds
                if on_event is not None:
                    on_event(message)

            yield told
    except TimeoutError:
        reason = f"no game of the match has ended for {seconds:.0f} s"
        raise VoidMatch(reason, cause=Cause.STALLED) from None


def _hold(limit: asyncio.Timeout, now: float, left: float | None, *, on: bool) -> float | None:
    """Stop the clock of a match, or let it go on; returns what is left on a clock that stands."""
    when = limit.when()
    if on and when is not None:
        limit.reschedule(None)
        return when - now
    if not on and left is not None:
        limit.reschedule(now + left)
        return None
    return left
