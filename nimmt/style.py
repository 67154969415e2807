"""How a strong player chooses cards, in a few numbers: for rollouts and for reading others' hands.

`python -m bench.style` fitted them to the choices of `montecarlo` (a conditional logit).
"""

from math import sqrt
from typing import NamedTuple

from nimmt.cards import HIGHEST
from nimmt.core.policies import LEVELS, Policy
from nimmt.game import Rules

STEPS = 8
"""Levels of a policy for a factor of e."""
QUARTERS = 255 / 64
"""Levels of slot risk for a head."""


class Style(NamedTuple):
    """The logarithm of how much a card is preferred."""

    risk: float
    """By head that it is likely to take."""
    root: float
    """By the square root of the same: the first head counts most."""
    card: tuple[float, ...]
    """A polynomial of the card's number, as a share of the highest, without its constant."""


STYLES = {
    "six-nimmt": Style(-0.65, -0.23, (-3.27, -35.12, 96.19, -57.71)),
    "x-nimmt": Style(-0.08, -1.22, (-1.66, 2.13)),
}
"""In 6 nimmt! cards from 20 to 60 are kept for later, and the low and the high ones go early."""


def strong_policy(rules: Rules, highest: int, heat: float = 1.0) -> Policy:
    """How a strong player lays cards; in 11 nimmt! it keeps the gaps small."""
    if rules.name == "eleven-nimmt":
        return Policy.softmax("gap", 1.5 * heat)
    style = STYLES[rules.name]
    heads = [level / QUARTERS for level in range(LEVELS)]
    shape = [-STEPS * (style.risk * head + style.root * sqrt(head)) for head in heads]
    liked = [_polynomial(style.card, card / highest) for card in range(1, highest + 1)]
    prior = [0.0] * (HIGHEST + 1)
    prior[1 : highest + 1] = [STEPS * (max(liked) - one) for one in liked]
    return Policy.softmax("slot_risk", STEPS * heat, shape=_whole(shape), prior=_whole(prior))


def _polynomial(factors: tuple[float, ...], x: float) -> float:
    return sum([factor * x ** (power + 1) for power, factor in enumerate(factors)])


def _whole(levels: list[float]) -> list[int]:
    return [min(max(0, round(level)), LEVELS - 1) for level in levels]
