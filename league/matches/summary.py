"""What one match says about its bots: means with errors by block. No ratings, those need many."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from referee.result import BotRecord, FaultRecord, GameRecord

LEVEL = 0.95
FEWEST_BLOCKS = 5
"""With fewer blocks an interval would say more about the formula than about the bots."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotSummary:
    """One bot's line under a match."""

    bot: str
    games: int
    rounds: int
    points_per_round: float
    points_half: float | None
    """Half the 95 % interval by block; None when there are too few blocks."""
    win_share: float
    """A shared first place counts as its share."""
    mean_place: float
    out_games: int
    asks: int
    median_ms: float | None
    worst_ms: float | None
    cpu_s: float | None
    faults: tuple[FaultRecord, ...]


def whole_blocks(
    games: Sequence[GameRecord], players: int, duplicated: bool
) -> list[list[GameRecord]]:
    """Blocks in which every bot has had every seat; what fills none is left out."""
    groups: dict[tuple[int, int], list[GameRecord]] = {}
    for game in games:
        key = (0, game.board) if duplicated else (game.pass_no, game.game_no // players)
        groups.setdefault(key, []).append(game)
    return [group for _, group in sorted(groups.items()) if len(group) == players]


def counted_points(game: GameRecord, bot: int) -> int:
    """A bot that was out gets the larger of its own points and the table's worst."""
    seat = game.seats.index(bot)
    return max(game.points) if game.out[seat] else game.points[seat]


def summarise(
    games: Sequence[GameRecord], bots: Sequence[BotRecord], names: Sequence[str], duplicated: bool
) -> list[BotSummary]:
    """One line a bot, in the order of the plan. There must be at least one game."""
    blocks = whole_blocks(games, len(names), duplicated)
    return [_line(index, name, games, blocks, bots[index]) for index, name in enumerate(names)]


def _line(
    bot: int,
    name: str,
    games: Sequence[GameRecord],
    blocks: Sequence[Sequence[GameRecord]],
    record: BotRecord,
) -> BotSummary:
    rounds = sum(game.rounds for game in games)
    places = [game.places[game.seats.index(bot)] for game in games]
    wins = sum(1 / game.places.count(1) for game, p in zip(games, places, strict=True) if p == 1)
    return BotSummary(
        bot=name,
        games=len(games),
        rounds=rounds,
        points_per_round=sum(counted_points(game, bot) for game in games) / rounds,
        points_half=_half(bot, blocks),
        win_share=wins / len(games),
        mean_place=statistics.fmean(places),
        out_games=sum(game.out[game.seats.index(bot)] for game in games),
        asks=record.asks,
        median_ms=record.median_ms,
        worst_ms=record.worst_ms,
        cpu_s=record.cpu_s,
        faults=record.faults,
    )


def place_halves(games: Sequence[GameRecord], players: int, duplicated: bool) -> list[float | None]:
    """Half the 95 % interval of each bot's mean place; None when there are too few blocks."""
    blocks = whole_blocks(games, players, duplicated)
    return [
        _ratio_half(
            [sum(game.places[game.seats.index(bot)] for game in block) for block in blocks],
            [len(block) for block in blocks],
        )
        for bot in range(players)
    ]


def _half(bot: int, blocks: Sequence[Sequence[GameRecord]]) -> float | None:
    return _ratio_half(
        [sum(counted_points(game, bot) for game in block) for block in blocks],
        [sum(game.rounds for game in block) for block in blocks],
    )


def _ratio_half(sums: Sequence[int], weights: Sequence[int]) -> float | None:
    """Half the interval of a ratio of sums, the blocks being independent."""
    count = len(sums)
    if count < FEWEST_BLOCKS:
        return None
    total, whole = sum(sums), sum(weights)
    # In whole numbers: blocks that are all alike have a spread of exactly none.
    rests = [one * whole - total * weight for one, weight in zip(sums, weights, strict=True)]
    error = math.sqrt(sum(rest * rest for rest in rests) * count / (count - 1)) / whole**2
    return error * t_quantile(0.5 + LEVEL / 2, count - 1)


def t_quantile(p: float, freedom: int) -> float:
    """Student's quantile by the usual expansion: within half a percent from 4 degrees on.

    >>> round(t_quantile(0.975, 4), 2), round(t_quantile(0.975, 30), 3)
    (2.77, 2.042)
    """
    # Written out here because numpy takes longer to import than many a match to play.
    z = statistics.NormalDist().inv_cdf(p)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + math.fsum(term / freedom**power for power, term in enumerate(terms, 1))
