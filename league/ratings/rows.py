"""One row of the standings: its record, the facts it is made of, and how it is made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from league.arrays import Floats, Ints
from league.ratings.blocks import Blocks
from league.ratings.company import EvenDesign, table_spread
from league.ratings.elo import EloState
from league.ratings.official import Official
from league.ratings.quantiles import normal_quantile, z_as_t
from league.ratings.ranking import Ranking, letters


class Badge(Enum):
    """Is a bot's place decided?"""

    SETTLED = "Its place is decided: it is separated from every other bot, however often one looks."
    OPEN = "Its place may still change."
    NOT_MEASURABLE = "Fewer than 20 distinct blocks, or results that never vary."


@dataclass(frozen=True, slots=True, kw_only=True)
class BotFacts:
    """What the standings need to know of a bot beside its blocks."""

    bot: str
    name: str = ""
    owner: str = ""
    faults: Mapping[str, int] = field(default_factory=dict)
    """By kind of fault."""
    median_ms: float | None = None
    worst_ms: float | None = None
    attempts: int = 0
    voids: int = 0
    """Attempts voided as platform faults; published, so that no bot can void its losses unseen."""
    ranked: bool = True
    """False for old versions and anchor bots that do not compete: rated, but without a place."""
    submitted: float = 0.0
    """Seconds since the epoch; the earlier submission is listed first on an exact tie."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingsSettings:
    """Levels and seeds; the same settings and blocks give the same table."""

    level: float = 0.95
    margin_elo: float = 10.0
    draws: int = 10_000
    seed: int = 20_201_104


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingRow:
    """One bot's line. None always means "not measurable"."""

    place: int
    """Order of display; what is known is the range `low` to `high`."""
    low: int
    high: int
    bot: str
    name: str
    owner: str
    group: str
    """Letters; two bots that share one are statistically tied."""
    official: float
    official_half: float | None
    live: float
    provisional: bool
    points_per_round: float
    points_half: float | None
    win_share: float
    mean_place: float
    superiority: float | None
    """Chance of being really better than the bot on the next place."""
    best: float | None
    """Chance of being the best of all."""
    badge: Badge
    blocks: int
    distinct: int
    games: int
    rounds: int
    faults: Mapping[str, int]
    median_ms: float | None
    worst_ms: float | None
    void_rate: float | None
    unmet: int
    """Bots of the table that it has never met: against them its rating is what the others say."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Totals:
    """Sums of each bot's games, and its means against the field."""

    games: Ints
    rounds: Ints
    points_per_round: Floats
    points_error: Floats
    win_share: Floats
    mean_place: Floats

    def subset(self, chosen: Ints) -> "Totals":
        """The same for some of the bots, in this order."""
        return Totals(
            games=self.games[chosen],
            rounds=self.rounds[chosen],
            points_per_round=self.points_per_round[chosen],
            points_error=self.points_error[chosen],
            win_share=self.win_share[chosen],
            mean_place=self.mean_place[chosen],
        )


def count_totals(blocks: Blocks, design: EvenDesign | None = None) -> Totals:
    """Every bot's games and rounds, and its means by game with the error by block.

    With a `design` every opponent counts as often as at tables drawn evenly from the field.
    """
    n = len(blocks.bots)
    b, i = np.nonzero(blocks.present)
    who = blocks.member[b, i]
    count = np.ones(len(b)) if design is None else design.of_bot()[b, i]

    def per_bot(values: Floats | Ints) -> Floats:
        return np.bincount(who, weights=values, minlength=n).astype(np.float64)

    def mean(values: Floats, over: Ints) -> Floats:
        whole = per_bot(count * over[b])
        total = per_bot(count * values)
        return np.divide(total, whole, out=np.zeros(n), where=whole > 0)

    rate = mean(blocks.points[b, i], blocks.rounds)
    residual = count * (blocks.points[b, i] - rate[who] * blocks.rounds[b])
    played = np.maximum(blocks.count(), 2)
    squares = per_bot(residual**2) * played / (played - 1)
    if design is not None:
        scores = np.zeros(blocks.points.shape)
        scores[b, i] = residual
        squares *= table_spread(blocks, design, scores)
    rounds = per_bot(count * blocks.rounds[b])
    # With ties averaged, a place is one more than the opponents who are ahead.
    behind = blocks.score.sum(axis=1)[b, i] * blocks.games[b]
    return Totals(
        games=per_bot(blocks.games[b]).astype(np.int64),
        rounds=per_bot(blocks.rounds[b]).astype(np.int64),
        points_per_round=rate,
        points_error=np.sqrt(squares) / np.where(rounds > 0, rounds, 1.0),
        win_share=mean(blocks.wins[b, i], blocks.games),
        mean_place=1.0 + mean(behind, blocks.games),
    )


def make_rows(
    official: Official,
    ranking: Ranking,
    totals: Totals,
    facts: Sequence[BotFacts],
    states: Mapping[str, EloState],
    level: float,
    unmet: Ints,
) -> tuple[StandingRow, ...]:
    """All rows, first place first; everything given follows the order of the places."""
    freedom = np.maximum(official.blocks - 1.0, 1.0)
    quantile = z_as_t(normal_quantile(0.5 + level / 2), freedom)
    halves = np.stack([official.half_width(level), quantile * totals.points_error])
    halves[1, ~official.measurable | (totals.points_error <= 0)] = np.nan
    groups = letters(np.arange(len(facts)), ranking.ahead)
    return tuple(
        replace(
            _row(place, official, ranking, totals, facts[place], states, halves[:, place], group),
            unmet=int(unmet[place]),
        )
        for place, group in enumerate(groups)
    )


def _row(
    place: int,
    official: Official,
    ranking: Ranking,
    totals: Totals,
    facts: BotFacts,
    states: Mapping[str, EloState],
    halves: Floats,
    group: str,
) -> StandingRow:
    state = states.get(facts.bot, EloState())
    last = place + 1 == len(official.bots)
    return StandingRow(
        place=place + 1,
        low=int(ranking.low[place]),
        high=int(ranking.high[place]),
        bot=facts.bot,
        name=facts.name or facts.bot,
        owner=facts.owner,
        group=group,
        official=float(official.elo[place]),
        official_half=_number(halves[0]),
        live=state.rating,
        provisional=state.provisional,
        points_per_round=float(totals.points_per_round[place]),
        points_half=_number(halves[1]),
        win_share=float(totals.win_share[place]),
        mean_place=float(totals.mean_place[place]),
        superiority=None if last else _number(ranking.superiority[place, place + 1]),
        best=_number(ranking.best[place]),
        badge=_badge(place, ranking, measurable=bool(official.measurable[place])),
        blocks=int(official.blocks[place]),
        distinct=int(official.distinct[place]),
        games=int(totals.games[place]),
        rounds=int(totals.rounds[place]),
        faults=dict(sorted(facts.faults.items())),
        median_ms=facts.median_ms,
        worst_ms=facts.worst_ms,
        void_rate=facts.voids / facts.attempts if facts.attempts else None,
        unmet=0,
    )


def _badge(place: int, ranking: Ranking, *, measurable: bool) -> Badge:
    if not measurable:
        return Badge.NOT_MEASURABLE
    apart = ranking.settled_ahead[place] | ranking.settled_ahead[:, place]
    return Badge.SETTLED if int(apart.sum()) == len(apart) - 1 else Badge.OPEN


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
