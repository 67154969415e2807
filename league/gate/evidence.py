"""What a gate has seen: its pairs of matches, block by block, and what they say.

Nothing is planned or ended here; that is `life`.
"""

from collections.abc import Sequence
from typing import Any

from sqlmodel import Session, col, select

import store
from league.gate import requirement
from league.gate.company import GateCompany, GateStep, least_steps
from league.gate.report import gate_report
from league.gate.verdict import GateResult, GateSettings, judge_gate
from league.ratings import BlockGame, counted_points
from store import Bot, Gate, Match, MatchState, Version

Pair = tuple[Match, ...]
"""Two matches at one table: the new version's, then the old one's."""


def steps(session: Session, gate: Gate) -> list[Pair]:
    """The pairs of matches in order of creation: the new version's, then the old one's."""
    pairs: dict[int, list[Match]] = {}
    for match in store.gates.matches_of(session, gate.id):
        pairs.setdefault(match.round_no or 0, []).append(match)
    return [tuple(pair) for _, pair in sorted(pairs.items())]


def is_lost(pair: Pair) -> bool:
    """Whether one of the two will never be played, so that the other says nothing."""
    return any(match.state in (MatchState.STUCK, MatchState.CANCELLED) for match in pair)


def played_steps(session: Session, gate: Gate, pairs: Sequence[Pair]) -> tuple[list[GateStep], int]:
    """What the pairs say, up to the first unfinished one, and how many games that took."""
    by_match: dict[int, list[store.RatedBlock]] = {}
    for row in store.results.gate_blocks(session, gate.id):
        by_match.setdefault(row.match_id, []).append(row)
    names = _opponent_names(session, gate)
    found: list[GateStep] = []
    games = 0
    for pair in pairs:
        if is_lost(pair):
            continue
        if any(match.state is not MatchState.DONE for match in pair):
            break
        new, old = (by_match.get(match.id, []) for match in pair)
        games += sum(len(row.games) for row in (*new, *old))
        blocks = tuple(
            _rate(theirs, gate.old_version_id) - _rate(mine, gate.new_version_id)
            for mine, theirs in zip(new, old, strict=False)
        )
        others = {one for row in new for one in row.versions if one != gate.new_version_id}
        opponents = tuple(sorted(names.get(one, str(one)) for one in others))
        found.append(GateStep(opponents=opponents, differences=blocks))
    return found, games


def _opponent_names(session: Session, gate: Gate) -> dict[int, str]:
    """Version -> `owner/name` of every bot on the panel."""
    pool: Any = gate.settings.get("pool") or []
    query = select(Version.id, Version.bot_id).where(col(Version.id).in_(pool))
    bots = dict(session.exec(query).all())
    names = store.bots.full_names(session, list(bots.values()))
    return {version: names[bot] for version, bot in bots.items()}


def _rate(row: store.RatedBlock, version_id: int) -> float:
    """Points per round of one version in a block."""
    seat = row.versions.index(version_id)
    played = [
        BlockGame(places=one.places, points=one.points, out=one.out, rounds=one.rounds)
        for one in row.games
    ]
    points = sum(counted_points(game)[seat] for game in played)
    return points / sum(game.rounds for game in played)


def verdict(gate: Gate, played: Sequence[GateStep]) -> GateResult:
    """What the blocks so far say, by the settings that the gate was opened with."""
    kept: dict[str, Any] = gate.settings
    names = ("gain", "alpha", "beta", "budget_blocks")
    asked = GateSettings(**{name: kept[name] for name in names})
    return judge_gate(
        [one for step in played for one in step.differences],
        attempt=int(kept["attempt"]),
        settings=asked,
        steps=[len(step.differences) for step in played],
        least_steps=least_steps(len(kept["pool"]), gate.table_size - 1),
    )


def full_report(
    session: Session, gate: Gate, result: GateResult, games: int, company: GateCompany
) -> store.JsonDict:
    """The report with the reason why passing would not count, as things are now."""
    new = store.present(session, Version, gate.new_version_id)
    bot = store.present(session, Bot, new.bot_id)
    return {
        **gate_report(result, games, company),
        "not_counted_because": requirement.not_counted_because(session, bot, gate),
    }
