"""What a tournament says: standings by the maths of a season, and the verdict of a sequential test.

Nothing here is a new statistic; `league.ratings` and `league.gate` have them all.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

from league.gate import GateResult, GateSettings, GateVerdict, judge_gate, least_steps
from league.local.tournament.formats import Format
from league.local.tournament.plan import Tournament
from league.local.tournament.results_file import PlayedMatch
from league.matches import counted_points, whole_blocks
from league.ratings import Block, BlockGame, BotFacts, Standings, make_standings
from referee.faults import FaultKind
from referee.result import GameRecord

MANY_BLOCKS = 1_000_000
"""More blocks than any match has: what orders them all by match."""
CRASHES = (FaultKind.CRASHED, FaultKind.OUT_OF_MEMORY, FaultKind.REFUSED_START)
"""Faults after which a bot did not run."""


def standings(tournament: Tournament, played: Sequence[PlayedMatch]) -> Standings | None:
    """The table of all matches so far; None while there is none."""
    if not played:
        return None
    blocks = [
        Block(order=match.number * MANY_BLOCKS + number, table=names, games=games)
        for match in played
        for names in [tuple(tournament.bots[bot].name for bot in match.table)]
        for number, games in enumerate(_games(tournament, match))
    ]
    facts = {one.name: _facts(index, one.name, played) for index, one in enumerate(tournament.bots)}
    return make_standings(blocks, facts)


def _games(tournament: Tournament, match: PlayedMatch) -> list[tuple[BlockGame, ...]]:
    blocks = whole_blocks(match.games, len(match.table), tournament.duplicated)
    return [tuple(_by_table(game) for game in block) for block in blocks]


def _by_table(game: GameRecord) -> BlockGame:
    seats = [game.seats.index(bot) for bot in range(len(game.seats))]
    return BlockGame(
        places=tuple(game.places[seat] for seat in seats),
        points=tuple(game.points[seat] for seat in seats),
        out=tuple(game.out[seat] for seat in seats),
        rounds=game.rounds,
    )


def _facts(bot: int, name: str, played: Sequence[PlayedMatch]) -> BotFacts:
    records = [match.bots[match.table.index(bot)] for match in played if bot in match.table]
    medians = [one.median_ms for one in records if one.median_ms is not None]
    worst = [one.worst_ms for one in records if one.worst_ms is not None]
    return BotFacts(
        bot=name,
        name=name,
        faults=Counter(fault.kind.value for one in records for fault in one.faults),
        median_ms=median(medians) if medians else None,
        worst_ms=max(worst, default=None),
        # On an exact tie the one that was named first is listed first.
        submitted=float(bot),
    )


def judge(tournament: Tournament, played: Sequence[PlayedMatch]) -> GateResult | None:
    """The sequential test on what was played; None for other formats.

    Only matches without a gap before them count: those that end first would be the quick ones.
    """
    if tournament.format is not Format.SEQUENTIAL:
        return None
    in_turn = [match for number, match in enumerate(played, 1) if match.number == number]
    found = [_differences(tournament, match) for match in in_turn]
    others = tournament.table - 2
    return judge_gate(
        [one for match in found for one in match],
        settings=GateSettings(gain=tournament.gain, budget_blocks=tournament.budget),
        steps=[len(match) for match in found] if others else None,
        least_steps=least_steps(len(tournament.bots) - 2, others) if others else 1,
    )


def _differences(tournament: Tournament, match: PlayedMatch) -> list[float]:
    """By how many points a round the first bot was better than the second, block by block."""
    blocks = whole_blocks(match.games, len(match.table), tournament.duplicated)
    first, second = match.table.index(0), match.table.index(1)
    return [
        sum(counted_points(game, second) - counted_points(game, first) for game in block)
        / sum(game.rounds for game in block)
        for block in blocks
    ]


def verdict_words(tournament: Tournament, result: GateResult) -> str:
    """The verdict in a sentence, with names."""
    first, second = (one.name for one in tournament.bots[:2])
    said = {
        GateVerdict.PASS: f"{first} is better than {second}.",
        GateVerdict.FAIL: f"{first} is not better than {second} by {tournament.gain:g} points.",
        GateVerdict.UNDECIDED: f"The games do not tell yet whether {first} is better.",
    }[result.verdict]
    return f"{said} After {result.blocks} blocks: {result.mean:+.2f} points per round."


def crashed(tournament: Tournament, played: Sequence[PlayedMatch]) -> list[str]:
    """The user's own bots that did not run to the end of a match; samples are ours."""
    found = set()
    for match in played:
        for index, record in zip(match.table, match.bots, strict=True):
            if any(fault.kind in CRASHES for fault in record.faults):
                found.add(index)
    own = [one for i, one in enumerate(tournament.bots) if i in found and not one.bot.sample]
    return [one.name for one in own]


def outcome_to_json(tournament: Tournament, played: Sequence[PlayedMatch]) -> dict[str, Any]:
    """Everything that a tournament says, for programs."""
    table = standings(tournament, played)
    verdict = judge(tournament, played)
    matches = len(tournament.tables())
    done = len(played) == matches or (verdict is not None and verdict.finished)
    return {
        **tournament.about(),
        "complete": done,
        "matches": len(played),
        "matches_planned": matches,
        "games": sum(len(match.games) for match in played),
        "decisions": sum(match.decisions for match in played),
        "crashed": crashed(tournament, played),
        "standings": [] if table is None else rows_to_json(table),
        "crosstable": None if table is None else _crosstable(table),
        "verdict": None if verdict is None else _verdict(tournament, verdict),
    }


def rows_to_json(table: Standings) -> list[dict[str, Any]]:
    """The rows of the standings, fields of a league left out."""
    left_out = ("name", "owner", "void_rate", "badge", "faults")
    return [
        {
            **{name: value for name, value in asdict(row).items() if name not in left_out},
            "settled": row.badge.name.lower(),
            "faults": dict(row.faults),
        }
        for row in table.rows
    ]


def _crosstable(table: Standings) -> Mapping[str, Any]:
    cross = table.crosstable
    cells = [[cross.cell(a, b) if a != b else None for b in cross.bots] for a in cross.bots]
    return {
        "bots": list(cross.bots),
        "score": [[None if one is None else one.score for one in row] for row in cells],
        "games": [[0 if one is None else one.games for one in row] for row in cells],
    }


def _verdict(tournament: Tournament, result: GateResult) -> dict[str, Any]:
    measured = result.lower > float("-inf")
    return {
        "verdict": result.verdict.name.lower(),
        "finished": result.finished,
        "words": verdict_words(tournament, result),
        "blocks": result.blocks,
        "gain": result.mean,
        "low": result.lower if measured else None,
        "high": result.upper if measured else None,
        "llr": result.llr,
        "accept": result.accept,
        "reject": result.reject,
    }
