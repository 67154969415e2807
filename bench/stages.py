"""Stages for measurements: one that notes the time of matches, one on which they take none."""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from typing import Any

from league.matches import Stage, TableBot
from referee.plan import MatchPlan
from referee.result import BotRecord, GameRecord, MatchResult


class Timed:
    """A stage that notes how long the matches alone take, by the wall and by the processor."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.runner = stage.runner
        self.seconds = 0.0
        self.cpu = 0.0

    async def play(
        self,
        plan: MatchPlan,
        bots: Sequence[TableBot],
        on_event: Callable[[dict[str, Any]], None] | None,
    ) -> MatchResult:
        """Play, and add the time."""
        started, used = time.perf_counter(), time.process_time()
        try:
            return await self._stage.play(plan, bots, on_event)
        finally:
            self.seconds += time.perf_counter() - started
            self.cpu += time.process_time() - used


class Instant:
    """A stage on which every match is over at once, for what happens around it."""

    runner = "instant"

    async def play(
        self,
        plan: MatchPlan,
        bots: Sequence[TableBot],
        on_event: Callable[[dict[str, Any]], None] | None,
    ) -> MatchResult:
        """A result without a game having been played."""
        await asyncio.sleep(0)
        k = len(bots)
        games = tuple(
            GameRecord(
                pass_no=number,
                game_no=game.game_no,
                board=game.board,
                seats=game.seats,
                points=tuple(range(k)),
                places=tuple(range(1, k + 1)),
                out=(False,) * k,
                rounds=1,
                replay=json.dumps({"game": game.game_no}),
            )
            for number, games in enumerate(plan.passes)
            for game in games
        )
        bot = BotRecord(
            asks=10, timeouts=0, median_ms=1.0, worst_ms=2.0, think_s=0.01, faults=(), log=""
        )
        return MatchResult(
            games=games, bots=(bot,) * k, complete=True, decisions=10, wall_s=0.0, lag_ms=0.0
        )
