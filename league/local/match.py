"""Local play: bots named on a command line, a match between them in this process tree, no database.

`play_local` yields progress as it happens and the result at the end.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import nimmt
from league import wiring
from league.bots import LocalBot, distinct_names
from league.matches import plan_for, play_match
from referee.plan import MatchPlan, PlannedBot, PlannedGame, TimeControl, duplicate, one_pass
from referee.result import MatchResult
from sandbox.owner import Owner

DUPLICATE_UP_TO = 3
"""Tables of this size and smaller play every board with every seating, unless told otherwise."""


UNFIT_TRIES = 3
"""How often at home a match that must count is played on a machine that is too busy for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalMatch:
    """What to play."""

    rules: str
    bots: tuple[LocalBot, ...]
    name: str = "local"
    """Of the match, in its replays."""
    names: tuple[str, ...] = ()
    """Of the bots, in replays; without any, their own, numbered where one comes twice."""
    options: Mapping[str, Any] = field(default_factory=dict)
    boards: int = 100
    duplicate: bool | None = None
    """Every board with every seating; None leaves it to the size of the table."""
    seed: int | None = None
    """None draws a key at random."""
    time: TimeControl = field(default_factory=TimeControl)
    in_flight: int = 64
    thinkers: int | None = None
    watch: bool = False
    debug_bot: int | None = None
    tcp: bool = False
    """Loopback ports with a token instead of unix sockets."""
    sandbox: str = "process"
    """`process` for trusted bots, or `docker`."""
    again: Mapping[str, Any] | None = None
    """A replay whose board is played once more, instead of fresh boards."""

    @property
    def duplicated(self) -> bool:
        """Whether every board is played with every seating."""
        if self.duplicate is None:
            return len(self.bots) <= DUPLICATE_UP_TO
        return self.duplicate

    def plan(self) -> MatchPlan:
        """The referee's plan; ValueError when it cannot be played."""
        key = secrets.token_bytes(32) if self.seed is None else nimmt.key_from_seed(self.seed)
        boards, first, deals = self.boards, 0, ()
        if self.again is not None:
            key, first, deals = _same_board(self.again, key)
            boards = 1
        names = self.names or distinct_names(self.bots)
        plan = MatchPlan(
            match=self.name,
            rules=self.rules,
            options=self.options,
            bots=tuple(PlannedBot(name=f"local/{name}") for name in names),
            passes=self._passes(boards, first),
            key=key.hex(),
            reveal_key=True,
            given_deals=deals,
            time=self.time,
            in_flight=self.in_flight,
            thinkers=self.thinkers,
            watch=self.watch,
            debug_bot=self.debug_bot,
            tcp=self.tcp,
            runner=self.sandbox,
        )
        plan.check()
        return plan

    def _passes(self, boards: int, first: int) -> tuple[tuple[PlannedGame, ...], ...]:
        if self.again is not None and self.duplicate is None:
            seats = tuple(range(len(self.bots)))
            return ((PlannedGame(game_no=0, board=first, seats=seats),),)
        make = duplicate if self.duplicated else one_pass
        return make(len(self.bots), boards, first)


def _same_board(replay: Mapping[str, Any], fresh: bytes) -> tuple[bytes, int, tuple[Any, ...]]:
    """Key, board number and, for a replay without its key, the deals themselves."""
    if replay["key"] is not None:
        return bytes.fromhex(replay["key"]), replay["board"], ()
    if "limit" in replay["options"]:
        raise ValueError(
            "this replay does not reveal its key, and a game to a limit may need more deals than "
            "it holds; wait until its match is over, then download it again"
        )
    return fresh, replay["board"], tuple(part["deal"] for part in replay["rounds"])


async def play_local(
    match: LocalMatch, *, stop: asyncio.Event | None = None, void: bool = False
) -> AsyncIterator[dict[str, Any] | MatchResult]:
    """Play the match with real processes over gRPC.

    Yields the supervisor's messages (`progress`, `asked`, `game`, `fault`, `event`, `lag`, `debug`,
    and `unfit` after a fault that this machine is to blame for) as they come, and the result last.
    Setting `stop` ends the match early with what was played. With `void`, a fault that this
    machine is to blame for ends it with HostUnfit.
    """
    news: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
    owner = Owner()

    async def play() -> MatchResult:
        try:
            with wiring.home_slot(void=void) as slot:
                sandbox = wiring.local_sandbox(match.sandbox, owner, pin=slot.is_measured)
                return await play_match(
                    plan_for(slot, match.plan(), contained=False),
                    sandbox,
                    [bot.program for bot in match.bots],
                    on_event=news.put_nowait,
                    on_report=news.put_nowait,
                    stop=stop,
                    owner=owner,
                    slot=slot,
                )
        finally:
            news.put_nowait(None)

    playing = asyncio.get_running_loop().create_task(play())
    try:
        while (message := await news.get()) is not None:
            yield message
        yield await playing
    finally:
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        owner.close()
