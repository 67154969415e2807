"""Events: all that happens on the table. Folding them needs no rule (see `nimmt.table`).

A card moves between zones. A zone is a short text: `hand:2`, `row:0`, `bull:1` (bull pile),
`play:3` (the card a seat has laid in front of itself), `pile:7`, `draw`, `pool` (cards open to the
draft), `taken:1` (cards just taken, before the X card is chosen), `xrow:0`, `xpile:0`,
and `box`, where cards come from.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

Cards = tuple[int, ...]

SEATS = range(10)
BOX = "box"
DRAW = "draw"
POOL = "pool"
HAND = tuple(f"hand:{seat}" for seat in SEATS)
PLAY = tuple(f"play:{seat}" for seat in SEATS)
BULL = tuple(f"bull:{seat}" for seat in SEATS)
TAKEN = tuple(f"taken:{seat}" for seat in SEATS)
X_ROW = tuple(f"xrow:{seat}" for seat in SEATS)
X_PILE = tuple(f"xpile:{seat}" for seat in SEATS)
ROW = tuple(f"row:{index}" for index in range(4))
PILE = tuple(f"pile:{number}" for number in range(100))


class RoundStart(NamedTuple):
    """A round begins: the table is cleared and all bull cards lie in the pool again."""

    round_no: int
    start_seat: int
    bull_pool: int


class Turn(NamedTuple):
    """A turn begins; `seat` is the one to act, or None when all choose together."""

    number: int
    seat: int | None


class Reveal(NamedTuple):
    """All turn up the card they chose: each goes from its seat's hand to the place before it."""

    cards: Cards


class Move(NamedTuple):
    """Cards go from the zone `src` to the zone `dst`, in this order; 0 is a card face down."""

    why: str
    cards: Cards
    src: str
    dst: str


class BullCard(NamedTuple):
    """A bull card goes to `seat`, from the pool (`source` None) or stolen from another seat."""

    seat: int
    source: int | None


class Points(NamedTuple):
    """What each seat would score if the round ended now."""

    points: tuple[int, ...]


class HandPoints(Points):
    """The same where hands count: another seat's points would tell what it holds, so a seat is
    shown 0 for them."""

    __slots__ = ()


class RoundEnd(NamedTuple):
    """A round is over: its points, and the totals with them."""

    points: tuple[int, ...]
    totals: tuple[int, ...]


class GameEnd(NamedTuple):
    """The game is over. Places count from 1; ties share a place."""

    points: tuple[int, ...]
    places: tuple[int, ...]


Event = RoundStart | Turn | Reveal | Move | BullCard | Points | RoundEnd | GameEnd

_NAMES: dict[type, str] = {
    RoundStart: "round_start",
    Turn: "turn",
    Reveal: "reveal",
    Move: "move",
    BullCard: "bull_card",
    Points: "points",
    HandPoints: "points",
    RoundEnd: "round_end",
    GameEnd: "game_end",
}

_KINDS: dict[str, type[Event]] = {name: kind for kind, name in reversed(_NAMES.items())}


def seen_by(event: Event, seat: int | None) -> Event:
    """The event as this seat may see it (None: a spectator who sees everything).

    Only dealing hides cards: whatever is played or taken afterwards is open to all.
    """
    if seat is not None and type(event) is HandPoints:
        return HandPoints(tuple([p if s == seat else 0 for s, p in enumerate(event.points)]))
    if seat is None or type(event) is not Move or event.why != "deal":
        return event
    if event.dst == DRAW or (event.dst.startswith("hand:") and event.dst != HAND[seat]):
        return event._replace(cards=(0,) * len(event.cards))
    return event


def from_json(data: Mapping[str, Any]) -> Event:
    """The event that `to_json` wrote."""
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in data.items()
        if name != "event"
    }
    return _KINDS[data["event"]](**fields)


def to_json(event: Event) -> dict[str, Any]:
    """The event as a JSON object, its name under `event`."""
    fields = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in event._asdict().items()
    }
    return {"event": _NAMES[type(event)], **fields}
