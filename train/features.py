"""The features of `nimmt.features` for many observations at once."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimmt.cards import HEADS
from nimmt.encoding import AT_SEAT, FIRST_ROW, OPEN_HAND, OWN_HAND, TOP
from nimmt.features import CARDS, FEATURES

_HEADS = np.array(HEADS[1 : CARDS + 1], dtype=np.int64)
_NUMBERS = np.arange(1, CARDS + 1)
_HOLDS_X = np.array([2, 3, 4, 5])


class Hands(NamedTuple):
    """The cards of many hands in one list, hand after hand."""

    hand: NDArray[np.intp]
    """Which of the observations a card belongs to."""
    card: NDArray[np.intp]
    features: NDArray[np.float64]
    """(cards, features)."""
    first: NDArray[np.intp]
    """Where each hand begins."""


def _rows(where: NDArray[np.uint8]) -> tuple[NDArray[np.int64], ...]:
    """Ends, lengths and heads of the four rows, (observations, 4); an absent row has length 0."""
    inside = where[:, None, :] == (FIRST_ROW + np.arange(4))[None, :, None]
    ends = np.where(inside, _NUMBERS, 0).max(axis=2)
    return ends, inside.sum(axis=2), inside @ _HEADS


def card_features(seen: NDArray[np.uint8]) -> Hands:
    """For each card of each hand its features; every hand must hold a card."""
    where = seen[:, 1 : CARDS + 1]
    ends, lengths, costs = _rows(where)
    hidden = np.cumsum((where == 0) | ((where >= OPEN_HAND) & (where < TOP)), axis=1)
    six = lengths[:, 3] > 0
    unseen = np.maximum(1, np.where(six, hidden[:, CARDS - 1], hidden[:, 99]))
    others = seen[:, AT_SEAT + 1].astype(np.int64) - 1
    rooms = np.where(six[:, None], 5, _HOLDS_X) - lengths
    cheapest = np.where(lengths > 0, costs, 1000).min(axis=1)
    hand, at = np.nonzero(where == OWN_HAND)
    card = at + 1
    below = np.where(ends[hand] < card[:, None], ends[hand], 0)
    row = below.argmax(axis=1)
    end = below[np.arange(len(card)), row]
    low = end == 0
    room, cost = rooms[hand, row], costs[hand, row]
    upto = np.where(low, 0, hidden[hand, np.maximum(end, 1) - 1])
    expected = (hidden[hand, at] - upto) * others[hand] / unseen[hand]
    takes = (room == 0).astype(np.float64)
    columns = {
        "bias": np.ones(len(card)), "card": card / 104, "heads": _HEADS[at] / 7,
        "low": low.astype(np.float64), "low_cost": np.where(low, cheapest[hand] / 10, 0.0),
        "gap": (card - end) / 104, "room": room / 5, "takes": takes, "cost": takes * cost / 10,
        "expected": expected, "risk": np.maximum(0.0, expected - room + 1.0) * cost / 10,
    }  # fmt: skip
    for name in FEATURES[FEATURES.index("gap") :]:
        columns[name] = np.where(low, 0.0, columns[name])
    features = np.stack([columns[name] for name in FEATURES], axis=1)
    return Hands(hand, card, features, np.searchsorted(hand, np.arange(len(seen))))


def cheapest_rows(seen: NDArray[np.uint8]) -> NDArray[np.intp]:
    """For each observation the row with the fewest heads; of several, the first."""
    _, lengths, costs = _rows(seen[:, 1 : CARDS + 1])
    cheapest: NDArray[np.intp] = np.where(lengths > 0, costs, 1000).argmin(axis=1)
    return cheapest
