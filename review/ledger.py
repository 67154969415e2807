"""The ledger of a seat in a round: hand + decisions + faults + luck = points, to the last digit.

Values are rounded to 1/1000 head once, when they are estimated; everything here is a sum of those
whole numbers, so that nothing is a remainder.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

UNIT = 1000
"""Parts of a head."""


def rounded(heads: float) -> int:
    """Heads as thousandths.

    >>> rounded(9.81249)
    9812
    """
    return round(heads * UNIT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One unforced decision of a seat, in thousandths of a head."""

    v: int
    q: int
    by_bot: bool
    """Whether the bot chose; else the platform chose for it."""
    error: float
    """Of q - v, in heads."""
    q_error: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """In thousandths of a head; errors in heads."""

    points: int
    hand: int
    decisions: int
    faults: int
    luck: int
    errors: dict[str, float]

    def __post_init__(self) -> None:
        booked = self.hand + self.decisions + self.faults + self.luck
        assert booked == self.points, f"the ledger has {booked}, the seat {self.points}"


def ledger(hand: int, hand_error: float, entries: Sequence[Entry], points: int) -> Ledger:
    """Book a round. `hand` is V after the deal, `points` the heads as played.

    Luck is what happens between the decisions: from the deal to the first one, then from what each
    choice promised to what the next decision could expect, and at last to the points.
    """
    luck = 0
    promised = hand
    for entry in entries:
        luck += entry.v - promised
        promised = entry.q
    luck += points * UNIT - promised
    return Ledger(
        points=points * UNIT,
        hand=hand,
        decisions=sum(one.q - one.v for one in entries if one.by_bot),
        faults=sum(one.q - one.v for one in entries if not one.by_bot),
        luck=luck,
        errors=_errors(hand, hand_error, entries),
    )


def _errors(hand: int, hand_error: float, entries: Sequence[Entry]) -> dict[str, float]:
    own = [one.error for one in entries if one.by_bot]
    platform = [one.error for one in entries if not one.by_bot]
    # Luck is the points less all the rest. Where the hand is the value at the first decision, the
    # two stand together as what the first choice promised.
    shared = bool(entries) and entries[0].v == hand
    rest = [one.error for one in entries[shared:]]
    first = entries[0].q_error if shared else hand_error
    return {
        "hand": hand_error,
        "decisions": _root(own),
        "faults": _root(platform),
        "luck": _root([first, *rest]),
    }


def total(rounds: Iterable[Ledger]) -> Ledger:
    """A game is the sum of its rounds."""
    rounds = list(rounds)
    names = ("hand", "decisions", "faults", "luck")
    return Ledger(
        points=sum(one.points for one in rounds),
        hand=sum(one.hand for one in rounds),
        decisions=sum(one.decisions for one in rounds),
        faults=sum(one.faults for one in rounds),
        luck=sum(one.luck for one in rounds),
        errors={name: _root([one.errors[name] for one in rounds]) for name in names},
    )


def _root(errors: Iterable[float]) -> float:
    return sqrt(sum(error**2 for error in errors))
