"""A view as bytes: the observation that the core writes for training, made from what a bot sees.

The core fills the same bytes in C (`core/batch.c`); tests hold the two together, so that what is
learned in training is what a bot meets in a league. docs/training.md describes the layout.
"""

from collections.abc import Collection

from nimmt.choices import KINDS, X_CARD
from nimmt.views import Cards, ElevenNimmtView, SixNimmtView, View, XNimmtView

OBSERVATION_VERSION = 1
"""Goes up when a byte changes its meaning; a policy is for the version it was trained on."""
OBSERVATION = 184
"""Bytes of an observation. Byte 0 is the kind that is asked for (1 + its index in `KINDS`, 0 for a
seat that is not asked). By card, 1 to 104, where it lies:
0 unseen, 1 own hand, 2 + row, 6 the pool, 7 just taken by this seat, 16 + seat a bull pile
(X nimmt!: 16 the own X pile), 32 + seat an X row, 48 + seat laid in this turn, 64 + seat an open
hand, 128 + number the top of a pile. Then, from byte 105: seat, players, round, turn, start seat,
bull pool, draw deck; ten bytes each of hand sizes, and of bull cards or X piles' sizes; ten numbers
of two bytes each, low byte first, of points (6 nimmt!) and totals; the cards of this turn."""
AT_SEAT, AT_HANDS, AT_HELD, AT_POINTS, AT_TOTALS, AT_REVEALED = 105, 112, 122, 132, 152, 172
OWN_HAND, FIRST_ROW, POOL, TAKEN = 1, 2, 6, 7
BULL_PILE, OWN_X_PILE, X_ROW, LAID, OPEN_HAND, TOP = 16, 16, 32, 48, 64, 128
HAND_SIZE = 10


def encode(view: View, kind: str, to_place: Collection[int] | None = None) -> bytes:
    """The observation of a seat that is asked for `kind`, or of one that is not asked (`""`).

    `to_place` are the cards of this turn that lie in no row yet. A seat that is asked can tell
    them from its view; for other seats of X nimmt! whoever holds the state has to say.
    """
    seen = bytearray(OBSERVATION)
    seen[0] = KINDS.index(kind) + 1 if kind else 0
    if isinstance(view, ElevenNimmtView):
        for number, top in view.piles:
            seen[top] = TOP + number
        head = (view.start_seat, view.bull_pool, view.draw)
        sizes, held = view.hand_sizes, view.bull_cards
        revealed: Cards = ()
    else:
        waiting = _to_place(view, kind) if to_place is None else to_place
        head, sizes, held = _write_rows(seen, view, waiting)
        revealed = view.revealed
    for card in view.hand:
        seen[card] = OWN_HAND
    capped = (min(view.round_no, 255), min(view.turn, 255))
    seen[AT_SEAT:AT_HANDS] = bytes((view.seat, view.players, *capped, *head))
    seen[AT_HANDS : AT_HANDS + len(sizes)] = bytes(sizes)
    seen[AT_HELD : AT_HELD + len(held)] = bytes(held)
    points = view.points if isinstance(view, SixNimmtView) else ()
    for at, numbers in ((AT_POINTS, points), (AT_TOTALS, view.totals)):
        packed = b"".join([(number & 0xFFFF).to_bytes(2, "little") for number in numbers])
        seen[at : at + len(packed)] = packed
    seen[AT_REVEALED : AT_REVEALED + len(revealed)] = bytes(revealed)
    return bytes(seen)


def _to_place(view: SixNimmtView | XNimmtView, kind: str) -> Collection[int]:
    """Cards are placed from the lowest up: the own one is next, or has just taken a row."""
    if not view.revealed:
        return ()
    own = view.revealed[view.seat]
    return [card for card in view.revealed if card > own or (card == own and kind != X_CARD)]


def _write_rows(
    seen: bytearray, view: SixNimmtView | XNimmtView, waiting: Collection[int]
) -> tuple[tuple[int, int, int], Cards, Cards]:
    """Rows and what lies around them; returns the head of the numbers, and the sizes."""
    for index, row in enumerate(view.rows):
        for card in row:
            seen[card] = FIRST_ROW + index
    for seat, card in enumerate(view.revealed):
        if card in waiting:
            seen[card] = LAID + seat
    if isinstance(view, XNimmtView):
        zones = [(X_ROW + seat, row) for seat, row in enumerate(view.x_rows)]
        zones += [(OWN_X_PILE, view.x_pile), (TAKEN, view.taken)]
    else:
        zones = [(POOL, view.pool)]
        zones += [(BULL_PILE + seat, pile) for seat, pile in enumerate(view.bull_piles)]
        zones += [(OPEN_HAND + seat, hand) for seat, hand in enumerate(view.hands)]
    for code, cards in zones:
        for card in cards:
            seen[card] = code
    if isinstance(view, XNimmtView):
        return (0, 0, 0), view.hand_sizes, view.x_pile_sizes
    # Basic hands are as long as there are turns to come; advanced ones lie open.
    each = HAND_SIZE - view.turn - bool(view.revealed)
    sizes = tuple(map(len, view.hands)) or (each,) * view.players
    return (view.start_seat, 0, 0), sizes, ()
