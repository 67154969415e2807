"""Live Elo: what people watch move. One step per block, in creation order, by places.

The rating that ranks is in `official`; nothing here decides a place.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import exp, log

from league.ratings.blocks import Block

START = 1500.0
_LN10 = log(10.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class EloSettings:
    """The step size falls with the blocks played: K = max(k_min, k_max / (1 + blocks / k_fade))."""

    k_max: float = 64.0
    k_min: float = 8.0
    k_fade: float = 10.0
    scale: float = 400.0

    def k(self, blocks: int) -> float:
        """The step size of a bot that has played this many blocks.

        >>> [EloSettings().k(m) for m in (0, 10, 1000)]
        [64.0, 32.0, 8.0]
        """
        return max(self.k_min, self.k_max / (1.0 + blocks / self.k_fade))


@dataclass(frozen=True, slots=True, kw_only=True)
class EloState:
    """The live Elo of one version and how many blocks stand behind it."""

    rating: float = START
    blocks: int = 0

    @property
    def provisional(self) -> bool:
        """Below 25 blocks (100 games at a table of four) the number still moves too much."""
        return self.blocks < PROVISIONAL_BLOCKS


PROVISIONAL_BLOCKS = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class EloStep:
    """One movement of one bot, for the rating history."""

    order: int
    bot: str
    before: float
    after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EloRun:
    """Where a replay of all blocks ends, and every step on the way (before recentring)."""

    states: dict[str, EloState]
    history: tuple[EloStep, ...]
    shift: float
    """What recentring on the anchor bots added to every rating at the end."""


def expected(own: float, other: float, scale: float = 400.0) -> float:
    """The share of a win that Elo expects.

    >>> expected(1500, 1500)
    0.5
    >>> round(expected(1900, 1500), 3)
    0.909
    """
    return 1.0 / (1.0 + exp((other - own) / scale * _LN10))


def block_score(block: Block) -> list[list[float]]:
    """S[i][j]: mean over the games of 1 for i placed before j, 0.5 for a shared place, else 0."""
    k, played = len(block.table), len(block.games)
    score = [[0.0] * k for _ in range(k)]
    for game in block.games:
        for i in range(k):
            for j in range(i + 1, k):
                own, other = game.places[i], game.places[j]
                won = 1.0 if own < other else 0.5 if own == other else 0.0
                score[i][j] += won / played
                score[j][i] += (1.0 - won) / played
    return score


def update(
    states: Mapping[str, EloState], block: Block, settings: EloSettings | None = None
) -> dict[str, EloState]:
    """The table's new states after one block; all steps are taken from the ratings before it."""
    settings = settings or EloSettings()
    before = [states.get(bot, EloState()) for bot in block.table]
    score = block_score(block)
    after: dict[str, EloState] = {}
    for i, bot in enumerate(block.table):
        surprise = sum(
            score[i][j] - expected(before[i].rating, other.rating, settings.scale)
            for j, other in enumerate(before)
            if j != i
        )
        # Divided by the opponents, so that K means the same at 2 and at 10 seats.
        step = settings.k(before[i].blocks) / (len(before) - 1) * surprise
        after[bot] = EloState(rating=before[i].rating + step, blocks=before[i].blocks + 1)
    return after


def inherit(old: EloState) -> EloState:
    """A new version starts at the old one's Elo with nothing behind it, hence provisional."""
    return EloState(rating=old.rating)


def live(
    rows: Iterable[Block],
    *,
    start: Mapping[str, EloState] | None = None,
    successors: Mapping[str, str] | None = None,
    anchors: Mapping[str, float] | None = None,
    settings: EloSettings | None = None,
) -> EloRun:
    """Replay all blocks in creation order, whatever order they come in.

    `successors` maps a new version to the version it replaces, whose Elo it takes over when it
    plays its first block. `anchors` maps frozen bots to the ratings that fix the scale.
    """
    states = dict(start or {})
    heirs = successors or {}
    history: list[EloStep] = []
    for block in sorted(rows, key=lambda row: row.order):
        for bot in block.table:
            if bot not in states and heirs.get(bot) in states:
                states[bot] = inherit(states[heirs[bot]])
        after = update(states, block, settings)
        for bot, state in after.items():
            before = states.get(bot, EloState()).rating
            history.append(EloStep(order=block.order, bot=bot, before=before, after=state.rating))
        states.update(after)
    shift = anchor_shift(states, anchors or {})
    moved = {bot: replace(state, rating=state.rating + shift) for bot, state in states.items()}
    return EloRun(states=moved, history=tuple(history), shift=shift)


def releasable(matches: Iterable[tuple[int, bool, float]], *, patience: float = 600.0) -> list[int]:
    """Which finished matches may move live Elo now, in creation order.

    A match is (order, finished, seconds that others have waited for it). One that is not finished
    holds back those created after it, but not for longer than `patience`.

    >>> releasable([(1, True, 0.0), (2, False, 30.0), (3, True, 0.0)])
    [1]
    >>> releasable([(1, True, 0.0), (2, False, 700.0), (3, True, 0.0)])
    [1, 3]
    """
    ready: list[int] = []
    for order, finished, waiting in sorted(matches):
        if finished:
            ready.append(order)
        elif waiting < patience:
            break
    return ready


def anchor_shift(states: Mapping[str, EloState], anchors: Mapping[str, float]) -> float:
    """What to add to every rating so that the anchor bots stand, on average, where they belong."""
    known = sorted(bot for bot in anchors if bot in states and states[bot].blocks > 0)
    if not known:
        return 0.0
    return sum(anchors[bot] - states[bot].rating for bot in known) / len(known)
