"""How long a match may go on: as long as games end, for the clocks of the bots bound the rest.

A limit on the whole match would be a gift to losers: a bot that uses all the time that its clock
gives it could make the match too long, and void it without a fault.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from league.matches.stage import Cause, OnEvent, VoidMatch


@asynccontextmanager
async def while_games_end(seconds: float, on_event: OnEvent | None) -> AsyncIterator[OnEvent]:
    """Void the match in the block when no game of it has ended for so long.

    Gives what has to be told the events of the match; it hands them on.
    """
    try:
        async with asyncio.timeout(seconds) as limit:

            def told(message: dict[str, Any]) -> None:
                if message["type"] == "progress" and not limit.expired():
                    limit.reschedule(asyncio.get_running_loop().time() + seconds)
                if on_event is not None:
                    on_event(message)

            yield told
    except TimeoutError:
        reason = f"no game of the match has ended for {seconds:.0f} s"
        raise VoidMatch(reason, cause=Cause.STALLED) from None
