"""What a seat knows of a table, in the form that rollouts start from, pure or compiled."""

from dataclasses import dataclass, field

from nimmt.game import Rules


@dataclass(slots=True)
class Position:
    """A table as one seat knows it; 0 stands for a card that it has not seen."""

    rules: Rules
    players: int
    seat: int
    """Who searches: it is asked now, and all of its own cards are known."""
    kind: str
    """What it is asked for."""
    hands: list[list[int]]
    unseen: list[int]
    """What the hidden cards may be, ascending."""
    points: list[int]
    """6 nimmt!: what each seat has taken in this round."""
    start_seat: int = 0
    rows: list[list[int]] = field(default_factory=list)
    laid: list[int] = field(default_factory=list)
    """The cards of this turn that lie in no row yet, by seat, else 0."""
    pool: list[int] = field(default_factory=list)
    taken: list[int] = field(default_factory=list)
    x_rows: list[list[int]] = field(default_factory=list)
    x_piles: list[list[int]] = field(default_factory=list)
    piles: dict[int, list[int]] = field(default_factory=dict)
    draw: list[int] = field(default_factory=list)
    bull_cards: list[int] = field(default_factory=list)
    bull_pool: int = 0

    @property
    def hidden(self) -> int:
        """How many cards lie face down for this seat and matter."""
        return sum([hand.count(0) for hand in self.hands]) + self.draw.count(0)
