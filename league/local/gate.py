"""A version gate at home: two programs on this machine, no database. The maths: `league.gate`."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from league.bots import LocalBot, distinct_names
from league.gate import (
    GateCompany,
    GateResult,
    GateSettings,
    GateStep,
    deal,
    gate_company,
    judge_gate,
    least_steps,
)
from league.local.match import UNFIT_TRIES, LocalMatch, play_local
from league.matches import HostUnfit, counted_points, whole_blocks
from referee.plan import TimeControl
from referee.result import BotRecord, MatchResult


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeGate:
    """What to compare, and against whom."""

    new: LocalBot
    old: LocalBot
    panel: tuple[LocalBot, ...]
    """The opponents; for each pair of matches they are dealt from it, all equally often."""
    rules: str
    seats: int = 4
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
    """The state of a gate after another pair of matches."""

    result: GateResult
    company: GateCompany
    games: int
    new_faults: int
    old_faults: int


async def run_gate(
    gate: HomeGate, *, stop: asyncio.Event | None = None
) -> AsyncIterator[GateProgress]:
    """Play pairs of matches until the verdict stands; yields after every pair.

    Setting `stop` ends it with what the whole pairs say.
    """
    steps: list[GateStep] = []
    games = faults_new = faults_old = 0
    seeds = _seeds(gate)
    names = distinct_names(gate.panel)
    hands = deal(names, gate.seats - 1, f"gate {gate.seed or secrets.randbits(40)}")
    progress: GateProgress | None = None
    while progress is None or not progress.result.finished:
        first, second = next(seeds)
        chosen = next(hands)
        others = tuple(gate.panel[names.index(name)] for name in chosen)
        new = await _play(gate, gate.new, others, first, stop)
        old = await _play(gate, gate.old, others, second, stop)
        if stop is not None and stop.is_set():
            return
        steps.append(GateStep(opponents=chosen, differences=tuple(compare(gate, new, old))))
        games += len(new.games) + len(old.games)
        faults_new += _faults(new.bots)
        faults_old += _faults(old.bots)
        progress = GateProgress(
            result=judge_gate(
                [one for step in steps for one in step.differences],
                attempt=gate.attempt,
                settings=gate.settings,
                steps=[len(step.differences) for step in steps],
                least_steps=least_steps(len(gate.panel), gate.seats - 1),
            ),
            company=gate_company(steps),
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
    gate: HomeGate,
    candidate: LocalBot,
    others: tuple[LocalBot, ...],
    seed: int,
    stop: asyncio.Event | None,
) -> MatchResult:
    match = LocalMatch(
        rules=gate.rules,
        bots=(candidate, *others),
        options=gate.options,
        boards=gate.boards,
        seed=seed,
        time=gate.time,
        sandbox=gate.sandbox,
    )
    for tries in range(1, UNFIT_TRIES + 1):
        try:
            async for news in play_local(match, stop=stop, void=True):
                if isinstance(news, MatchResult):
                    return news
        except HostUnfit:
            # Somebody was late while others had this machine: the match says nothing of a version.
            if tries == UNFIT_TRIES:
                raise
    raise AssertionError("a match ends with its result")


def compare(gate: HomeGate, new: MatchResult, old: MatchResult) -> list[float]:
    """Old minus new in points per round, block by block; the candidate is always the first bot."""
    mine, theirs = (_rates(gate, result) for result in (new, old))
    return [before - after for after, before in zip(mine, theirs, strict=False)]


def _rates(gate: HomeGate, result: MatchResult) -> list[float]:
    match = LocalMatch(rules=gate.rules, bots=(gate.new,) * gate.seats)
    blocks = whole_blocks(result.games, gate.seats, match.duplicated)
    return [
        sum(counted_points(game, 0) for game in block) / sum(game.rounds for game in block)
        for block in blocks
    ]


def _faults(bots: Sequence[BotRecord]) -> int:
    return len(bots[0].faults)
