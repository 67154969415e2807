"""Fairness reports: who gains from whose presence, who chooses alike, which owners belong together.

They raise questions for the organiser; none of them changes a result.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from league.arrays import Floats, Ints
from league.ratings.blocks import Blocks
from league.ratings.official import ELO_PER_LOGIT, MEASURABLE_BLOCKS, Official
from league.ratings.quantiles import holm, normal_tail, t_as_z


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """How a bot does against the others while a given bot is at the table."""

    bot: str
    beside: str
    gain: float
    """Score per opponent above expectation with it, minus the same without it."""
    z: float
    blocks: int
    """Blocks with both of them."""
    significant: bool
    """One-sided, all pairs together (Holm)."""


def presence(blocks: Blocks, official: Official, *, level: float = 0.95) -> tuple[Presence, ...]:
    """ "A gains when B is present", for all A and B with enough blocks; largest z first.

    B itself is left out of A's score, so that beating B is no sign of anything.
    """
    n = len(blocks.bots)
    surprise, seats = _surprise(blocks, official)
    total = surprise.sum(axis=2)
    b, i, j = np.nonzero(blocks.pairs() & (seats > 2)[:, None, None])
    key = blocks.member[b, i] * n + blocks.member[b, j]
    opponents = seats[b].astype(np.float64) - 1
    beside = (total[b, i] - surprise[b, i, j]) / (opponents - 1)
    whole = total[b, i] / opponents
    with_it = _moments(key, beside, n * n)
    within = _moments(key, whole, n * n)
    own_b, own_i = np.nonzero(blocks.present & (seats > 2)[:, None])
    everything = _moments(
        blocks.member[own_b, own_i], total[own_b, own_i] / (seats[own_b] - 1.0), n
    )
    without = tuple(
        np.repeat(all_, n) - part for all_, part in zip(everything, within, strict=True)
    )
    return _judge(blocks, with_it, (without[0], without[1], without[2]), level)


def _surprise(blocks: Blocks, official: Official) -> tuple[Floats, Floats]:
    elo = dict(zip(official.bots, official.elo, strict=True))
    theta = np.array([elo[bot] for bot in blocks.bots]) / ELO_PER_LOGIT
    own = theta[np.maximum(blocks.member, 0)]
    gap = own[:, :, None] - own[:, None, :]
    surprise: Floats = (blocks.score - 1.0 / (1.0 + np.exp(-gap))) * blocks.pairs()
    return surprise, blocks.present.sum(axis=1).astype(np.float64)


def _moments(key: Ints, values: Floats, size: int) -> tuple[Floats, Floats, Floats]:
    """Count, sum and sum of squares for each key."""
    return (
        np.bincount(key, minlength=size).astype(np.float64),
        np.bincount(key, weights=values, minlength=size).astype(np.float64),
        np.bincount(key, weights=values**2, minlength=size).astype(np.float64),
    )


def _judge(
    blocks: Blocks,
    with_it: tuple[Floats, Floats, Floats],
    without: tuple[Floats, Floats, Floats],
    level: float,
) -> tuple[Presence, ...]:
    n = len(blocks.bots)
    enough = np.flatnonzero((with_it[0] >= MEASURABLE_BLOCKS) & (without[0] >= MEASURABLE_BLOCKS))
    means, errors = [], []
    for count, total, squares in (with_it, without):
        mean = total[enough] / count[enough]
        spread = np.maximum(squares[enough] / count[enough] - mean**2, 0.0)
        means.append(mean)
        errors.append(spread / (count[enough] - 1))
    gain = means[0] - means[1]
    error = np.sqrt(errors[0] + errors[1])
    ratio = np.divide(gain, error, out=np.zeros_like(gain), where=error > 0)
    z = t_as_z(ratio, np.minimum(with_it[0], without[0])[enough] - 1)
    flagged = holm(normal_tail(z), 1.0 - level)
    found = [
        Presence(
            bot=blocks.bots[int(key) // n],
            beside=blocks.bots[int(key) % n],
            gain=float(gain[at]),
            z=float(z[at]),
            blocks=int(with_it[0][key]),
            significant=bool(flagged[at]),
        )
        for at, key in enumerate(enough)
    ]
    return tuple(sorted(found, key=lambda one: (-one.z, one.bot, one.beside)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """How often two bots chose the same on a set of probe questions."""

    first: str
    second: str
    agreement: float
    expected: float
    """What two bots of this field agree on by the popularity of the choices alone."""
    probes: int
    identical: bool
    """The same choice every time, over 50 probes or more: in all likelihood one program."""


def same_choices(
    answers: Mapping[str, Sequence[Hashable | None]], *, least: int = 50
) -> tuple[Likeness, ...]:
    """Compare all pairs of bots on the same probes; None = no answer. Most alike first."""
    lengths = {len(row) for row in answers.values()}
    if len(lengths) > 1:
        raise ValueError(
            f"every bot answers the same probes, but the lists have lengths {sorted(lengths)}"
        )
    bots = sorted(answers)
    popular = [
        _popularity([answers[bot][p] for bot in bots]) for p in range(max(lengths, default=0))
    ]
    found: list[Likeness] = []
    for first, second in combinations(bots, 2):
        both = [
            (a, b, share)
            for a, b, share in zip(answers[first], answers[second], popular, strict=True)
            if a is not None and b is not None
        ]
        if not both:
            continue
        agreement = sum(a == b for a, b, _ in both) / len(both)
        found.append(
            Likeness(
                first=first,
                second=second,
                agreement=agreement,
                expected=sum(share for _, _, share in both) / len(both),
                probes=len(both),
                identical=agreement == 1.0 and len(both) >= least,
            )
        )
    return tuple(sorted(found, key=lambda one: (-one.agreement, one.first, one.second)))


def _popularity(choices: list[Hashable | None]) -> float:
    """Chance that two different bots of the field gave the same answer."""
    given = [choice for choice in choices if choice is not None]
    if len(given) < 2:
        return 0.0
    same = sum(given.count(choice) - 1 for choice in given)
    return same / (len(given) * (len(given) - 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerLink:
    """Owners that have something in common that strangers rarely have."""

    owners: tuple[str, ...]
    reasons: tuple[str, ...]


def linked_owners(marks: Mapping[str, Mapping[str, frozenset[str]]]) -> tuple[OwnerLink, ...]:
    """Group owners that share a mark. `marks[owner][kind]` is a set of values of that kind.

    Kinds are sentences for the report, such as "the same fingerprint" or "identical choices".
    """
    parent = {owner: owner for owner in marks}

    def root(owner: str) -> str:
        while parent[owner] != owner:
            owner = parent[owner]
        return owner

    shared: list[tuple[str, str, str]] = []
    for first, second in combinations(sorted(marks), 2):
        for kind in sorted(marks[first].keys() & marks[second].keys()):
            if marks[first][kind] & marks[second][kind]:
                shared.append((first, second, kind))
                parent[max(root(first), root(second))] = min(root(first), root(second))
    groups: dict[str, list[str]] = {}
    for owner in sorted(marks):
        groups.setdefault(root(owner), []).append(owner)
    return tuple(
        OwnerLink(
            owners=tuple(members),
            reasons=tuple(f"{a} and {b}: {kind}" for a, b, kind in shared if a in members),
        )
        for members in groups.values()
        if len(members) > 1
    )
