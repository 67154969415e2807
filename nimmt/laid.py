"""The events that come most often, made once: laying one card in a row, and a turn of all.

Making one takes longer than finding it. They stand apart from `nimmt.events` because thousands of
them are made at the import, and a bot that only reads events needs none.
"""

from nimmt.cards import HIGHEST
from nimmt.events import PLAY, ROW, SEATS, TAKEN, X_ROW, Move, Turn

CARD_ALONE = tuple((card,) for card in range(HIGHEST + 1))
PLACED = tuple(
    tuple(tuple(Move("place", alone, PLAY[seat], row) for alone in CARD_ALONE) for row in ROW)
    for seat in SEATS
)
"""`PLACED[seat][row][card]`: that seat's card goes from before it to the row."""
X_LAID = tuple(
    tuple(Move("x", alone, TAKEN[seat], X_ROW[seat]) for alone in CARD_ALONE) for seat in SEATS
)
"""`X_LAID[seat][card]`: of the cards just taken, this one goes to the seat's X row."""
TURNS = tuple(Turn(number, None) for number in range(100))
"""Turns in which all choose together. X nimmt! has the most in a round: 67, by the bound that
`XNimmt.max_decisions` explains, with two players."""
