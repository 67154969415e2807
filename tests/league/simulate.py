"""Games without cards: blocks drawn from known strengths, to test the league's statistics on."""

import numpy as np

from league.arrays import Floats, Ints
from league.ratings import Block, BlockGame
from league.ratings.blocks import Blocks, from_arrays


def names(n: int) -> list[str]:
    return [f"bot{i:03}" for i in range(n)]


def tables(rng: np.random.Generator, n: int, k: int, blocks: int) -> Ints:
    return rng.random((blocks, n)).argsort(axis=1)[:, :k].astype(np.int64)


def race(
    rng: np.random.Generator, theta: Floats, member: Ints, games: int, shared: float = 0.5
) -> Blocks:
    """Blocks whose pairs follow Bradley-Terry exactly and whose games depend on each other.

    A bot's time is exponential with rate exp(theta), so P(i before j) = 1 / (1 + exp(-gap)). With
    chance `shared` a game reuses the luck that a bot has in the whole block.
    """
    blocks, k = member.shape
    luck = rng.exponential(size=(blocks, games, k))
    common = rng.exponential(size=(blocks, 1, k))
    luck = np.where(rng.random((blocks, games, k)) < shared, common, luck)
    time = luck / np.exp(theta[member])[:, None, :]
    return _blocks(member, time, len(theta))


def points(rng: np.random.Generator, mean: Floats, member: Ints, games: int, sd: float) -> Blocks:
    """Blocks of normally distributed points; fewest are best."""
    blocks, k = member.shape
    drawn = mean[member][:, None, :] + rng.normal(0.0, sd, (blocks, games, k))
    return _blocks(member, drawn, len(mean))


def _blocks(member: Ints, value: Floats, n: int) -> Blocks:
    places = value.argsort(axis=2).argsort(axis=2) + 1
    return from_arrays(
        names(n),
        np.arange(len(member)),
        member,
        places.astype(np.int64),
        np.round(value * 10).astype(np.int64),
        np.full(len(member), value.shape[1], dtype=np.int64),
    )


def first(blocks: Blocks, count: int) -> Blocks:
    """The blocks as they stood after the first `count`."""
    return Blocks(
        bots=blocks.bots,
        order=blocks.order[:count],
        member=blocks.member[:count],
        games=blocks.games[:count],
        rounds=blocks.rounds[:count],
        score=blocks.score[:count],
        points=blocks.points[:count],
        wins=blocks.wins[:count],
        gap_squares=blocks.gap_squares[:count],
        signature=blocks.signature[:count],
    )


def rows(
    rng: np.random.Generator, theta: Floats, k: int, blocks: int, games: int | None = None
) -> list[Block]:
    """The same as `race`, as rows, with points that follow the places."""
    n = len(theta)
    bots = names(n)
    made: list[Block] = []
    for order, member in enumerate(tables(rng, n, k, blocks)):
        played = []
        for _ in range(games or k):
            time = rng.exponential(size=k) / np.exp(theta[member])
            drawn = [int(x) for x in np.round(time * 10)]
            places = [1 + sum(other < own for other in drawn) for own in drawn]
            played.append(BlockGame(places=tuple(places), points=tuple(drawn)))
        made.append(Block(order=order, table=tuple(bots[i] for i in member), games=tuple(played)))
    return made
