"""The unit of all statistics: a block of games in which every bot has had every seat.

`Block` is one row as the store keeps it, `Blocks` the same facts as numpy columns. No rating here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from league.arrays import Flags, Floats, Ints

NOBODY = -1
"""Fills the columns of a table that is smaller than the widest one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockGame:
    """One game of a block; every tuple follows the order of the block's table, not of the seats."""

    places: tuple[int, ...]
    """From 1; ties share a place; out bots share the last one."""
    points: tuple[int, ...]
    """Points as played, fewest are best."""
    out: tuple[bool, ...] = ()
    """Which bots were out in this game; empty means none."""
    rounds: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """All games of one block. `order` is the order of creation and is unique."""

    order: int
    table: tuple[str, ...]
    games: tuple[BlockGame, ...]

    def __post_init__(self) -> None:
        k = len(self.table)
        if k < 2 or len(set(self.table)) != k:
            raise ValueError(
                f"block {self.order}: a table is two or more different bots, got {self.table!r}"
            )
        if not self.games:
            raise ValueError(f"block {self.order}: no games; leave a block out until it is played")
        for game in self.games:
            if len(game.places) != k or len(game.points) != k or len(game.out) not in (0, k):
                raise ValueError(
                    f"block {self.order}: a game has {len(game.places)} places, {len(game.points)} "
                    f"points and {len(game.out)} out flags, expected {k} of each (or no flags)"
                )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Blocks:
    """Blocks as columns, sorted by creation order, bots by id: the input order does not matter."""

    bots: tuple[str, ...]
    order: Ints
    member: Ints
    """[block, place at the table] -> index into `bots`, or NOBODY."""
    games: Ints
    rounds: Ints
    score: Floats
    """[block, i, j]: mean over the games of 1 / 0.5 / 0 by places; 0 where the seat is empty."""
    points: Floats
    """[block, i]: sum over the games of the points that count for statistics."""
    wins: Floats
    """[block, i]: sum over the games of the share of the first place."""
    gap_squares: Floats
    """[block, i, j]: sum over the games of the squared difference in points."""
    signature: Ints
    """Equal for blocks with the same bots and the same points in every game."""

    def __len__(self) -> int:
        return len(self.order)

    @property
    def present(self) -> Flags:
        """[block, i]: is the seat taken?"""
        return self.member >= 0

    def pairs(self) -> Flags:
        """[block, i, j]: two different bots of one table."""
        here = self.present
        both = here[:, :, None] & here[:, None, :]
        both &= ~np.eye(self.member.shape[1], dtype=bool)[None]
        return both

    def count(self) -> Ints:
        """Blocks played by each bot."""
        return np.bincount(self.member[self.present], minlength=len(self.bots)).astype(np.int64)

    def distinct(self) -> Ints:
        """Blocks by each bot that differ from one another in their points."""
        here = self.present
        who = self.member[here]
        block = np.repeat(self.signature, self.member.shape[1])[here.ravel()]
        order = np.lexsort((block, who))
        who, block = who[order], block[order]
        new = np.ones(len(who), dtype=np.bool_)
        new[1:] = (who[1:] != who[:-1]) | (block[1:] != block[:-1])
        return np.bincount(who[new], minlength=len(self.bots)).astype(np.int64)


def counted_points(game: BlockGame) -> tuple[int, ...]:
    """Points for statistics: an out bot counts the larger of its own and the table's worst.

    >>> counted_points(BlockGame(places=(1, 2, 3), points=(4, 9, 0), out=(False, False, True)))
    (4, 9, 9)
    """
    if not any(game.out):
        return game.points
    worst = max(game.points)
    return tuple(worst if out else own for own, out in zip(game.points, game.out, strict=True))


def collect(rows: Iterable[Block]) -> Blocks:
    """Turn rows into columns, the same to the last bit whatever order they come in."""
    ordered = sorted(rows, key=lambda row: row.order)
    bots = tuple(sorted({bot for row in ordered for bot in row.table}))
    index = {bot: i for i, bot in enumerate(bots)}
    size, width = len(ordered), max((len(row.table) for row in ordered), default=2)
    member = np.full((size, width), NOBODY, dtype=np.int64)
    groups: dict[tuple[int, int], list[int]] = {}
    for b, row in enumerate(ordered):
        member[b, : len(row.table)] = [index[bot] for bot in row.table]
        groups.setdefault((len(row.table), len(row.games)), []).append(b)
    columns = _empty(
        bots,
        np.array([row.order for row in ordered], dtype=np.int64),
        member,
        np.array([len(row.games) for row in ordered], dtype=np.int64),
        np.array([sum(g.rounds for g in row.games) for row in ordered], dtype=np.int64),
    )
    for chosen in groups.values():
        games = [ordered[b].games for b in chosen]
        places = np.array([[game.places for game in played] for played in games])
        points = np.array([[counted_points(game) for game in played] for played in games])
        _fill(columns, np.array(chosen), places, points)
    return columns


def from_arrays(
    bots: Sequence[str], order: Ints, member: Ints, places: Ints, points: Ints, rounds: Ints
) -> Blocks:
    """The quick way for many blocks of one size: `places` and `points` are [block, game, i].

    `points` already count for statistics, `rounds` are per block, `bots` are sorted by id.
    """
    if list(bots) != sorted(set(bots)):
        raise ValueError("bots must be different and sorted by id, so that input order is gone")
    sort = np.argsort(order, kind="stable")
    games = np.full(len(order), places.shape[1], dtype=np.int64)
    columns = _empty(tuple(bots), order[sort], member[sort], games, rounds[sort])
    _fill(columns, np.arange(len(order)), places[sort], points[sort])
    return columns


def _empty(bots: tuple[str, ...], order: Ints, member: Ints, games: Ints, rounds: Ints) -> Blocks:
    twice = order[1:][np.diff(order) == 0]
    if len(twice):
        raise ValueError(
            f"two blocks have order {int(twice[0])}; every block counts once, so each needs its own"
        )
    size, width = member.shape
    return Blocks(
        bots=bots,
        order=order,
        member=member,
        games=games,
        rounds=rounds,
        score=np.zeros((size, width, width)),
        points=np.zeros((size, width)),
        wins=np.zeros((size, width)),
        gap_squares=np.zeros((size, width, width)),
        signature=np.zeros(size, dtype=np.int64),
    )


def _fill(columns: Blocks, chosen: Ints, places: Ints, points: Ints) -> None:
    """Fill the columns of blocks that have the same table size and number of games."""
    games, k = places.shape[1:]
    ahead = (places[..., :, None] < places[..., None, :]).astype(np.float64)
    ahead += 0.5 * (places[..., :, None] == places[..., None, :])
    ahead[..., np.arange(k), np.arange(k)] = 0.0
    first = places == places.min(axis=2, keepdims=True)
    gaps = (points[..., :, None] - points[..., None, :]).astype(np.float64)
    corner = np.ix_(chosen, np.arange(k), np.arange(k))
    edge = np.ix_(chosen, np.arange(k))
    columns.score[corner] = ahead.mean(axis=1)
    columns.gap_squares[corner] = (gaps**2).sum(axis=1)
    columns.points[edge] = points.sum(axis=1)
    columns.wins[edge] = (first / first.sum(axis=2, keepdims=True)).sum(axis=1)
    # A random linear form with fixed coefficients tells blocks apart, up to accidents of 2^-63.
    form = np.random.default_rng([games, k]).integers(1, 2**62, size=(games + 1, k))
    facts = np.concatenate([columns.member[edge][:, None, :], points.astype(np.int64)], axis=1)
    columns.signature[chosen] = (facts * form).sum(axis=(1, 2))
