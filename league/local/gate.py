"""A version gate at home: two programs on this machine, no database. The maths is `league.gate`."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from league.bots import LocalBot
from league.gate import GateResult, GateSettings, judge_gate
from league.local.match import LocalMatch, play_local
from league.local.summary import blocks_of, counted_points
from referee.plan import TimeControl
from referee.result import BotRecord, MatchResult


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeGate:
    """What to compare, and against whom."""

    new: LocalBot
    old: LocalBot
    opponents: tuple[LocalBot, ...]
    rules: str
    options: Mapping[str, Any] = field(default_factory=dict)
    boards: int = 80
    """Boards of each match; after every two matches the verdict is asked for."""
    same_boards: bool = False
    """Give both versions the same boards, which saves games when they play nearly alike."""
    time: TimeControl = field(default_factory=TimeControl)
    sandbox: str = "process"
    attempt: int = 1
    settings: GateSettings = field(default_factory=GateSettings)
    seed: int | None = None
    """For the boards; None draws them at random."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateProgress:
    """Where a gate stands after another pair of matches."""

    result: GateResult
    games: int
    new_faults: int
    old_faults: int


async def run_gate(
    gate: HomeGate, *, stop: asyncio.Event | None = None
) -> AsyncIterator[GateProgress]:
    """Play pairs of matches until the verdict stands; yields after every pair.

    Setting `stop` ends it with what the whole pairs say.
    """
    differences: list[float] = []
    games = faults_new = faults_old = 0
    seeds = _seeds(gate)
    progress: GateProgress | None = None
    while progress is None or not progress.result.finished:
        first, second = next(seeds)
        new = await _play(gate, gate.new, first, stop)
        old = await _play(gate, gate.old, second, stop)
        if stop is not None and stop.is_set():
            return
        differences += compare(gate, new, old)
        games += len(new.games) + len(old.games)
        faults_new += _faults(new.bots)
        faults_old += _faults(old.bots)
        progress = GateProgress(
            result=judge_gate(differences, attempt=gate.attempt, settings=gate.settings),
            games=games,
            new_faults=faults_new,
            old_faults=faults_old,
        )
        yield progress


def _seeds(gate: HomeGate) -> Iterator[tuple[int, int]]:
    """A pair of seeds for the boards of each pair of matches, never used twice."""
    number = secrets.randbits(40) if gate.seed is None else gate.seed * 1_000_003
    while True:
        yield number, number if gate.same_boards else number + 1
        number += 2


async def _play(
    gate: HomeGate, candidate: LocalBot, seed: int, stop: asyncio.Event | None
) -> MatchResult:
    match = LocalMatch(
        rules=gate.rules,
        bots=(candidate, *gate.opponents),
        options=gate.options,
        boards=gate.boards,
        seed=seed,
        time=gate.time,
        sandbox=gate.sandbox,
    )
    async for news in play_local(match, stop=stop):
        if isinstance(news, MatchResult):
            return news
    raise AssertionError("a match ends with its result")


def compare(gate: HomeGate, new: MatchResult, old: MatchResult) -> list[float]:
    """Old minus new in points per round, block by block; the candidate is always the first bot."""
    mine, theirs = (_rates(gate, result) for result in (new, old))
    return [before - after for after, before in zip(mine, theirs, strict=False)]


def _rates(gate: HomeGate, result: MatchResult) -> list[float]:
    players = 1 + len(gate.opponents)
    match = LocalMatch(rules=gate.rules, bots=(gate.new, *gate.opponents))
    blocks = blocks_of(result.games, players, match.duplicated)
    return [
        sum(counted_points(game, 0) for game in block) / sum(game.rounds for game in block)
        for block in blocks
    ]


def _faults(bots: Sequence[BotRecord]) -> int:
    return len(bots[0].faults)
