"""What the fleet has shown so far: slots, seconds a game, spread of results; for the planner."""

import statistics
from dataclasses import dataclass
from itertools import combinations

import structlog
from sqlmodel import Session, col, select

import store
from league.blocks import BlockGame, counted_points
from league.planner import Fleet, SeparationPlan, plan_season
from store import Match, MatchState

LOG = structlog.get_logger("league")
LOOKED_AT = 50
"""How many of the latest matches are measured."""
FEWEST_BLOCKS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A fleet, the spread of block differences, and where the numbers are from."""

    fleet: Fleet
    block_sd: float | None
    """Of the difference of two bots over a block, in points per round; None: not measurable."""
    matches: int
    """Matches that were measured; 0: the numbers are the usual ones, not this fleet's."""


def measure(
    session: Session, rules: str, table_size: int, *, boards: int, slots: int = 1
) -> Measured:
    """Look at the latest matches of these rules and table size; `slots` if no worker is alive."""
    query = (
        select(Match)
        .where(
            Match.rules == rules,
            Match.table_size == table_size,
            Match.state == MatchState.DONE,
        )
        .order_by(col(Match.id).desc())
        .limit(LOOKED_AT)
    )
    found = list(session.exec(query).all())
    alive = sum(worker.slots for worker in store.workers.alive(session)) or slots
    usual = Fleet()
    times = [m.seconds / (m.boards * m.passes) for m in found if m.seconds is not None]
    fleet = Fleet(
        slots=alive,
        # Measured seconds hold the start of the bots as well.
        seconds_per_game=statistics.fmean(times) if times else usual.seconds_per_game,
        start_seconds=0.0 if times else usual.start_seconds,
        games_per_match=boards,
    )
    spread = _spread(session, [match.id for match in found])
    return Measured(fleet=fleet, block_sd=spread, matches=len(found))


def _spread(session: Session, match_ids: list[int]) -> float | None:
    """Pooled over all pairs of bots, each around its own mean: gaps between bots are no luck."""
    query = select(store.Block).where(col(store.Block.match_id).in_(match_ids))
    gaps: dict[tuple[int, int], list[float]] = {}
    for row in session.exec(query):
        games = [_game(one) for one in row.games]
        rounds = sum(game.rounds for game in games)
        counted = [counted_points(game) for game in games]
        rates = [sum(points[i] for points in counted) / rounds for i in range(len(row.versions))]
        for i, j in combinations(range(len(rates)), 2):
            pair = (row.versions[i], row.versions[j])
            sign = 1 if pair[0] < pair[1] else -1
            gaps.setdefault((min(pair), max(pair)), []).append(sign * (rates[i] - rates[j]))
    kept = [values for values in gaps.values() if len(values) > 1]
    freedom = sum(len(values) - 1 for values in kept)
    if freedom < FEWEST_BLOCKS:
        return None
    squares = sum(statistics.variance(values) * (len(values) - 1) for values in kept)
    return float((squares / freedom) ** 0.5) or None


def _game(stored: list[object]) -> BlockGame:
    places, points, out, rounds = stored
    return BlockGame(
        places=tuple(places),  # type: ignore[arg-type]
        points=tuple(points),  # type: ignore[arg-type]
        out=tuple(out),  # type: ignore[arg-type]
        rounds=int(str(rounds)),
    )


def plan(
    session: Session,
    *,
    rules: str,
    bots: int,
    table_size: int,
    gap: float,
    boards: int,
    power: float = 0.8,
    slots: int = 1,
) -> tuple[SeparationPlan, Measured]:
    """What it takes on this fleet to separate bots that are `gap` points per round apart."""
    measured = measure(session, rules, table_size, boards=boards, slots=slots)
    planned = plan_season(
        bots=bots,
        seats=table_size,
        gap=gap,
        block_sd=measured.block_sd,
        fleet=measured.fleet,
        power=power,
    )
    return planned, measured
