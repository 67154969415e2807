"""Leagues of bots whose strength depends on the company, and uneven ways to seat them.

Three of them beat each other in a circle, others are strong or weak beside one certain bot. What
they do at tables drawn evenly from the field is known exactly, so every estimate can be judged.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from league.arrays import Floats, Ints
from league.ratings.blocks import Blocks, from_arrays
from league.ratings.official import ELO_PER_LOGIT
from league.schedule import Entrant, make_schedule
from tests.league.simulate import names

GAMES = 4
BLOCKS_OF_A_MATCH = 5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class World:
    """Who is how strong, and beside whom."""

    strength: Floats
    beside: Floats
    """[i, j]: what i gains against the whole table when j sits there."""
    seats: int = 4

    @property
    def bots(self) -> int:
        return len(self.strength)

    def at(self, member: Ints) -> Floats:
        """[table, i]: the strength of every bot at these tables."""
        gained = self.beside[member[:, :, None], member[:, None, :]]
        diagonal = np.arange(member.shape[1])
        gained[:, diagonal, diagonal] = 0.0
        total: Floats = self.strength[member] + gained.sum(axis=2)
        return total

    def play(self, rng: np.random.Generator, member: Ints, shared: float = 0.4) -> Blocks:
        """A block at each of these tables; its games share luck. Points are bots ahead."""
        blocks, k = member.shape
        luck = rng.exponential(size=(blocks, GAMES, k))
        common = rng.exponential(size=(blocks, 1, k))
        luck = np.where(rng.random((blocks, GAMES, k)) < shared, common, luck)
        time = luck / np.exp(self.at(member))[:, None, :]
        places = (time.argsort(axis=2).argsort(axis=2) + 1).astype(np.int64)
        rounds = np.full(blocks, GAMES, dtype=np.int64)
        return from_arrays(names(self.bots), np.arange(blocks), member, places, places - 1, rounds)

    def wins(self) -> Floats:
        """[i, j]: the share that i wins against j over all tables of the field."""
        tables = np.array(list(combinations(range(self.bots), self.seats)))
        rate = self.at(tables)
        chance = 1.0 / (1.0 + np.exp(rate[:, None, :] - rate[:, :, None]))
        key = tables[:, :, None] * self.bots + tables[:, None, :]
        size = self.bots**2
        won = np.bincount(key.ravel(), weights=chance.ravel(), minlength=size)
        met = np.bincount(key.ravel(), minlength=size)
        share: Floats = (won / met).reshape(self.bots, self.bots)
        np.fill_diagonal(share, 0.0)
        return share

    def points(self) -> Floats:
        """Points per round of every bot at tables drawn evenly from the field."""
        lost: Floats = 1.0 - self.wins().sum(axis=1) / (self.bots - 1)
        return lost * (self.seats - 1)

    def elo(self) -> Floats:
        """The ratings that explain these shares best, every pairing counting alike."""
        share = self.wins()
        theta = np.zeros(self.bots)
        for _ in range(200):
            chance = 1.0 / (1.0 + np.exp(theta[None, :] - theta[:, None]))
            np.fill_diagonal(chance, 0.0)
            slope = chance * (1.0 - chance)
            step = (share.sum(axis=1) - chance.sum(axis=1)) / slope.sum(axis=1)
            theta = theta + 0.5 * step
        elo: Floats = 1500.0 + ELO_PER_LOGIT * (theta - theta.mean())
        return elo


def plain(rng: np.random.Generator, bots: int) -> World:
    """Strength is all there is."""
    return World(strength=rng.normal(0.0, 0.35, bots), beside=np.zeros((bots, bots)))


def dependent(rng: np.random.Generator, bots: int) -> World:
    """The first three in a circle, a third of the others specialists for and against somebody."""
    world = plain(rng, bots)
    for one, other in ((0, 1), (1, 2), (2, 0)):
        world.beside[one, other] += 0.5
        world.beside[other, one] -= 0.5
    for own in range(bots - bots // 3, bots):
        victim, master = rng.choice([bot for bot in range(bots) if bot != own], 2, replace=False)
        world.beside[own, victim] += 1.2
        world.beside[own, master] -= 0.8
    return world


WORLDS: dict[str, Callable[[np.random.Generator, int], World]] = {
    "plain": plain,
    "dependent": dependent,
}


def join(one: Blocks, other: Blocks) -> Blocks:
    """The blocks of the second after those of the first."""

    def both(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(one, name), getattr(other, name)])

    return Blocks(
        bots=one.bots,
        order=np.arange(len(one) + len(other), dtype=np.int64),
        member=both("member"),
        games=both("games"),
        rounds=both("rounds"),
        score=both("score"),
        points=both("points"),
        wins=both("wins"),
        gap_squares=both("gap_squares"),
        signature=both("signature"),
    )


def _some(rng: np.random.Generator, bots: int, seats: int = 4) -> list[int]:
    drawn: list[int] = rng.permutation(bots)[:seats].tolist()
    return drawn


def balanced(rng: np.random.Generator, bots: int, count: int) -> Ints:
    """A season's plan: as many meetings as give about this many matches."""
    field = [Entrant(bot=str(bot), owner=str(bot)) for bot in range(bots)]
    meetings = max(1, round(count * 12 / (bots * (bots - 1))))
    planned = make_schedule(field, 4, meetings=meetings, seed=int(rng.integers(2**31)))
    return matches([[int(bot) for bot in table.seats] for table in planned.tables])


def cycle(rng: np.random.Generator, bots: int, count: int) -> Ints:
    """A ladder that has locked in: three tables over and over, and now and then another one."""
    stuck = [_some(rng, bots) for _ in range(3)]
    drawn = rng.random(count) < 0.15
    return matches([_some(rng, bots) if drawn[m] else stuck[m % 3] for m in range(count)])


def neighbours(rng: np.random.Generator, bots: int, count: int) -> Ints:
    """Near in rank, with jitter, and a fifth at random."""
    made = []
    for _ in range(count):
        first = int(rng.integers(bots))
        price = np.abs(np.arange(bots) - first) + rng.exponential(2.0, bots)
        price[first] = -1.0
        near: list[int] = price.argsort()[:4].tolist()
        made.append(_some(rng, bots) if rng.random() < 0.2 else near)
    return matches(made)


def favoured(rng: np.random.Generator, bots: int, count: int) -> Ints:
    """A third of the bots is drawn first four times as often; the others of a table evenly."""
    weight = np.where(np.arange(bots) < bots // 3, 4.0, 1.0)
    made = []
    for _ in range(count):
        first = int(rng.choice(bots, p=weight / weight.sum()))
        others = [bot for bot in _some(rng, bots, bots) if bot != first][:3]
        made.append([first, *others])
    return matches(made)


def hot_table(rng: np.random.Generator, bots: int, count: int) -> Ints:
    """A balanced half, then all other matches for one table of the undecided."""
    base = balanced(rng, bots, count // 2)
    hot = matches([_some(rng, bots)] * (count - len(base) // BLOCKS_OF_A_MATCH))
    return np.concatenate([base, hot])


def matches(tables: list[list[int]]) -> Ints:
    """A row for each block of the matches at these tables."""
    return np.repeat(np.array(tables, dtype=np.int64), BLOCKS_OF_A_MATCH, axis=0)


DESIGNS: dict[str, Callable[[np.random.Generator, int, int], Ints]] = {
    "balanced": balanced,
    "cycle": cycle,
    "neighbours": neighbours,
    "favoured": favoured,
    "hot table": hot_table,
}
