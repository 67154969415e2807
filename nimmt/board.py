"""Boards: everything that chance decides in one game, from a key or given card by card."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from nimmt.errors import RulesError
from nimmt.keys import KEY_BYTES, shuffled

Cards = tuple[int, ...]
Shuffle = Callable[[Sequence[int], int], list[int]]
"""`shuffle(cards, take)`: the first `take` cards of the shuffled deck."""


class Deal(NamedTuple):
    """What chance decides in one round. A part that a game does not have is empty."""

    hands: tuple[Cards, ...]
    """The dealt hands by seat; in the advanced game the opening picks."""
    rows: Cards = ()
    """The first card of each row; in 11 nimmt! the card of the first pile."""
    draw: Cards = ()
    """The draw deck in the order of revealing (11 nimmt! only)."""


class Dealer(Protocol):
    """The part of the rules that turns a shuffled deck into a deal."""

    def draw_deal(self, players: int, shuffle: Shuffle) -> Deal: ...

    def check_deal(self, players: int, deal: Deal) -> None: ...


class Board(Protocol):
    """A source of deals, one for each round of one game."""

    def deal(self, dealer: Dealer, players: int, round_no: int) -> Deal: ...


@dataclass(frozen=True, slots=True)
class KeyedBoard:
    """A board of a match: its deals follow from the match's key and the board's number."""

    key: bytes
    number: int = 0

    def __post_init__(self) -> None:
        if len(self.key) != KEY_BYTES:
            raise RulesError(f"got a key of {len(self.key)} bytes, expected {KEY_BYTES}")
        if self.number < 0:
            raise RulesError(f"got board number {self.number}, expected 0 or more")

    def deal(self, dealer: Dealer, players: int, round_no: int) -> Deal:
        def shuffle(cards: Sequence[int], take: int) -> list[int]:
            return shuffled(self.key, self.number, round_no, cards, take)

        return dealer.draw_deal(players, shuffle)


@dataclass(frozen=True, slots=True)
class GivenBoard:
    """A board written out deal by deal, as in a replay or a test."""

    deals: tuple[Deal, ...]

    def deal(self, dealer: Dealer, players: int, round_no: int) -> Deal:
        if round_no >= len(self.deals):
            raise RulesError(
                f"the game goes on to round {round_no}, but its board holds only "
                f"{len(self.deals)} deals"
            )
        deal = self.deals[round_no]
        dealer.check_deal(players, deal)
        # A hand has no order; the engine keeps its hands ascending.
        return deal._replace(hands=tuple([tuple(sorted(hand)) for hand in deal.hands]))
