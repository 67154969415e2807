"""How seats choose in rollouts, as data; `policy.h` is the same in C, choice for choice.

A policy gives every option a level from 0 to 127, low is good, and chooses by the levels. All
arithmetic is in whole numbers, and what is not (exp) is worked out once and kept in tables.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp
from typing import NamedTuple

from nimmt.cards import HIGHEST
from nimmt.generator import Generator

UNIFORM, GREEDY, SOFTMAX = range(3)
FEATURES = ("gap", "slot_risk", "cost")
GAP, SLOT_RISK, COST = range(3)
LEVELS = 128
MOST_WEIGHT = 1 << 24
RISK_STEPS = 64


def _risks() -> tuple[tuple[int, ...], ...]:
    """255 x the chance that the free places of a row (0 to 7) fill up before one's own card comes,
    by 8 x the number of cards that are expected in its gap (a Poisson number)."""
    rows = []
    for free in range(8):
        row = []
        for step in range(RISK_STEPS):
            expected = step / 8
            term, fewer = exp(-expected), 0.0
            for number in range(free):
                fewer += term
                term *= expected / (number + 1)
            row.append(round(255 * (1 - fewer)))
        rows.append(tuple(row))
    return tuple(rows)


RISKS = _risks()
NO_WEIGHTS = (1,) * LEVELS
PLAIN = tuple(range(LEVELS))
NO_PRIOR = (0,) * (HIGHEST + 1)


@dataclass(frozen=True, slots=True)
class Policy:
    """How a seat plays in rollouts. Make one by `uniform`, `greedy` or `softmax`."""

    kind: int = UNIFORM
    feature: int = GAP
    epsilon: int = 0
    """GREEDY: of 2^32, how often it plays uniformly all the same."""
    weights: tuple[int, ...] = NO_WEIGHTS
    """SOFTMAX: by how far a level lies above the lowest one."""
    risks: tuple[tuple[int, ...], ...] = field(default=RISKS, repr=False)
    shape: tuple[int, ...] = field(default=PLAIN, repr=False)
    """6 nimmt!, X nimmt!: what each level of the feature counts."""
    prior: tuple[int, ...] = field(default=NO_PRIOR, repr=False)
    """6 nimmt!, X nimmt!: what is added to a level for the card itself, by card."""

    @classmethod
    def uniform(cls) -> "Policy":
        """Every card is as likely as any other."""
        return cls()

    @classmethod
    def greedy(cls, feature: str, epsilon: float = 0.1) -> "Policy":
        """The option with the lowest level, but for a share of uniform play."""
        if not 0 <= epsilon <= 1:
            raise ValueError(f"got epsilon {epsilon!r}, expected a share from 0 to 1")
        # 2^32 itself does not fit; a share of 1 is uniform play but once in four thousand million.
        return cls(GREEDY, _feature(feature), min(round(epsilon * 2**32), 2**32 - 1))

    @classmethod
    def softmax(
        cls,
        feature: str,
        temperature: float = 1.0,
        *,
        shape: Sequence[int] = PLAIN,
        prior: Sequence[int] = NO_PRIOR,
    ) -> "Policy":
        """Options by exp(-level / temperature), where a card's level is the shape of what the
        feature says, plus its prior."""
        if not temperature > 0:
            raise ValueError(f"got temperature {temperature!r}, expected a number above 0")
        weights = [round(MOST_WEIGHT * exp(-level / temperature)) for level in range(LEVELS)]
        return cls(
            SOFTMAX,
            _feature(feature),
            weights=tuple([max(1, w) for w in weights]),
            shape=_levels("shape", shape, LEVELS),
            prior=_levels("prior", prior, HIGHEST + 1),
        )

    def pick(self, levels: Sequence[int], rng: Generator) -> int:
        """One of the options by their levels; a single one is taken without a random number."""
        count = len(levels)
        if count <= 1:
            return 0
        if self.kind == UNIFORM:
            return rng.below(count)
        best = min(levels)
        if self.kind == GREEDY:
            return rng.below(count) if rng.bits() >> 32 < self.epsilon else levels.index(best)
        weights = [self.weights[level - best] for level in levels]
        drawn = (rng.bits() >> 32) * sum(weights) >> 32
        for i, weight in enumerate(weights):
            if drawn < weight:
                return i
            drawn -= weight
        raise AssertionError("a number below the sum of the weights falls on one of them")


def _feature(name: str) -> int:
    if name not in FEATURES:
        raise ValueError(f"got the feature {name!r}, expected one of {', '.join(FEATURES)}")
    return FEATURES.index(name)


def _levels(name: str, given: Sequence[int], count: int) -> tuple[int, ...]:
    if len(given) != count or not all(0 <= level < LEVELS for level in given):
        raise ValueError(f"got the {name} {given!r:.60}, expected {count} levels from 0 to 127")
    return tuple(given)


UNIFORM_POLICY = Policy()

Expected = Mapping[int, Sequence[int]]
"""By seat: how likely it is to lay each card right now, by card from 1 to 2^24, where that is known
better than by a policy (6 nimmt!, X nimmt!)."""
NOTHING: Expected = {}


class Players(NamedTuple):
    """How all seats play on."""

    own: Policy
    others: Policy
    expected: Expected = NOTHING

    def policies(self, seat: int, players: int) -> list[Policy]:
        """By seat, for the seat that searches."""
        return [self.own if other == seat else self.others for other in range(players)]

    @property
    def uniform(self) -> bool:
        """Whether nobody looks at anything."""
        return self.own.kind == self.others.kind == UNIFORM and not self.expected

    def pick_expected(self, seat: int, hand: Sequence[int], rng: Generator) -> int:
        """The card that a seat lays right now, by what is expected of it."""
        weights = [self.expected[seat][card] for card in hand]
        drawn = (rng.bits() >> 32) * sum(weights) >> 32
        at = 0
        while at + 1 < len(weights) and drawn >= weights[at]:
            drawn -= weights[at]
            at += 1
        return at


class Ends:
    """Rows by their ends, ascending: a card finds its row by counting the ends below it."""

    __slots__ = ("cost", "room", "tail")

    def __init__(self, tail: list[int], room: list[int], cost: list[int]) -> None:
        self.tail = tail
        self.room = room
        """How many more cards each row can hold."""
        self.cost = cost

    def copy(self) -> "Ends":
        return Ends(self.tail[:], self.room[:], self.cost[:])


def levels_of(
    policy: Policy, ends: Ends, hand: Sequence[int], hidden: int, others: int
) -> list[int]:
    """How bad it is to lay each card of a hand now. `hidden` is the set of cards, as bits, that lie
    in hands or were not dealt."""
    for card in hand:
        hidden &= ~(1 << card)
    unseen = hidden.bit_count()
    # How likely a hidden card is to come in this turn, in whole numbers.
    chance = (others * 8 << 16) // unseen if unseen else 0
    cheapest = min(ends.cost)
    levels = []
    for card in hand:
        at = -1
        for tail in ends.tail:
            at += tail < card
        cost = cheapest if at < 0 else ends.cost[at]
        takes = at < 0 or not ends.room[at]
        if policy.feature == GAP:
            level = 103 + min(24, cost) if takes else card - ends.tail[at] - 1
        elif policy.feature == COST:
            level = cost if takes else 0
        elif at < 0:
            level = 255 * cost >> 6
        else:
            between = hidden & ((1 << card) - 1) & ~((2 << ends.tail[at]) - 1)
            expected = between.bit_count() * chance >> 16
            level = policy.risks[ends.room[at]][min(expected, RISK_STEPS - 1)] * cost >> 6
        level = policy.shape[min(level, LEVELS - 1)] + policy.prior[card]
        levels.append(min(level, LEVELS - 1))
    return levels
