"""The spectator's view of a table, and the fold that rebuilds it from events alone."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from nimmt.events import (
    BOX,
    HAND,
    PLAY,
    BullCard,
    Event,
    GameEnd,
    Move,
    Points,
    Reveal,
    RoundEnd,
    RoundStart,
    Turn,
)


@dataclass(slots=True)
class Table:
    """Everything that lies on the table and in the hands, for one who may see it all."""

    players: int
    round_no: int = 0
    start_seat: int = 0
    turn: int = 0
    seat: int | None = None
    """Whose turn it is; None when all choose together."""
    zones: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Cards by zone, empty zones left out; hands are sorted, all else lies as it was laid."""
    bull_cards: tuple[int, ...] = ()
    bull_pool: int = 0
    points: tuple[int, ...] = ()
    """What each seat would score if the round ended now."""
    totals: tuple[int, ...] = ()
    """Points of the finished rounds."""
    places: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        nothing = (0,) * self.players
        self.bull_cards = self.bull_cards or nothing
        self.points = self.points or nothing
        self.totals = self.totals or nothing


def fold(table: Table, events: Iterable[Event]) -> Table:
    """Change the table by each event in turn, and return it."""
    for event in events:
        match event:
            case Move():
                _move(table.zones, event)
            case Reveal(cards):
                for seat, card in enumerate(cards):
                    _move(table.zones, Move("reveal", (card,), HAND[seat], PLAY[seat]))
            case Turn(number, seat):
                table.turn, table.seat = number, seat
            case Points(points):
                table.points = points
            case BullCard(seat, source):
                _give_bull_card(table, seat, source)
            case RoundStart(round_no, start_seat, bull_pool):
                table.round_no, table.start_seat = round_no, start_seat
                table.turn, table.seat, table.zones = 0, None, {}
                table.bull_cards, table.bull_pool = (0,) * table.players, bull_pool
                table.points = (0,) * table.players
            case RoundEnd(points, totals):
                table.points, table.totals = points, totals
            case GameEnd(_, places):
                table.places = places
    return table


def _move(zones: dict[str, tuple[int, ...]], move: Move) -> None:
    if move.src != BOX:
        left = list(zones.get(move.src, ()))
        for card in move.cards:
            # A card whose face was hidden until now leaves as one of the face-down cards.
            left.remove(card if card in left else 0)
        if left:
            zones[move.src] = tuple(left)
        else:
            zones.pop(move.src, None)
    there = zones.get(move.dst, ()) + move.cards
    zones[move.dst] = tuple(sorted(there)) if move.dst.startswith("hand:") else there


def _give_bull_card(table: Table, seat: int, source: int | None) -> None:
    held = list(table.bull_cards)
    held[seat] += 1
    if source is None:
        table.bull_pool -= 1
    else:
        held[source] -= 1
    table.bull_cards = tuple(held)
