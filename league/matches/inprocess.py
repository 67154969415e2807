"""A stage without processes: simple bots in this process, honest results, replays that verify.

Matches over gRPC are tested elsewhere; here only what the league makes of results matters.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import nimmt
from league.matches.plan import TableBot
from league.matches.stage import VoidMatch
from nimmt.replay import BY_BOT, BY_FORCED, Circumstances, Decision, Player, Recorder
from nimmt.simple import SIMPLE
from nimmt.simple import Player as SimplePlayer
from referee.plan import MatchPlan, PlannedGame
from referee.result import BotRecord, GameRecord, MatchResult

Make = Callable[[TableBot, nimmt.Rules, Random], SimplePlayer]
"""Seats a bot for one game of these rules."""


def simple(bot: TableBot, rules: nimmt.Rules, rng: Random) -> SimplePlayer:
    """The `nimmt.simple` player named by the last word of a version's program."""
    name = (bot.program or ("random",))[-1].removeprefix("sample:")
    return SIMPLE.get(name, SIMPLE["random"])(rng)


class InProcessStage:
    """Plays matches at once, in this process."""

    runner = "in-process"

    def __init__(self, seconds: float = 0.0, make: Make = simple) -> None:
        self.seconds = seconds
        self.make = make
        self.played: list[str] = []
        self.fail: Callable[[MatchPlan], bool] = lambda _: False

    async def play(
        self,
        plan: MatchPlan,
        bots: Sequence[TableBot],
        on_event: Callable[[dict[str, Any]], None] | None,
    ) -> MatchResult:
        self.played.append(plan.match)
        await asyncio.sleep(self.seconds)
        if self.fail(plan):
            raise VoidMatch("the stage collapsed", {"canary": "late"})
        return play(plan, bots, self.make)


def play(plan: MatchPlan, bots: Sequence[TableBot], make: Make = simple) -> MatchResult:
    rules = plan.check()
    games = tuple(
        _game(rules, plan, bots, pass_no, game, make)
        for pass_no, games in enumerate(plan.passes)
        for game in games
    )
    record = BotRecord(
        asks=10, timeouts=0, median_ms=1.0, worst_ms=2.0, think_s=0.01, faults=(), log=""
    )
    return MatchResult(
        games=games,
        bots=(record,) * len(bots),
        complete=True,
        decisions=10 * len(bots),
        wall_s=0.1,
        lag_ms=0.0,
    )


def _game(
    rules: nimmt.Rules,
    plan: MatchPlan,
    bots: Sequence[TableBot],
    pass_no: int,
    game: PlannedGame,
    make: Make,
) -> GameRecord:
    key = bytes.fromhex(plan.key)
    state = rules.start(len(bots), nimmt.KeyedBoard(key, game.board))
    players = [
        make(bots[bot], rules, Random(nimmt.bot_seed(key, game.board, seat)))
        for seat, bot in enumerate(game.seats)
    ]
    recorder = Recorder(state)
    while state.pending:
        choices: dict[int, nimmt.Choice] = {}
        decisions = []
        for seat, ask in state.pending.items():
            forced = state.forced(seat)
            view, legal = state.view(seat), state.legal(seat)
            choice = players[seat](ask.kind, view, legal) if forced is None else forced
            choices[seat] = choice = state.canonical(seat, choice)
            by = BY_BOT if forced is None else BY_FORCED
            decisions.append(Decision(seat, ask.kind, choice, by))
        recorder.record(decisions)
        state.apply(choices)
    assert state.result is not None
    about = Circumstances(
        match=plan.match,
        attempt=plan.attempt,
        pass_no=pass_no,
        game_no=game.game_no,
        board=game.board,
        started="2026-01-01T00:00:00Z",
        runner=plan.runner,
        players=[Player(bot=bots[bot].name, version=bots[bot].version) for bot in game.seats],
        key=key,
        commitment=nimmt.commitment(key),
    )
    return GameRecord(
        pass_no=pass_no,
        game_no=game.game_no,
        board=game.board,
        seats=game.seats,
        points=state.result.points,
        places=state.result.places,
        out=(False,) * len(bots),
        rounds=len(state.scores),
        replay=json.dumps(recorder.document(about), separators=(",", ":")),
    )
