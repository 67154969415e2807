"""What one seat may see, one type for each game.

Views are named tuples: immutable, and cheap enough for search bots that look at thousands a second.
What is a seat's own comes first: the rest is the same for all seats, and where all are asked
together it is made once.
"""

from typing import NamedTuple

Cards = tuple[int, ...]


class SixNimmtView(NamedTuple):
    """6 nimmt! as one seat sees it."""

    seat: int
    hand: Cards
    """The seat's own cards, ascending."""
    players: int
    round_no: int
    turn: int
    """The turn of the round, from 0."""
    start_seat: int
    """Who begins the draft (advanced game)."""
    rows: tuple[Cards, ...]
    revealed: Cards
    """The cards laid in this turn, by seat; empty while cards are being chosen."""
    bull_piles: tuple[Cards, ...]
    """All cards taken in this round, by seat."""
    points: tuple[int, ...]
    """Bullheads taken in this round, by seat."""
    totals: tuple[int, ...]
    """Points of the finished rounds, by seat."""
    pool: Cards
    """The cards still open to the draft (advanced game)."""
    hands: tuple[Cards, ...]
    """All hands, which are open in the advanced game; empty in the basic game."""


class Pile(NamedTuple):
    """A pile of 11 nimmt!: its number, which is never used again, and its top card."""

    number: int
    top: int


class ElevenNimmtView(NamedTuple):
    """11 nimmt! as one seat sees it: what lies under the tops is for a bot's memory."""

    seat: int
    hand: Cards
    players: int
    round_no: int
    turn: int
    start_seat: int
    """Who began the round."""
    piles: tuple[Pile, ...]
    hand_sizes: tuple[int, ...]
    bull_cards: tuple[int, ...]
    """Bull cards held, by seat."""
    bull_pool: int
    draw: int
    """How many cards the draw deck still has."""
    totals: tuple[int, ...]


class XNimmtView(NamedTuple):
    """X nimmt! as one seat sees it."""

    seat: int
    hand: Cards
    taken: Cards
    """The cards just taken, one of which goes to the X row; empty at all other times."""
    x_pile: Cards
    """The seat's own X pile."""
    players: int
    round_no: int
    turn: int
    rows: tuple[Cards, ...]
    revealed: Cards
    """The cards laid in this turn, by seat; empty while cards are being chosen."""
    x_rows: tuple[Cards, ...]
    x_pile_sizes: tuple[int, ...]
    hand_sizes: tuple[int, ...]
    totals: tuple[int, ...]


View = SixNimmtView | ElevenNimmtView | XNimmtView
