"""`compare`: is a new version better than the old one? The sequential test of the gate, in this
process. Both play the same seat against the same opponents until the games tell."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from arena.bots import BotLike, find_classes
from arena.games import Arena, play
from arena.progress import Progress
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
from league.local import quick_samples
from league.matches import counted_points, whole_blocks


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The verdict, and where the gain comes from."""

    new: str
    old: str
    result: GateResult
    company: GateCompany
    games: int

    @property
    def better(self) -> bool:
        """Whether the test says that the new version is better."""
        return self.result.verdict.name == "PASS"

    def __str__(self) -> str:
        gain = f"{self.result.mean:+.2f} ({self.result.lower:+.2f} to {self.result.upper:+.2f})"
        head = f"{self.new} against {self.old}: {self.result.verdict.name}, gain {gain}"
        words = " ".join(part for part in (self.result.words, self.company.words) if part)
        return f"{head} points per round, {self.games} games\n{words}"

    def _repr_html_(self) -> str:
        head, _, words = str(self).partition("\n")
        return f"<p><strong>{escape(head)}</strong></p><p>{escape(words)}</p>"


def compare(
    new: BotLike,
    old: BotLike,
    rules: str = "six-nimmt",
    *,
    against: Sequence[BotLike] | None = None,
    seats: int = 4,
    boards: int = 80,
    options: Mapping[str, Any] | None = None,
    gain: float = 0.5,
    budget: int = 2500,
    attempt: int = 1,
    seed: int | None = None,
    progress: bool = True,
) -> Comparison:
    """Play pairs of matches until the sequential test has its verdict, or the budget is spent.

    Opponents are dealt evenly from `against`: by default all quick samples that play the rules.
    """
    if against is None:
        against = [name for name in quick_samples(rules) if name not in (new, old)]
    if not against or seats < 2:
        raise ValueError(
            f"got {len(against)} opponents and {seats} seats, expected 1 and 2 or more"
        )
    settings = GateSettings(gain=gain, budget_blocks=budget)
    panel = {bot.name: bot.make for bot in find_classes(against, rules)}
    two = find_classes([new, old], rules)
    number = secrets.randbits(40) if seed is None else seed * 1_000_003
    hands = deal(list(panel), seats - 1, f"gate {number}")
    steps: list[GateStep] = []
    games = 0
    with Progress("blocks", budget, shown=progress) as advance:
        while True:
            chosen = next(hands)
            rates = []
            for candidate in two:
                table = [candidate.make, *[panel[name] for name in chosen]]
                arena = play(table, rules, boards, options=options, seed=number, progress=False)
                number += 1
                games += len(arena.games)
                rates.append(_rates(arena))
            differences = [before - after for after, before in zip(*rates, strict=True)]
            steps.append(GateStep(opponents=chosen, differences=tuple(differences)))
            advance(len(differences))
            result = _judge(steps, settings, attempt, least_steps(len(panel), seats - 1))
            if result.finished:
                break
    return Comparison(
        new=two[0].name,
        old=two[1].name,
        result=result,
        company=gate_company(steps),
        games=games,
    )


def _judge(
    steps: Sequence[GateStep], settings: GateSettings, attempt: int, least: int
) -> GateResult:
    return judge_gate(
        [one for step in steps for one in step.differences],
        attempt=attempt,
        settings=settings,
        steps=[len(step.differences) for step in steps],
        least_steps=least,
    )


def _rates(arena: Arena) -> list[float]:
    """Points per round of the first bot, block by block."""
    return [
        sum(counted_points(game, 0) for game in block) / sum(game.rounds for game in block)
        for block in whole_blocks(arena.games, len(arena.names), arena.duplicated)
    ]
