"""What happens at the table, in words: for the move list, screen readers and pages without scripts.

Seats, rows and piles are called by the numbers that replays and bots use, which start at 0.
"""

from collections.abc import Iterable, Sequence

from league.words import counted
from nimmt import heads
from nimmt.events import BullCard, Event, GameEnd, Move, Reveal, RoundEnd, RoundStart


def names_of(bots: Sequence[str]) -> list[str]:
    """A short name for each seat; equal names are told apart by their seats.

    >>> names_of(["ada/greedy", "bo/slow", "cy/greedy"])
    ['greedy (seat 0)', 'slow', 'greedy (seat 2)']
    """
    short = [bot.rsplit("/", 1)[-1] for bot in bots]
    return [
        name if short.count(name) == 1 else f"{name} (seat {seat})"
        for seat, name in enumerate(short)
    ]


def listed(items: Iterable[object]) -> str:
    """
    >>> listed([3, 5, 9])
    '3, 5 and 9'
    """
    words = [str(item) for item in items]
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def describe(events: Sequence[Event], names: Sequence[str], places: Sequence[int]) -> str:
    """One or two sentences for events that are shown together."""
    first = events[0]
    match first:
        case RoundStart(round_no):
            return _deal(events, round_no)
        case Reveal(cards):
            laid = [f"{name} {card}" for name, card in zip(names, cards, strict=True)]
            return f"All turn up a card: {', '.join(laid)}."
        case BullCard(seat, None):
            return f"{names[seat]} gets a bull card."
        case BullCard(seat, source) if source is not None:
            return f"{names[seat]} steals a bull card from {names[source]}."
        case RoundEnd(points):
            return _end(events, points, names, places)
        case Move():
            return _move([event for event in events if isinstance(event, Move)], names)
    return ""


def _deal(events: Sequence[Event], round_no: int) -> str:
    drafted = any(isinstance(event, Move) and event.dst == "pool" for event in events)
    what = "the cards are laid out for the draft" if drafted else "the cards are dealt"
    return f"Round {round_no + 1}: {what}."


def _move(moves: Sequence[Move], names: Sequence[str]) -> str:
    move = moves[0]
    cards = listed(card for one in moves for card in one.cards)
    source, _, number = move.src.partition(":")
    target, _, goal = move.dst.partition(":")
    match move.why:
        case "place":
            return f"{names[int(number)]} places {cards} in row {goal}."
        case "take":
            what = f"{counted(len(move.cards), 'card')}, {counted(heads(move.cards), 'bullhead')}"
            rest = f" and starts it with {listed(moves[1].cards)}" if len(moves) > 1 else ""
            return f"{names[int(goal)]} takes {source} {number} ({what}){rest}."
        case "play":
            parts = [f"{listed(one.cards)} on pile {one.dst[5:]}" for one in moves]
            return f"{names[int(number)]} plays {' and '.join(parts)}."
        case "open":
            return f"From the deck: {cards}, {'each ' if len(moves) > 1 else ''}a new pile."
        case "draft":
            return f"{names[int(goal)]} drafts {cards}."
        case "rows":
            return f"The cards nobody drafted start the rows: {cards}."
        case "x":
            return f"{names[int(goal)]} puts {cards} into the X row."
        case "keep":
            return f"{names[int(goal)]} keeps {cards} in hand."
        case "break":
            count = counted(len(move.cards), "card")
            return f"The X row of {names[int(number)]}, {count}, goes to the X pile."
    return f"{cards} from {move.src} to {target} {goal}.".strip()


def _end(
    events: Sequence[Event], points: Sequence[int], names: Sequence[str], places: Sequence[int]
) -> str:
    scores = [f"{name} {own}" for name, own in zip(names, points, strict=True)]
    text = f"The round is over: {', '.join(scores)}."
    if any(isinstance(event, GameEnd) for event in events):
        first = [name for name, place in zip(names, places, strict=True) if place == 1]
        won = "wins the game" if len(first) == 1 else "share the win"
        text = f"{listed(first)} {won}. {text}"
    return text
