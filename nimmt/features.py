"""What each card of a hand would do, as a few numbers: for small policies of 6 nimmt! and X nimmt!.

They are made from the observation of `nimmt.encoding`. `train/features.py` makes the same numbers
for many observations at once, with numpy; a test demands that both agree to the last bit.
"""

from nimmt.cards import HEADS
from nimmt.encoding import AT_SEAT, FIRST_ROW, OPEN_HAND, OWN_HAND, TOP

FEATURES = (
    "bias", "card", "heads", "low", "low_cost", "gap", "room", "takes", "cost", "expected", "risk",
)  # fmt: skip
"""In this order; each is roughly between 0 and 1, and docs/training.md says what it is."""
FEATURE_VERSION = 1
CARDS = 104


def card_features(seen: bytes) -> dict[int, tuple[float, ...]]:
    """For each card of the own hand its features."""
    rows: list[list[int]] = [[], [], [], []]
    hidden = [0] * (CARDS + 1)
    """How many cards up to this one the seat does not know to be gone."""
    for card in range(1, CARDS + 1):
        code = seen[card]
        if FIRST_ROW <= code < FIRST_ROW + 4:
            rows[code - FIRST_ROW].append(card)
        hidden[card] = hidden[card - 1] + (code == 0 or OPEN_HAND <= code < TOP)
    six = bool(rows[3])
    others = seen[AT_SEAT + 1] - 1
    unseen = max(1, hidden[CARDS if six else 100])
    laid = [(row[-1], (5 if six else at + 2) - len(row), _heads(row)) for at, row in
            enumerate(rows) if row]  # fmt: skip
    cheapest = min((cost for _, _, cost in laid), default=0)
    found: dict[int, tuple[float, ...]] = {}
    for card in range(1, CARDS + 1):
        if seen[card] != OWN_HAND:
            continue
        own = (1.0, card / 104, HEADS[card] / 7)
        below = max([row for row in laid if row[0] < card], default=None)
        if below is None:
            found[card] = (*own, 1.0, cheapest / 10, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
            continue
        end, room, cost = below
        expected = (hidden[card] - hidden[end]) * others / unseen
        risk = max(0.0, expected - room + 1.0) * cost / 10
        takes = float(room == 0)
        found[card] = (
            *own, 0.0, 0.0, (card - end) / 104, room / 5, takes, takes * cost / 10, expected, risk,
        )  # fmt: skip
    return found


def cheapest_row(seen: bytes) -> int:
    """The row with the fewest heads; of several, the first."""
    costs: dict[int, int] = {}
    for card in range(1, CARDS + 1):
        row = seen[card] - FIRST_ROW
        if 0 <= row < 4:
            costs[row] = costs.get(row, 0) + HEADS[card]
    return min(costs, key=lambda row: (costs[row], row))


def _heads(row: list[int]) -> int:
    return sum([HEADS[card] for card in row])
